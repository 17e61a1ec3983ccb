"""Finding a thread by a fact among 10,000, against reading them until it is found."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

from benchmarks.library import NUMBER, library, thread_ids
from benchmarks.measure import Cpu, Run, interleaved, paired
from benchmarks.row import Row
from ore.ext.stores.sqlite import SqliteStore

__all__ = ["find"]

THREADS = 10_000
FINDS = 1_000


def find(run: Run) -> Iterator[Row]:
    """CPU of `get_by`, and of loading every thread, short as they are, to look at its facts."""
    path = library(run.folder, threads=THREADS, turns=2, numbered=True)
    costs = interleaved(
        min(run.rounds, 2),
        {"find": lambda: asyncio.run(_find(path)), "read": lambda: asyncio.run(_read(path))},
    )
    name = f"find by metadata among {THREADS:,} threads / read them all"
    yield Row(name=name, values=paired(costs["find"], costs["read"]), bar=0.05)


async def _find(path: Path) -> float:
    """CPU seconds of one find, for a thread anywhere."""
    store = SqliteStore(path)
    names = thread_ids(THREADS)
    with Cpu() as cpu:
        for number in range(0, THREADS, THREADS // FINDS):
            assert await store.get_by(NUMBER, str(number)) == names[number]
    await store.aclose()
    return cpu.seconds / FINDS


async def _read(path: Path) -> float:
    store = SqliteStore(path)
    found = []
    with Cpu() as cpu:
        for name in thread_ids(THREADS):
            thread = await store.load(name)
            if thread.metadata[NUMBER] == "none":
                found.append(thread)
    await store.aclose()
    return cpu.seconds
