import asyncio

from ore import Agent, Turn


def add(a: int, b: int) -> int:
    """The sum."""
    return a + b


agent = Agent(tools=[add])


def last(turns: list[Turn]) -> str:
    return turns[-1].artifacts[0].for_human()


async def main() -> None:
    async with agent.session("thread-1", store="sqlite:graph.db") as session:  # thread and checkpointer
        print((await session.run("What is 2 + 3?")).text)
        print((await session.run("And twice that?")).text)

        history = session.handle.history
        await history.undo()  # back to the state before the last question; what came is kept as a branch
        print(last(list(session.turns)))
        print((await session.run("And three times that?")).text)
        print(len(session.turns), "turns on this path,", len(history.all_turns), "in all")


asyncio.run(main())
