"""A file with many threads, made once in a run."""

import asyncio
from pathlib import Path

from benchmarks.scene import conversation, fill
from ore.ext.stores.sqlite import SqliteStore

__all__ = ["NUMBER", "library", "thread_ids"]

NUMBER = "number"
"""The fact by which each thread can be found."""

AT_ONCE = 500


def thread_ids(count: int) -> list[str]:
    """Ids of the threads in a library."""
    return [f"thread-{number:05}" for number in range(count)]


def library(folder: Path, *, threads: int, turns: int, numbered: bool = False) -> Path:
    """A store of so many threads of so many turns each; `numbered`: each with its number as a fact."""
    path = folder / f"library-{threads}-{turns}-{numbered}.db"
    if not path.exists():
        asyncio.run(_make(path, threads, turns, numbered=numbered))
    return path


async def _make(path: Path, threads: int, turns: int, *, numbered: bool) -> None:
    store = SqliteStore(path)
    history = conversation(turns)
    names = thread_ids(threads)
    for start in range(0, threads, AT_ONCE):
        async with asyncio.TaskGroup() as group:
            for number, name in enumerate(names[start : start + AT_ONCE], start):
                facts = {NUMBER: str(number)} if numbered else {}
                group.create_task(fill(store, name, history, **facts))
    await store.aclose()
