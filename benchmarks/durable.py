"""What durability costs: appends to long threads, many sessions at once, a whole turn."""

import asyncio
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

from benchmarks.measure import Cpu, Run, interleaved, paired
from benchmarks.row import Row
from benchmarks.scene import answering, conversation, fill, read_by
from ore.artifact import Artifact
from ore.ext.stores.sqlite import SqliteStore
from ore.ledger import MemoryStore, Role, Store, Turn, TurnRecord
from ore.session import Manager, Stream

__all__ = ["durable_append", "durable_turn", "group_commit"]

APPENDS = 200
TURNS = 100
SESSIONS = 100
EACH = 3
LIMIT = 512
"""Writes in one transaction; the store's own default."""


def durable_append(run: Run) -> Iterator[Row]:
    """CPU of an append with the writer thread, to a thread of 10,000 turns and to one of 10 in the same file.

    Of the store alone, and of a session, which takes and gives back its thread each time.
    """
    path = run.folder / "append.db"
    asyncio.run(_filled(path, "long", 10_000))
    names = (f"short-{number}" for number in count())
    for what, measure in (("in the store", _appends), ("of a session", _append_turns)):
        costs = interleaved(
            run.rounds,
            {
                "long": lambda measure=measure: asyncio.run(measure(path, "long")),  # type: ignore[misc]
                "short": lambda measure=measure: asyncio.run(measure(path, next(names), 10)),  # type: ignore[misc]
            },
        )
        ratios = paired(costs["long"], costs["short"])
        yield Row(name=f"a durable append {what}: at 10,000 turns / at 10", values=ratios, bar=1.1)


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
    for what, rest, bar in (("", True, 6), (", back to back", False, None)):
        costs = interleaved(
            run.rounds,
            {
                "durable": lambda rest=rest: asyncio.run(_turns(SqliteStore(next(paths)), rest=rest)),  # type: ignore[misc]
                "memory": lambda rest=rest: asyncio.run(_turns(MemoryStore(), rest=rest)),  # type: ignore[misc]
            },
        )
        yield Row(name=f"a turn on SQLite / in memory{what}", values=paired(costs["durable"], costs["memory"]), bar=bar)


async def _filled(path: Path, thread_id: str, length: int) -> Sequence[Turn]:
    """Make the thread, unless it is there; returns turns to append to it."""
    store = SqliteStore(path)
    if length:
        await fill(store, thread_id, conversation(length))
    await store.aclose()
    return conversation(APPENDS)


async def _appends(path: Path, thread_id: str, length: int = 0) -> float:
    turns = await _filled(path, thread_id, length)
    store = SqliteStore(path)
    writer = await store.take(thread_id)
    with Cpu() as cpu:
        for turn in turns:
            await store.append(writer, [TurnRecord(turn=turn)])
    await store.close(writer)
    await store.aclose()
    return cpu.seconds


async def _append_turns(path: Path, thread_id: str, length: int = 0) -> float:
    turns: Sequence[Sequence[Artifact]] = [turn.artifacts for turn in await _filled(path, thread_id, length)]
    async with Manager(answering(), SqliteStore(path)) as manager:
        stream = await manager.attach(thread_id)
        await stream.append_turn(Role.USER, *turns[0])
        with Cpu() as cpu:
            for artifacts in turns[: APPENDS // 2]:
                await stream.append_turn(Role.USER, *artifacts)
    return cpu.seconds


async def _busy(store: Store) -> float:
    async with Manager(answering(), store) as manager:
        streams = [await manager.create() for _ in range(SESSIONS)]
        await streams[0].process("warm up")
        with Cpu() as cpu:
            async with asyncio.TaskGroup() as group:
                for stream in streams:
                    group.create_task(_process(stream, EACH))
    return cpu.seconds


async def _turns(store: Store, *, rest: bool) -> float:
    async with Manager(answering(), store) as manager:
        stream = await manager.create()
        async with read_by(1, stream):
            await _process(stream, 3)
            with Cpu() as cpu:
                for _ in range(TURNS):
                    await stream.process("hi")
                    if rest:
                        await stream.idle()
    return cpu.seconds


async def _process(stream: Stream, times: int) -> None:
    for _ in range(times):
        await stream.process("hi")
