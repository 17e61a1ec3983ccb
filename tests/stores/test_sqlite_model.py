"""`MemoryStore` is the model: whatever is done with a file has the same effect."""

import asyncio
import tempfile
from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ore.artifact import Text
from ore.errors import OreError
from ore.ext.stores.sqlite import SqliteStore
from ore.ledger import (
    TITLE_KEY,
    EndingRecord,
    MemoryStore,
    Message,
    MetadataRecord,
    Operation,
    Outcome,
    QuestionRecord,
    QuestionStatus,
    Record,
    Role,
    Store,
    TakenRecord,
    TipRecord,
    Turn,
    TurnRecord,
    Writer,
)
from strategies import records

Step = tuple[Any, ...]
"""What is done, and with what; a writer is given by its place from the last one taken."""


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(st.lists(records(), max_size=4), max_size=4), st.dictionaries(st.text(max_size=5), st.text(max_size=5)))
def test_any_records_come_back_as_the_same_thread(appends: list[list[Record]], metadata: dict[str, str]) -> None:
    async def written(store: Store) -> None:
        await store.create("t", metadata)
        for batch in appends:
            await store.append(await store.take("t"), batch)

    async def compare(path: Path) -> None:
        memory, sqlite = MemoryStore(), SqliteStore(path)
        await written(memory)
        await written(sqlite)
        await sqlite.aclose()
        again = SqliteStore(path)
        expected, found = await memory.load("t"), await again.load("t")
        listed = [(await store.list()).threads for store in (memory, again)]
        await again.aclose()
        assert found == expected
        assert listed[1] == listed[0]

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(compare(Path(folder) / "ore.db"))


IDS = st.sampled_from(["a", "b"])
MESSAGES = st.sampled_from(["m", "n"])
WORDS = st.sampled_from(["", "one", "ONE two"])


def turn_records() -> st.SearchStrategy[Record]:
    return st.builds(
        lambda id, role, words: TurnRecord(turn=Turn(id=id, role=role, artifacts=(Text(content=words),))),
        st.sampled_from(["1", "2", "3"]),
        st.sampled_from(Role),
        WORDS,
    )


def small_records() -> st.SearchStrategy[Record]:
    operations = st.builds(
        lambda key, value: Operation(op="delete" if value is None else "set", key=key, value=value),
        st.sampled_from(["k", TITLE_KEY]),
        st.none() | WORDS,
    )
    return st.one_of(
        turn_records(),
        st.builds(TakenRecord, message=MESSAGES),
        st.builds(EndingRecord, message=MESSAGES, outcome=st.sampled_from(Outcome)),
        st.builds(MetadataRecord, operations=st.lists(operations, max_size=2).map(tuple)),
        st.builds(QuestionRecord, key=st.sampled_from(["q", "r"]), status=st.sampled_from(QuestionStatus)),
        st.builds(TipRecord, turn_id=st.none() | st.sampled_from(["1", "2"])),
    )


def steps() -> st.SearchStrategy[Step]:
    modes = st.sampled_from(["queue", "queue", "steer", "interrupt"])
    facts = st.dictionaries(st.sampled_from(["k", TITLE_KEY]), WORDS)
    places = st.sampled_from([1, 1, 1, 2, 2, 3])  # mostly the last two, of whom one is not fenced
    batches = st.lists(small_records(), min_size=1, max_size=3)
    reading = st.tuples(st.sampled_from(["search", "get_by", "list"]), WORDS)
    others = st.one_of(
        st.tuples(st.sampled_from(["park", "close"]), places),
        st.tuples(st.just("interrupt"), IDS),
        st.tuples(st.just("delete"), st.just("b")),
        st.tuples(st.just("create"), IDS, facts),
    )
    return st.one_of(
        st.tuples(st.just("append"), places, batches),
        st.tuples(st.just("next"), places, st.booleans()),
        st.tuples(st.just("submit"), IDS, MESSAGES, WORDS, modes),
        st.tuples(st.just("take"), IDS),
        reading,
        others,
    )


async def done(step: Step, store: Store, writers: list[Writer]) -> object:
    match step:
        case "append", place, batch:
            await store.append(writers[-place], batch)
            return writers[-place].sequence
        case "next", place, mark:
            return await store.next(writers[-place], mark=mark)
        case "park", place:
            await store.park(writers[-place])
            return None
        case "close", place:
            return await store.close(writers[-place])
        case "take", id:
            writers.append(await store.take(id))
            return writers[-1].epoch, writers[-1].sequence, writers[-1].stop
        case _:
            return await done_to_threads(step, store)


async def done_to_threads(step: Step, store: Store) -> object:
    match step:
        case "create", id, facts:
            await store.create(id, facts)
            return None
        case "delete", id:
            return await store.delete(id)
        case "submit", id, message, words, mode:
            return await store.submit(id, Message(id=message, artifacts=(Text(content=words),), mode=mode))
        case "interrupt", id:
            await store.interrupt(id)
            return None
        case "search", words:
            return await store.search(words, limit=3)
        case "get_by", words:
            return await store.get_by("k", words)
        case "list", words:
            return await store.list(query=words)
        case _:
            raise AssertionError(step)


BEGINNING: list[Step] = [
    *[("create", id, {}) for id in ("a", "b")],
    *[("submit", id, "m", "one", "queue") for id in ("a", "b")],
    *[("take", id) for id in ("b", "b", "a")],
]


async def outcome(work: Awaitable[Any]) -> object:
    try:
        return await work
    except OreError as error:
        return type(error)


async def state(store: Store) -> list[object]:
    seen: list[object] = [await store.list(), await store.unfinished()]
    for id in ("a", "b"):
        seen += [await outcome(store.load(id)), await outcome(store.pending(id))]
    return seen


async def same_effects(path: Path, taken: Sequence[Step], reopened: int) -> None:
    memory, sqlite = MemoryStore(), SqliteStore(path)
    writers: tuple[list[Writer], list[Writer]] = ([], [])
    try:
        for place, step in enumerate(taken):
            if place == reopened:
                await sqlite.aclose()
                sqlite = SqliteStore(path)
            expected = await outcome(done(step, memory, writers[0]))
            assert await outcome(done(step, sqlite, writers[1])) == expected
        assert await state(sqlite) == await state(memory)
    finally:
        await sqlite.aclose()


@pytest.mark.slow
@settings(max_examples=100)
@given(st.lists(steps(), min_size=10, max_size=40), st.integers(0, 40))
def test_any_work_with_a_file_has_the_effects_that_it_has_in_memory(taken: list[Step], reopened: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(same_effects(Path(folder) / "ore.db", [*BEGINNING, *taken], reopened))
