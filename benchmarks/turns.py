"""A turn and a ReAct tool turn, through a session with one reader, without network."""

import asyncio
import cProfile
from collections.abc import Iterator

from benchmarks.measure import Cpu, Run, interleaved, paired
from benchmarks.row import Row
from benchmarks.scene import answering, calling, read_by
from ore.agent import AgentSpec
from ore.session import Manager, Stream

__all__ = ["turns"]

COUNT = 100
PROFILED = 10


def turns(run: Run) -> Iterator[Row]:
    """What a tool call adds to a turn; and how many calls of Python functions, which do not vary."""
    costs = interleaved(
        run.rounds,
        {"plain": lambda: asyncio.run(_cpu(answering())), "tool": lambda: asyncio.run(_cpu(calling()))},
    )
    yield Row(name="tool turn / plain turn", values=paired(costs["tool"], costs["plain"]))
    for name, agent in (("plain turn", answering), ("tool turn", calling)):
        calls = [asyncio.run(_calls(agent())) for _ in range(2)]
        yield Row(name=f"{name}, counted by cProfile", values=calls, unit="calls")


async def _cpu(agent: AgentSpec) -> float:
    async with Manager(agent) as manager:
        stream = await manager.create()
        async with read_by(1, stream):
            await _turns(stream, 5)
            with Cpu() as cpu:
                await _turns(stream, COUNT)
    return cpu.seconds


async def _calls(agent: AgentSpec) -> float:
    async with Manager(agent) as manager:
        stream = await manager.create()
        async with read_by(1, stream):
            await _turns(stream, 2)
            profile = cProfile.Profile()
            profile.enable()
            await _turns(stream, PROFILED)
            profile.disable()
    return sum(entry.callcount for entry in profile.getstats()) / PROFILED


async def _turns(stream: Stream, count: int) -> None:
    for _ in range(count):
        await stream.process("hi")
