"""What a model is known not to take, and conversations that go from one vendor to another."""

from behaviour._requirements import held

_ISSUE = "issue 5, catalog"

REQUIREMENTS = (
    held(
        "D-switching",
        "Before a request it is told, once in a conversation for each model, what that is known not to take: media of "
        "earlier turns become text; tools, and media that were sent just now, are refused by name.",
        source=_ISSUE,
    ),
    held(
        "D-every-pair",
        "A conversation with pictures, signed thinking and tools that was begun on one vendor goes on on each other "
        "one and comes back: what one signed goes back to it and to nobody else, and what is left out is told.",
        source=_ISSUE,
    ),
    held(
        "D-openai-tools",
        "Tools work with every model of OpenAI: over Responses, which is the default; over chat completions, where "
        "some think or call functions, they do not think beside tools, and what cannot be had is refused by name.",
        source="OpenAI, model page of GPT-6 Luna (read 2026-11)",
    ),
)
