import asyncio
import sys

from ore import Agent, Spec
from ore.ext.providers.backoff import Backoff
from ore.ext.providers.limits import Limited
from ore.ext.providers.openai import VENDOR
from ore.ext.providers.transport import Limits
from ore.ext.providers.vendor import Access, connect

model, base_url = sys.argv[1:]
access = Access(base_url=base_url, limits=Limits(silence_s=60), backoff=Backoff(attempts=5))
provider = Limited(connect(VENDOR, access), concurrency=4, requests_per_minute=500, tokens_per_minute=200_000)
agent = Agent(provider, spec=Spec(name=model))


async def main() -> None:
    async with asyncio.TaskGroup() as group:  # all of them share the limits
        runs = [group.create_task(agent.run(f"Say {number}.")) for number in range(10)]
    print([run.result().text for run in runs])


asyncio.run(main())
