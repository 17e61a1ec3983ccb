import asyncio
import sys

from ore import Agent

agent = Agent()


async def main(message: str) -> None:
    async with agent.session("trip") as session:  # created the first time, resumed from then on
        async for piece in session.stream(message).text():
            print(piece, end="", flush=True)
        print()
        print(len(session.turns), "turns so far")


asyncio.run(main(sys.argv[1]))
