"""A turn and a ReAct tool turn, through a session with one reader, without network."""

import asyncio
import cProfile
from collections.abc import Iterator, Mapping
from functools import partial

from benchmarks.measure import Run, alternating, paired, repeated
from benchmarks.row import Row
from benchmarks.scene import answering, calling, process, read_by
from ore.agent import AgentSpec
from ore.session import Manager

__all__ = ["turns"]

TIMES = 10
COUNT = 10
PROFILED = 10


def turns(run: Run) -> Iterator[Row]:
    """What a tool call adds to a turn; and how many calls of functions each takes, which hardly varies."""
    costs = repeated(run.rounds, _measured)
    yield Row(name="tool turn / plain turn", values=paired(costs["tool"], costs["plain"]))
    for name, agent in (("plain turn", answering), ("tool turn", calling)):
        calls = [asyncio.run(_calls(agent())) for _ in range(2)]
        yield Row(name=f"{name}, counted by cProfile", values=calls, unit="calls")


async def _measured() -> Mapping[str, float]:
    async with Manager(answering()) as plain, Manager(calling()) as tool:
        one, other = await plain.create(), await tool.create()
        async with read_by(1, one), read_by(1, other):
            await process(one, 3)
            await process(other, 3)
            return await alternating(
                TIMES, {"plain": partial(process, one, COUNT), "tool": partial(process, other, COUNT)}
            )


async def _calls(agent: AgentSpec) -> float:
    async with Manager(agent) as manager:
        stream = await manager.create()
        async with read_by(1, stream):
            await process(stream, 2)
            profile = cProfile.Profile()
            profile.enable()
            await process(stream, PROFILED)
            profile.disable()
    return sum(entry.callcount for entry in profile.getstats()) / PROFILED
