import asyncio

from ore import Agent

agent = Agent(store="memory:")


async def main() -> None:
    async with agent.session() as session:
        diary = session.stream("Write a long diary.")
        async for piece in diary.text():
            print("heard:", piece)
            await session.interrupt()
        print((await diary.result()).status)
        print(session.turns[-1].status.value, "turn:", session.turns[-1].artifacts[0].for_human())


asyncio.run(main())
