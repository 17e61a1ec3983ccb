"""`MemoryStore` is the model of a folder of JSON files, too, with thread files written anew at any moment."""

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ore.artifact import Text
from ore.ext.stores.json_dir import JsonStore
from ore.ledger import (
    Control,
    ControlRecord,
    MemoryStore,
    ParentRecord,
    Record,
    Role,
    Store,
    TipRecord,
    Turn,
    TurnRecord,
    Writer,
)
from stores.test_sqlite_model import BEGINNING, Step, done, outcome, state, steps
from strategies import records

KNOWN: list[Record] = [
    *[TurnRecord(turn=Turn(id=id, role=Role.USER, artifacts=(Text(content=id),))) for id in ("1", "2")],
    ControlRecord(turn_id="1", control=Control.STOP),
    ParentRecord(turn_id="2", parent_id="1"),
    TipRecord(turn_id="1"),
]
"""Turns, and what is about just these."""


def about_known_turns() -> st.SearchStrategy[Record]:
    return st.sampled_from(KNOWN) | records()


@pytest.mark.slow
@pytest.mark.requirement("D-json-model")
@settings(max_examples=100)
@given(
    st.lists(st.tuples(st.lists(about_known_turns(), max_size=4), st.booleans()), max_size=5),
    st.dictionaries(st.text(max_size=5), st.text(max_size=5)),
)
def test_any_records_come_back_as_the_same_thread(
    appends: list[tuple[list[Record], bool]], metadata: dict[str, str]
) -> None:
    """However often the thread's file was written anew in between."""

    async def written(store: Store) -> None:
        await store.create("t", metadata)
        for batch, is_given_back in appends:
            writer = await store.take("t")
            await store.append(writer, batch)
            if is_given_back:
                await store.close(writer)

    async def compare(folder: Path) -> None:
        memory, store = MemoryStore(), JsonStore(folder)
        await written(memory)
        await written(store)
        await store.aclose()
        again = JsonStore(folder)
        expected, found = await memory.load("t"), await again.load("t")
        listed = [(await store.list()).threads for store in (memory, again)]
        await again.aclose()
        assert found == expected
        assert listed[1] == listed[0]

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(compare(Path(folder)))


async def same_effects(folder: Path, taken: Sequence[Step], reopened: int) -> None:
    memory, store = MemoryStore(), JsonStore(folder)
    writers: tuple[list[Writer], list[Writer]] = ([], [])
    try:
        for place, step in enumerate(taken):
            if place == reopened:
                await store.aclose()
                store = JsonStore(folder)
            expected = await outcome(done(step, memory, writers[0]))
            assert await outcome(done(step, store, writers[1])) == expected
        assert await state(store) == await state(memory)
    finally:
        await store.aclose()


@pytest.mark.slow
@pytest.mark.requirement("D-json-model")
@settings(max_examples=100)
@given(st.lists(steps(), min_size=10, max_size=40), st.integers(0, 40))
def test_any_work_with_a_folder_has_the_effects_that_it_has_in_memory(taken: list[Step], reopened: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(same_effects(Path(folder), [*BEGINNING, *taken], reopened))
