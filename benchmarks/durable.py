"""What durability costs: appends to long threads, many sessions at once, a whole turn."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from itertools import count
from pathlib import Path

from benchmarks.measure import Cpu, Run, alternating, interleaved, paired, repeated
from benchmarks.row import Row
from benchmarks.scene import answering, conversation, fill, process, read_by
from ore.ext.stores.sqlite import SqliteStore
from ore.ledger import MemoryStore, Role, Store, TurnRecord, Writer
from ore.session import Manager, Stream

__all__ = ["durable_append", "durable_turn", "group_commit"]

LONG = 10_000
SHORT = 10
TIMES = 10
APPENDS = 20
TURNS = 10
SESSIONS = 100
EACH = 3
LIMIT = 512
"""Writes in one transaction; the store's own default."""


def durable_append(run: Run) -> Iterator[Row]:
    """CPU of an append with the writer thread, to a thread of 10,000 turns and to one of 10 in the same file.

    Of the store alone, and of a session, which takes and gives back its thread each time.
    """
    paths = (run.folder / f"append-{number}.db" for number in count())
    for what, measure in (("in the store", _store_appends), ("of a session", _session_appends)):
        costs = repeated(run.rounds, lambda measure=measure: measure(next(paths)))  # type: ignore[misc]
        ratios = paired(costs["long"], costs["short"])
        yield Row(name=f"a durable append {what}: at {LONG:,} turns / at {SHORT}", values=ratios, bar=1.1)


def group_commit(run: Run) -> Iterator[Row]:
    """CPU of 100 sessions that answer at once, with all that they append in one transaction or in one each."""
    paths = (run.folder / f"group-{number}.db" for number in count())
    costs = interleaved(
        run.rounds,
        {
            "group": lambda: asyncio.run(_busy(SqliteStore(next(paths), group_limit=LIMIT))),
            "single": lambda: asyncio.run(_busy(SqliteStore(next(paths), group_limit=1))),
        },
    )
    ratios = paired(costs["group"], costs["single"])
    yield Row(name=f"{SESSIONS} busy sessions: group commit / one commit each", values=ratios, bar=0.6)


def durable_turn(run: Run) -> Iterator[Row]:
    """CPU of a whole turn through a session with one reader.

    Each message comes when the session is at rest, as people's do, so it is
    taken for the turn and given back. The second row sends the next message as
    soon as the one before has ended.
    """
    paths = (run.folder / f"turn-{number}.db" for number in count())
    for what, work, bar in (("", _at_rest, 6), (", back to back", process, None)):
        costs = repeated(run.rounds, lambda work=work: _turns(SqliteStore(next(paths)), work))  # type: ignore[misc]
        yield Row(name=f"a turn on SQLite / in memory{what}", values=paired(costs["durable"], costs["memory"]), bar=bar)


async def _store_appends(path: Path) -> Mapping[str, float]:
    store = await _store(path)
    writers = {name: await store.take(name) for name in ("long", "short")}
    turns = iter(conversation(2 * APPENDS * TIMES))

    async def append(writer: Writer) -> None:
        for _ in range(APPENDS):
            await store.append(writer, [TurnRecord(turn=next(turns))])

    costs = await alternating(TIMES, {name: partial(append, writer) for name, writer in writers.items()})
    await store.aclose()
    return costs


async def _session_appends(path: Path) -> Mapping[str, float]:
    async with Manager(answering(), await _store(path)) as manager:
        streams = {name: await manager.attach(name) for name in ("long", "short")}
        texts = [turn.artifacts for turn in conversation(APPENDS // 2)]

        async def append(stream: Stream) -> None:
            for artifacts in texts:
                await stream.append_turn(Role.USER, *artifacts)

        for stream in streams.values():
            await stream.append_turn(Role.USER, *texts[0])
        return await alternating(TIMES, {name: partial(append, stream) for name, stream in streams.items()})


async def _store(path: Path) -> SqliteStore:
    """A file with both threads in it."""
    store = SqliteStore(path)
    await fill(store, "long", conversation(LONG))
    await fill(store, "short", conversation(SHORT))
    return store


async def _busy(store: Store) -> float:
    async with Manager(answering(), store) as manager:
        streams = [await manager.create() for _ in range(SESSIONS)]
        await process(streams[0], 1)
        with Cpu() as cpu:
            async with asyncio.TaskGroup() as group:
                for stream in streams:
                    group.create_task(process(stream, EACH))
    return cpu.seconds


async def _turns(store: SqliteStore, work: Callable[[Stream, int], Awaitable[None]]) -> Mapping[str, float]:
    async with Manager(answering(), store) as durable, Manager(answering(), MemoryStore()) as memory:
        one, other = await durable.create(), await memory.create()
        async with read_by(1, one), read_by(1, other):
            await work(one, 3)
            await work(other, 3)
            return await alternating(
                TIMES, {"durable": partial(work, one, TURNS), "memory": partial(work, other, TURNS)}
            )


async def _at_rest(stream: Stream, times: int) -> None:
    for _ in range(times):
        await stream.process("hi")
        await stream.idle()
