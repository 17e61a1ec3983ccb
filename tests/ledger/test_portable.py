"""Threads as files: lossless out and in, and refused with a reason when they cannot be read."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.artifact import Text, ToolCall, ToolResult
from ore.errors import ConflictError, InputError
from ore.ledger import (
    Control,
    MemoryStore,
    Role,
    StoredThread,
    Thread,
    Turn,
    export_thread,
    import_thread,
    read_export,
)
from strategies import turns


def tree() -> StoredThread:
    """Two branches, the tip on the first, a turn that the path passes over."""
    thread = Thread(meta={"ore.title": "Zwei Äste", "empty": ""})
    thread.add(Role.USER, Text(content="hi"))
    asked = thread.add(Role.ASSISTANT, ToolCall(id="c", name="f", arguments='{"a": 1 }'))
    answered = thread.add(Role.TOOL, ToolResult(tool_call_id="c", content="1"))
    thread.set_tip(None)
    thread.add(Role.USER, Text(content="other"))
    hidden = thread.add(Role.ASSISTANT, Text(content="never mind"))
    thread.set_control(hidden.id, Control.SKIP)
    thread.set_tip(answered.id)
    assert asked.id != answered.id
    return StoredThread(id="one", metadata=thread.meta.all(), turns=tuple(thread.all_turns), tip=thread.tip)


@pytest.mark.requirement("D-portable")
async def test_an_export_comes_back_without_loss() -> None:
    store = MemoryStore()
    await import_thread(store, read_export(export_thread(tree())))
    stored = await store.load("one")
    assert (stored.metadata, stored.tip, tuple(stored.turns)) == (tree().metadata, stored.turns[2].id, stored.turns)
    assert [turn.artifacts for turn in stored.turns] == [turn.artifacts for turn in tree().turns]
    assert export_thread(stored) == export_thread(read_export(export_thread(stored)))


@given(st.lists(turns(), max_size=4, unique_by=lambda turn: turn.id))
def test_any_turns_read_back_equal(some: list[Turn]) -> None:
    chained: list[Turn] = []
    for turn in some:
        plain = [artifact for artifact in turn.artifacts if artifact.kind not in ("tool_call", "tool_result")]
        parent = chained[-1].id if chained else None
        chained.append(
            Turn(id=turn.id, parent_id=parent, role=turn.role, artifacts=tuple(plain), timestamp=turn.timestamp)
        )
    thread = StoredThread(id="x", metadata={}, turns=chained, tip=chained[-1].id if chained else None)
    assert list(read_export(export_thread(thread)).turns) == chained


async def test_an_id_that_exists_is_a_conflict_and_another_name_is_not() -> None:
    store = MemoryStore()
    await store.create("one", {})
    with pytest.raises(ConflictError):
        await import_thread(store, tree())
    assert await import_thread(store, tree(), as_id="two") == "two"
    assert (await store.load("one")).turns == ()


def broken(**changes: object) -> bytes:
    return json.dumps({**json.loads(export_thread(tree())), **changes}).encode()


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"nonsense", "expected the JSON"),
        (b'{"ore": 1}', "id"),
        (b'{"ore":1,"id":"a","turns":[' + b"[" * 200_000 + b"]" * 200_000 + b"]}", "expected the JSON"),
        (broken(ore=2), "newer ore"),
        (broken(id="../x"), "may not name a session"),
        (broken(tip="nowhere"), "tip 'nowhere'"),
        (broken(turns=[{"id": "a", "role": "nobody"}], tip="a"), "turns[0]"),
        (broken(turns=[{"role": "user"}], tip=None), "expected an id"),
        (broken(turns=[{"id": "a", "role": "user"}] * 2, tip="a"), "'a' stands there twice"),
        (broken(turns=[{"id": "a", "parent_id": "b", "role": "user"}], tip="a"), "'b', which is not there"),
        (broken(turns=[{"id": "a", "parent_id": "a", "role": "user"}], tip="a"), "follows itself"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(raw: bytes, said: str) -> None:
    with pytest.raises(InputError) as refused:
        read_export(raw)
    assert said in str(refused.value)


def test_a_history_whose_calls_are_parted_from_their_results_is_refused() -> None:
    result = {"kind": "tool_result", "tool_call_id": "c", "content": "1"}
    with pytest.raises(InputError) as refused:
        read_export(broken(turns=[{"id": "a", "role": "tool", "artifacts": [result]}], tip="a"))
    assert "parted from its result" in str(refused.value)
