import asyncio

from ore import Agent, OreError
from ore.errors import LimitError
from ore.session import Manager, SessionLimits

agent = Agent()


async def main() -> None:
    async with Manager(agent.spec(), limits=SessionLimits(queue=2)) as sessions:
        stream = await sessions.create()
        tickets = [stream.submit("one"), stream.submit("two")]
        try:
            stream.submit("three")
        except LimitError as error:  # at once, and nothing was taken in
            print(error.code, "|", error)
        for ticket in tickets:
            outcome = await ticket
            error = outcome.error
            print(
                outcome.status.value,
                "|",
                error.code if isinstance(error, OreError) else outcome.turn.artifacts[0].content,
            )


asyncio.run(main())
