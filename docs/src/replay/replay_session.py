import asyncio
import sys

from ore import Agent
from ore.ext.replay import replay
from ore.ext.stores.sqlite import SqliteStore


def weather(city: str) -> str:
    """Current weather in a city."""
    return f"{city}: 22 °C"


async def main(path: str, session: str) -> None:
    stored = await SqliteStore(path).load(session)
    came = await replay(stored, Agent("local", tools=[weather]).spec())
    print(came.first or "nothing differs")


asyncio.run(main(*sys.argv[1:]))
