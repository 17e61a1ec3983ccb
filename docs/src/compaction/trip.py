import asyncio

from ore import Agent
from ore.ext.transforms.compaction import Compaction, compact, undo_compaction

agent = Agent(extensions=[Compaction()])  # from here on no conversation gets too long


async def main() -> None:
    async with agent.session("trip") as session:
        await session.run("We want to go to Lisbon in May, by train.")
        await session.run("There are two of us, and a dog.")

        done = await compact(session.handle, focus="dates")  # now, though there is room
        assert done is not None
        print(done.dropped_turn_count, "turns are summed up")
        print((await session.run("When do we go?")).text)

        await undo_compaction(session.handle)
        print(len(session.turns), "turns are shown")


asyncio.run(main())
