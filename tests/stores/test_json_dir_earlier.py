"""Files that earlier versions wrote load, and survive what is saved into them."""

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.artifact import (
    Artifact,
    Image,
    Reasoning,
    StopReason,
    Text,
    ToolCall,
    ToolResult,
    Unknown,
    Usage,
    to_json,
)
from ore.ext.stores.json_dir.earlier import adopt
from ore.ledger import Control, ControlRecord, Role, Thread, Turn
from stores.json_folder import contents, opened, said, save, write

V0_12 = """{
  "id": "0123456789abcdef0123456789abcdef",
  "created_at": "2026-06-20T10:00:00Z",
  "updated_at": "2026-06-20T10:05:00.123456789+02:00",
  "metadata": {"ore.model.name": "m"},
  "turns": [
    {"role": "system", "artifacts": [{"kind": "text", "data": {"kind": "text", "content": "be brief"}}],
     "timestamp": "0001-01-01T00:00:00Z"},
    {"role": "user", "artifacts": [{"kind": "text", "data": {"kind": "text", "content": "Hello\\nthere"}}],
     "timestamp": "2026-06-20T10:00:00.000000001Z"},
    {"role": "assistant", "artifacts": [
      {"kind": "reasoning", "data": {"kind": "reasoning", "content": "hm"}},
      {"kind": "tool_call", "data": {"kind": "tool_call", "id": "c1", "name": "add", "arguments": "{\\"a\\": 1}"}},
      {"kind": "stop_reason", "data": {"kind": "stop_reason", "reason": "tool_use"}},
      {"kind": "usage", "data": {"kind": "usage", "prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8,
       "thinking_tokens": 0}}
    ], "timestamp": "2026-06-20T12:00:01.5+02:00"},
    {"role": "tool", "artifacts": [
      {"kind": "tool_result", "data": {"kind": "tool_result", "tool_call_id": "c1", "content": "1", "is_error": false}}
    ], "timestamp": "2026-06-20T10:00:02Z"},
    {"role": "assistant", "artifacts": [
      {"kind": "image", "data": {"kind": "image", "url": "https://example.org/a.png"}},
      {"kind": "compaction", "data": {"kind": "compaction", "compacted_through": 3, "strategy": "x"}}
    ], "timestamp": "2026-06-20T10:00:03Z"}
  ]
}
"""

V0_12_ID = "0123456789abcdef0123456789abcdef"

COMPACTION = b'{"kind": "compaction", "data": {"kind": "compaction", "compacted_through": 3, "strategy": "x"}}'

V0_12_TURNS: list[tuple[Role, tuple[Artifact, ...], datetime | None]] = [
    (Role.SYSTEM, (Text(content="be brief"),), None),
    (Role.USER, (Text(content="Hello\nthere"),), datetime(2026, 6, 20, 10, tzinfo=UTC)),
    (
        Role.ASSISTANT,
        (
            Reasoning(content="hm"),
            ToolCall(id="c1", name="add", arguments='{"a": 1}'),
            StopReason(reason="tool_use"),
            Usage(prompt_tokens=5, completion_tokens=3, total_tokens=8, reasoning_tokens=0),
        ),
        datetime(2026, 6, 20, 12, 0, 1, 500_000, timezone(timedelta(hours=2))),
    ),
    (Role.TOOL, (ToolResult(tool_call_id="c1", content="1"),), datetime(2026, 6, 20, 10, 0, 2, tzinfo=UTC)),
    (
        Role.ASSISTANT,
        (Image(url="https://example.org/a.png"), Unknown(name="compaction", raw=COMPACTION)),
        datetime(2026, 6, 20, 10, 0, 3, tzinfo=UTC),
    ),
]


def enveloped(text: str) -> dict[str, Any]:
    return {"kind": "text", "data": {"kind": "text", "content": text}}


def outline(turn: Turn) -> tuple[Role, tuple[Artifact, ...], datetime | None]:
    return turn.role, turn.artifacts, turn.timestamp


@pytest.mark.requirement("D-json-v0-12")
async def test_a_file_of_v0_12_loads_and_survives_saves(tmp_path: Path) -> None:
    """The original showed none of its turns, and lost all but one at the next save."""
    path = tmp_path / f"{V0_12_ID}.json"
    write(path, V0_12)
    async with opened(tmp_path) as store:
        old = await store.load(V0_12_ID)
        assert [outline(each) for each in old.turns] == V0_12_TURNS
        assert list(Thread(old.turns, tip=old.tip).turns) == list(old.turns)
        assert old.metadata == {"ore.model.name": "m"}
        (summary,) = (await store.list()).threads
        assert (summary.preview, summary.turns, summary.last_at) == ("Hello there", 5, old.turns[-1].timestamp)
    async with opened(tmp_path) as store:
        assert await store.load(V0_12_ID) == old
    for number in range(3):
        async with opened(tmp_path) as store:
            await save(store, V0_12_ID, said(f"new {number}", parent=(await store.load(V0_12_ID)).tip))
    async with opened(tmp_path) as store:
        new = await store.load(V0_12_ID)
    assert new.turns[:5] == old.turns
    assert list(Thread(new.turns, tip=new.tip).turns) == list(new.turns)
    assert [turn.id for turn in new.turns[5:]] == ["new 0", "new 1", "new 2"]
    stored = json.loads(contents(path))
    assert (stored["id"], stored["created_at"], len(stored["turns"])) == (V0_12_ID, "2026-06-20T10:00:00Z", 8)
    assert COMPACTION in contents(path)


