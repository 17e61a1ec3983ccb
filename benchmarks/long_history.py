"""A turn behind a history of 10,000 turns costs what it costs behind one of 10."""

from collections.abc import Iterator, Mapping
from functools import partial

from benchmarks.measure import Run, alternating, paired, repeated
from benchmarks.row import Row
from benchmarks.scene import answering, conversation, fill, process, read_by
from ore.ledger import MemoryStore
from ore.session import Manager

__all__ = ["long_history"]

TIMES = 10
COUNT = 10


def long_history(run: Run) -> Iterator[Row]:
    """CPU of turns on the memory store, after a few that make what is made once."""
    costs = repeated(run.rounds, _measured)
    yield Row(name="a turn: history of 10,000 / of 10", values=paired(costs["long"], costs["short"]), bar=1.1)


async def _measured() -> Mapping[str, float]:
    store = MemoryStore()
    async with Manager(answering(), store) as manager:
        long = await manager.attach(await fill(store, "long", conversation(10_000)))
        short = await manager.attach(await fill(store, "short", conversation(10)))
        async with read_by(1, long), read_by(1, short):
            await process(long, 3)
            await process(short, 3)
            return await alternating(
                TIMES, {"long": partial(process, long, COUNT), "short": partial(process, short, COUNT)}
            )
