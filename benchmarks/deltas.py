"""Answers of 1,000 to 100,000 fragments: a fragment costs the same in all of them."""

import asyncio
from collections.abc import Iterator, Sequence

from benchmarks.measure import Cpu, Run, interleaved, paired
from benchmarks.row import Row
from benchmarks.scene import Fragments, answering, read_by
from ore.artifact import TextDelta
from ore.session import Manager

__all__ = ["deltas"]

SIZES = (1_000, 10_000, 100_000)
TOTAL = SIZES[-1]
"""Fragments in each measurement, as one answer or as many."""


def deltas(run: Run) -> Iterator[Row]:
    """CPU a fragment, through a session with one reader.

    All measurements stream the same 100,000 fragments. What so many turns of
    one fragment cost is taken off first, else the short answers would look
    dear because of their turns, and the ratio good.
    """
    fragments = [TextDelta(content=f" {number}") for number in range(TOTAL)]
    costs = interleaved(
        run.rounds,
        {
            "turn": lambda: asyncio.run(_cpu(fragments[:100], 1)) / 100,
            **{str(size): lambda size=size: asyncio.run(_cpu(fragments, size)) for size in SIZES},  # type: ignore[misc]
        },
    )
    net = {
        size: [cost - turn * TOTAL / size for cost, turn in zip(costs[str(size)], costs["turn"], strict=True)]
        for size in SIZES
    }
    for size in SIZES[1:]:
        bar = 1.1 if size == TOTAL else None
        yield Row(name=f"a delta: of {size:,} / of {SIZES[0]:,}", values=paired(net[size], net[SIZES[0]]), bar=bar)


async def _cpu(fragments: Sequence[TextDelta], size: int) -> float:
    async with Manager(answering(Fragments(fragments, size))) as manager:
        stream = await manager.create()
        async with read_by(1, stream):
            await stream.process("warm up")
            with Cpu() as cpu:
                for _ in range(len(fragments) // size):
                    await stream.process("go on")
    return cpu.seconds