@pytest.mark.requirement("D-json-v0-12")
async def test_a_file_of_v0_12_may_still_grow_before_it_is_saved(tmp_path: Path) -> None:
    """Turns get their ids from their places, so what was recorded about them still holds."""
    document = json.loads(V0_12)
    write(tmp_path / "t.json", json.dumps(document | {"turns": document["turns"][:2]}))
    async with opened(tmp_path) as store:
        few = await store.load("t")
        write(tmp_path / "t.json", json.dumps(document))
        assert (await store.load("t")).turns[:2] == few.turns


V1 = {
    "id": "t",
    "current_tip": "c",
    "metadata": {"a": ""},
    "turns": [
        {"id": "d", "parent_id": "b", "role": "assistant", "artifacts": [enveloped("another end")]},
        {"id": "c", "parent_id": "b", "role": "assistant", "artifacts": [enveloped("an end")]},
        {"id": "a", "role": "user", "artifacts": [], "metadata": {"control": "skip"}},
        {"id": "b", "parent_id": "a", "role": "user", "artifacts": [enveloped("hi")], "metadata": {"control": "stop"}},
    ],
}


def stamped(document: dict[str, Any], **times: str) -> dict[str, Any]:
    turns = [turn | {"timestamp": f"2026-07-01T00:00:{times[turn['id']]}Z"} for turn in document["turns"]]
    return document | {"turns": turns}


@pytest.mark.requirement("D-json-v1")
async def test_a_file_of_v1_loads_with_all_branches_and_survives_saves(tmp_path: Path) -> None:
    """Its turns stood in any order; each comes behind its parent."""
    write(tmp_path / "t.json", json.dumps(V1, indent=2))
    async with opened(tmp_path) as store:
        old = await store.load("t")
        assert [turn.id for turn in old.turns] == ["a", "b", "d", "c"]
        assert [turn.control.value for turn in old.turns] == ["skip", "stop", "continue", "continue"]
        assert (old.tip, old.metadata) == ("c", {"a": ""})
        assert [turn.id for turn in Thread(old.turns, tip=old.tip).turns] == ["b", "c"]
        assert await store.get_by("a", "") == "t"
        await save(store, "t", said("e", parent="c"), ControlRecord(turn_id="b", control=Control.CONTINUE))
    async with opened(tmp_path) as store:
        new = await store.load("t")
    assert [turn.id for turn in new.turns] == ["a", "b", "d", "c", "e"]
    assert [turn.control.value for turn in new.turns] == ["skip", *["continue"] * 4]
    assert [turn.artifacts for turn in new.turns[:4]] == [turn.artifacts for turn in old.turns]
    assert new.tip == "e"


@pytest.mark.requirement("D-json-v1")
async def test_branches_of_v1_come_in_the_order_of_their_times(tmp_path: Path) -> None:
    write(tmp_path / "t.json", json.dumps(stamped(V1, a="01", b="02", c="03", d="04")))
    async with opened(tmp_path) as store:
        assert [turn.id for turn in (await store.load("t")).turns] == ["a", "b", "c", "d"]
        (summary,) = (await store.list()).threads
        assert summary.last_at == datetime(2026, 7, 1, 0, 0, 4, tzinfo=UTC)


@pytest.mark.requirement("C229")
@pytest.mark.parametrize(
    ("fields", "expected"),
    [({}, {}), ({"metadata": None}, {}), ({"metadata": {}}, {}), ({"metadata": {"a": 1, "b": None}}, {"a": "1"})],
)
async def test_metadata_may_be_missing_or_of_another_kind(
    tmp_path: Path, fields: dict[str, Any], expected: dict[str, str]
) -> None:
    write(tmp_path / "t.json", json.dumps({"id": "t", **fields, "turns": None}))
    async with opened(tmp_path) as store:
        loaded = await store.load("t")
        assert (loaded.metadata, loaded.turns, loaded.tip) == (expected, (), None)


