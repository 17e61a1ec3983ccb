from ore.artifact import Usage
from ore.ext.catalog import cost, shared_catalog

catalog = shared_catalog()
model = catalog.named("anthropic:claude-sonnet-4-5")
print(model and (model.provider, model.name, model.window))
print(len(catalog.search("sonnet")) > 3, catalog.named("nobody:knows-this"))
usage = Usage(prompt_tokens=1_000_000, completion_tokens=100_000, total_tokens=1_100_000)
print(cost(usage, model))
