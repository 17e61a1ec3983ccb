"""One process full of idle sessions, which says how many bytes they take; run by `benchmarks.idle`."""

import asyncio
import gc
import os
import sys
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

from benchmarks.library import thread_ids
from benchmarks.scene import ANSWER, answering
from ore.ext.stores.sqlite import SqliteStore
from ore.session import Manager, SessionLimits, Stream
from ore.testing import ScriptedProvider

__all__: list[str] = []

ASIDE = 50
"""Sessions that come first, so that what is made once is there before anything is measured."""


async def traced(path: Path, threads: int, *, window_s: float) -> float:
    """Bytes of sessions that have each answered a message, in units of the same turns in lists.

    Every byte that Python allocates is traced, so one process sees both: the
    sessions first, then lists of their turns, then neither. With `window_s` 0
    their windows have gone.
    """
    provider = ScriptedProvider(ANSWER, repeat=True)
    manager = Manager(answering(provider), SqliteStore(path), limits=SessionLimits(window_s=window_s))
    names = thread_ids(threads)
    aside = await _answered(manager, names[:ASIDE])
    provider.invocations.clear()
    tracemalloc.start()
    before = _traced()
    streams = await _answered(manager, names[ASIDE:])
    provider.invocations.clear()
    assert set(streams).isdisjoint(manager.list()) == (not window_s)
    sessions = _traced() - before
    lists = [list(stream.turns) for stream in streams]
    for stream in streams:
        await stream.close()
    del stream
    streams.clear()
    with_lists = _traced()
    lists.clear()
    bare = with_lists - _traced()
    assert len(aside) == ASIDE
    return sessions / bare


async def attached(path: Path, threads: int) -> float:
    """Resident bytes that the process grows by as it attaches sessions."""
    manager = Manager(answering(), SqliteStore(path))
    names = thread_ids(threads)
    kept = [await manager.attach(name) for name in names[:ASIDE]]
    before = _resident()
    kept += [await manager.attach(name) for name in names[ASIDE:]]
    return _resident() - before


async def loaded(path: Path, threads: int) -> float:
    """Resident bytes that the process grows by as it loads the same threads into lists of turns."""
    store = SqliteStore(path)
    names = thread_ids(threads)
    kept = [list((await store.load(name)).turns) for name in names[:ASIDE]]
    before = _resident()
    kept += [list((await store.load(name)).turns) for name in names[ASIDE:]]
    return _resident() - before


async def _answered(manager: Manager, names: Sequence[str]) -> list[Stream]:
    streams = [await manager.attach(name) for name in names]
    for stream in streams:
        await stream.process("hi")
        await stream.idle()
    await asyncio.sleep(0.1)  # windows that may go do so a pass later
    return streams


def _traced() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def _resident() -> int:
    gc.collect()
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    what, path, threads = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    match what:
        case "rested":
            found = asyncio.run(traced(path, threads, window_s=0.0))
        case "windowed":
            found = asyncio.run(traced(path, threads, window_s=60.0))
        case "attached":
            found = asyncio.run(attached(path, threads))
        case "loaded":
            found = asyncio.run(loaded(path, threads))
        case _:
            raise SystemExit(f"expected rested, windowed, attached or loaded, got {what!r}")
    print(found, flush=True)
    os._exit(0)  # nothing that is measured, so nobody waits for its end


if __name__ == "__main__":
    main()
