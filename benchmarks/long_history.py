"""A turn behind a history of 10,000 turns costs what it costs behind one of 10."""

import asyncio
from collections.abc import Iterator

from benchmarks.measure import Cpu, Run, interleaved, paired
from benchmarks.row import Row
from benchmarks.scene import answering, conversation, fill, read_by
from ore.ledger import MemoryStore
from ore.session import Manager

__all__ = ["long_history"]

COUNT = 100


def long_history(run: Run) -> Iterator[Row]:
    """CPU of turns on the memory store, after a few that make what is made once."""
    costs = interleaved(run.rounds, {"long": lambda: asyncio.run(_cpu(10_000)), "short": lambda: asyncio.run(_cpu(10))})
    yield Row(name="a turn: history of 10,000 / of 10", values=paired(costs["long"], costs["short"]), bar=1.1)


async def _cpu(history: int) -> float:
    store = MemoryStore()
    async with Manager(answering(), store) as manager:
        stream = await manager.attach(await fill(store, "long", conversation(history)))
        async with read_by(1, stream):
            for _ in range(3):
                await stream.process("warm up")
            with Cpu() as cpu:
                for _ in range(COUNT):
                    await stream.process("go on")
    return cpu.seconds