@pytest.mark.parametrize("tip", [{}, {"current_tip": ""}, {"current_tip": None}])
async def test_a_file_without_a_tip_continues_where_its_only_line_of_turns_ends(
    tmp_path: Path, tip: dict[str, Any]
) -> None:
    turns: list[dict[str, Any]] = [{"id": id, "role": "user", "artifacts": []} for id in ("a", "b")]
    write(tmp_path / "t.json", json.dumps({"id": "t", **tip, "turns": turns}))
    async with opened(tmp_path) as store:
        loaded = await store.load("t")
        assert [turn.id for turn in Thread(loaded.turns, tip=loaded.tip).turns] == ["a", "b"]


async def test_what_nobody_here_knows_is_written_back_as_it_came(tmp_path: Path) -> None:
    """Kinds, and keys of the thread, of turns and of artifacts."""
    poll = '{"kind": "x_poll", "data": {"kind": "x_poll",  "b": 1.0, "a": [1e3]}}'
    text = '{"kind": "text", "content": "x", "z": 1}'
    turn = f'{{"id": "a", "role": "user", "mood": "good", "artifacts": [{poll}, {text}]}}'
    write(tmp_path / "t.json", f'{{"id": "t", "colour": {{"r":  1.0}}, "current_tip": "a", "turns": [{turn}]}}')
    async with opened(tmp_path) as store:
        assert (await store.load("t")).turns[0].artifacts[0] == Unknown(name="x_poll", raw=poll.encode())
        for number in range(2):
            await save(store, "t", said(str(number)))
    stored = contents(tmp_path / "t.json")
    assert turn.encode() in stored
    assert b'"colour":{"r":  1.0}' in stored
    async with opened(tmp_path) as store:  # a change of one turn is no reason to touch another
        await save(store, "t", ControlRecord(turn_id="0", control=Control.SKIP))
    assert turn.encode() in contents(tmp_path / "t.json")


@pytest.mark.parametrize(
    ("artifact", "expected"),
    [
        ({"thinking_tokens": 7}, Usage(reasoning_tokens=7)),
        ({"thinking_tokens": 7, "reasoning_tokens": 8}, Usage(reasoning_tokens=8)),
        ({"data": {"kind": "usage", "thinking_tokens": 7}}, Usage(reasoning_tokens=7)),
        ({"prompt_tokens": 1, "thinking_tokens": None}, Usage(prompt_tokens=1)),
        ({"prompt_tokens": 1}, Usage(prompt_tokens=1)),
    ],
)
async def test_tokens_of_thinking_are_read_under_their_old_name(
    tmp_path: Path, artifact: dict[str, Any], expected: Usage
) -> None:
    text = {"kind": "text", "content": 'a "thinking_tokens" b'}
    other = {"kind": "x_other", "thinking_tokens": 1}
    artifacts = [text, {"kind": "usage", **artifact}, other]
    write(tmp_path / "t.json", json.dumps({"turns": [{"id": "a", "role": "assistant", "artifacts": artifacts}]}))
    for _ in range(2):
        async with opened(tmp_path) as store:
            assert (await store.load("t")).turns[0].artifacts == (
                Text(content='a "thinking_tokens" b'),
                expected,
                Unknown(name="x_other", raw=json.dumps(other).encode()),
            )
            await save(store, "t", said("b"))


async def test_a_file_that_a_program_rewrote_is_read_as_it_stands(tmp_path: Path) -> None:
    """What it did not understand it may have kept; a turn that it took out is out."""
    async with opened(tmp_path) as store:
        await store.create("t", {"a": "1"})
        await save(store, "t", said("1"), said("2", parent="1"))
    document = json.loads(contents(tmp_path / "t.json"))
    document["turns"].pop()
    document |= {"current_tip": "1", "metadata": {"a": "2"}}
    write(tmp_path / "t.json", json.dumps(document, indent=2, sort_keys=True))
    async with opened(tmp_path) as store:
        assert ((await store.list()).threads[0].turns, await store.get_by("a", "2")) == (1, "t")
        await save(store, "t", said("3", parent="1"))
        loaded = await store.load("t")
        assert ([turn.id for turn in loaded.turns], loaded.tip, loaded.epoch) == (["1", "3"], "3", 3)


TREES = st.lists(
    st.tuples(st.sampled_from(["", "a", "b", "c"]), st.none() | st.sampled_from(["a", "b", "c", "x"])), max_size=6
)


@given(TREES, st.none() | st.sampled_from(["a", "b", "x"]))
def test_whatever_ids_and_parents_turns_have_each_is_there_once_and_has_an_id(
    tree: list[tuple[str, str | None]], tip: str | None
) -> None:
    """Circles of parents, turns that are their own, missing ones; and the same each time."""
    turns = [msgspec.Raw(to_json({"id": id, "parent_id": parent, "n": n})) for n, (id, parent) in enumerate(tree)]
    adopted, new_tip = adopt("t", turns, tip)
    fields = [msgspec.json.decode(turn) for turn in adopted]
    assert sorted(turn["n"] for turn in fields) == list(range(len(tree)))
    assert all(turn["id"] for turn in fields)
    assert adopt("t", turns, tip) == (adopted, new_tip)
