"""Answers of 1,000 to 100,000 fragments: a fragment costs the same in all of them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial

from benchmarks.measure import Costs, Run, alternating, paired, repeated
from benchmarks.row import Row
from benchmarks.scene import Fragments, answering, process, read_by
from ore.artifact import TextDelta
from ore.session import Manager

__all__ = ["deltas"]

SIZES = (1_000, 10_000, 100_000)
TOTAL = SIZES[-1]
"""Fragments in each measurement, as one answer or as many."""

TIMES = 5
TURNS = 100


def deltas(run: Run) -> Iterator[Row]:
    """CPU a fragment, through a session with one reader.

    All measurements stream the same 100,000 fragments. What so many turns of
    one fragment cost is taken off first, else the short answers would look
    dear because of their turns, and the ratio good.
    """
    fragments = [TextDelta(content=f" {number}") for number in range(TOTAL)]
    costs = repeated(run.rounds, partial(_measured, fragments))
    for size in SIZES[1:]:
        ratios = paired(_net(costs, size), _net(costs, SIZES[0]))
        bar = 1.1 if size == TOTAL else None
        yield Row(name=f"a delta: of {size:,} / of {SIZES[0]:,}", values=ratios, bar=bar)


def _net(costs: Costs, size: int) -> Sequence[float]:
    turns = TOTAL // size
    return [cost - turn / TURNS * turns for cost, turn in zip(costs[str(size)], costs["turn"], strict=True)]


async def _measured(fragments: Sequence[TextDelta]) -> Mapping[str, float]:
    async with AsyncExitStack() as stack:
        work = {}
        for name, size, turns in [("turn", 1, TURNS), *((str(size), size, TOTAL // size) for size in SIZES)]:
            manager = await stack.enter_async_context(Manager(answering(Fragments(fragments[: size * turns], size))))
            stream = await manager.create()
            await stack.enter_async_context(read_by(1, stream))
            await process(stream, 1)
            work[name] = partial(process, stream, turns)
        return await alternating(TIMES, work)
