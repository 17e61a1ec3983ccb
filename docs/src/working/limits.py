import asyncio

from ore import Agent, SingleShot, UsageLimits
from ore.errors import LimitError


def look(place: str) -> str:
    """Look somewhere."""
    return "nothing"


agent = Agent(tools=[look], limits=UsageLimits(rounds=8))
once = Agent(tools=[look], pattern=SingleShot)  # one inference, and the calls that it makes


async def main() -> None:
    async with agent.session("search") as session:
        try:
            print((await session.run("Where are my keys?")).text)
        except LimitError as error:
            print(f"stopped: {error}")
        print(len(session.turns), "turns, and the next message is answered")
    result = await once.run("Look in the kitchen.")
    print([turn.role.value for turn in result.turns])


asyncio.run(main())
