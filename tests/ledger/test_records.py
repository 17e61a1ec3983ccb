"""Records as JSON, and the thread that a log of them amounts to."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.conversation import answer, calls, chain, results, user
from ore.artifact import ToolResult
from ore.errors import ConflictError, NotFoundError
from ore.ledger import (
    Control,
    ControlRecord,
    EffectRecord,
    EndingRecord,
    Fold,
    MemoryStore,
    MetadataRecord,
    Operation,
    Outcome,
    ParentRecord,
    QuestionRecord,
    QuestionStatus,
    Record,
    TakenRecord,
    Thread,
    TipRecord,
    TurnRecord,
    decode_record,
    encode_record,
)
from strategies import records

SET = MetadataRecord(operations=(Operation(op="set", key="k", value="v"),))


def folded(*log: Record) -> Fold:
    fold = Fold()
    for record in log:
        fold.add(record)
    return fold


# ── JSON ─────────────────────────────────────────────────────────────────────


@pytest.mark.requirement("P17", "C071", "P36")
@given(records())
def test_a_record_is_one_line_of_json_that_reads_back_equal(record: Record) -> None:
    line = encode_record(record)
    assert b"\n" not in line
    assert decode_record(line) == record


@pytest.mark.requirement("L15")
def test_a_kind_that_only_a_newer_ore_knows_is_passed_over() -> None:
    lines = [encode_record(TurnRecord(turn=user("a"))), b'{"record":"dream","turn":1}', encode_record(SET)]
    fold = Fold()
    for line in lines:
        record = decode_record(line)
        if record is not None:
            fold.add(record)
    assert (fold.turns, fold.metadata) == ([user("a")], {"k": "v"})


@pytest.mark.requirement("C076")
def test_no_record_can_be_made_or_read_without_its_turn() -> None:
    with pytest.raises(TypeError):
        TurnRecord()  # type: ignore[call-arg]  # what must fail
    for line in (b'{"record":"turn"}', b'{"record":"turn","turn":null}', b'{"record":"turn","turn":{}}'):
        with pytest.raises(ValueError, match=r"."):
            decode_record(line)


@pytest.mark.parametrize("line", [b"", b"null", b"{}", b'{"record":1}', b'{"record":"control","turn_id":"a"}'])
def test_what_is_no_record_is_a_value_error(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode_record(line)


@pytest.mark.requirement("K15")
def test_setting_something_empty_is_written_and_is_no_deletion() -> None:
    record = MetadataRecord(
        operations=(Operation(op="set", key="a", value=""), Operation(op="delete", key="b", value=None))
    )
    assert msgspec.json.decode(encode_record(record)) == {
        "record": "metadata",
        "operations": [{"op": "set", "key": "a", "value": ""}, {"op": "delete", "key": "b", "value": None}],
    }
    fold = Fold(metadata={"a": "1", "b": "2"})
    fold.add(record)
    assert fold.metadata == {"a": ""}


# ── What a log amounts to ────────────────────────────────────────────────────


@pytest.mark.requirement("C066", "L16", "D-log")
def test_the_record_of_a_turn_brings_the_turn_and_moves_the_tip() -> None:
    fold = folded(TurnRecord(turn=user("a")), TurnRecord(turn=answer("b", "a")))
    assert (fold.turns, fold.tip, list(fold.path())) == (
        [user("a"), answer("b", "a")],
        "b",
        [user("a"), answer("b", "a")],
    )


@pytest.mark.requirement("P36", "D-log")
def test_tip_control_and_parent_come_back_from_the_log() -> None:
    talk = [TurnRecord(turn=turn) for turn in chain(user("a"), answer("b"), user("c"), answer("d"))]
    stop = folded(*talk, ControlRecord(turn_id="c", control=Control.STOP))
    root = folded(*talk, ParentRecord(turn_id="c", parent_id=None))
    fork = folded(*talk, TipRecord(turn_id="b"))
    anew = folded(*talk, TipRecord(turn_id=None))
    lost = folded(*talk, ControlRecord(turn_id="x", control=Control.STOP), ParentRecord(turn_id="x", parent_id="a"))
    assert [[turn.id for turn in fold.path()] for fold in (stop, root, fork, anew, lost)] == [
        ["c", "d"],
        ["c", "d"],
        ["a", "b"],
        [],
        ["a", "b", "c", "d"],
    ]


_ops = st.one_of(
    st.tuples(st.just("say"), st.booleans()),
    st.tuples(st.just("tip"), st.none() | st.integers(0, 9)),
    st.tuples(st.just("control"), st.integers(0, 9), st.sampled_from(Control)),
    st.tuples(st.just("parent"), st.integers(0, 9), st.none() | st.integers(0, 9)),
    st.tuples(st.just("set"), st.sampled_from("ab"), st.text(max_size=2)),
    st.tuples(st.just("delete"), st.sampled_from("ab")),
)


def done(thread: Thread, op: tuple[Any, ...]) -> Record | None:
    """Do it to the thread, and say what is recorded of it."""

    def named(place: int | None) -> str | None:
        return None if place is None else f"t{place % max(len(thread.all_turns), 1)}"

    match op:
        case ("say", whose):
            made = (user if whose else answer)(f"t{len(thread.all_turns)}", thread.tip)
            thread.append(made)
            return TurnRecord(turn=made)
        case ("set", key, value):
            thread.meta.set(key, value)
            return MetadataRecord(operations=(Operation(op="set", key=key, value=value),))
        case ("delete", key):
            thread.meta.delete(key)
            return MetadataRecord(operations=(Operation(op="delete", key=key),))
    try:
        match op:
            case ("tip", place):
                return TipRecord(turn_id=thread.set_tip(named(place)))
            case ("control", place, control):
                thread.set_control(str(named(place)), control)
                return ControlRecord(turn_id=str(named(place)), control=control)
            case ("parent", place, parent):
                thread.set_parent(str(named(place)), named(parent))
                return ParentRecord(turn_id=str(named(place)), parent_id=named(parent))
    except (ConflictError, NotFoundError):
        return None
    raise AssertionError(op)


@pytest.mark.requirement("P36", "D-log")
@given(st.lists(_ops, max_size=20))
def test_whatever_was_done_to_a_thread_its_log_gives_it_back(ops: list[tuple[Any, ...]]) -> None:
    thread, fold = Thread(), Fold()
    for op in ops:
        record = done(thread, op)
        if record is not None:
            back = decode_record(encode_record(record))
            assert back is not None
            fold.add(back)
    stored = fold.stored("t", epoch=1, sequence=len(ops))
    again = Thread(stored.turns, tip=stored.tip, meta=stored.metadata)
    assert (list(again.turns), list(again.all_turns)) == (list(thread.turns), list(thread.all_turns))
    assert (again.tip, again.meta.all()) == (thread.tip, thread.meta.all())
    assert list(fold.path()) == list(thread.turns)


@pytest.mark.requirement("D-effects")
def test_the_results_of_a_tool_turn_settle_the_effects_of_the_calls_they_answer() -> None:
    done = ToolResult(tool_call_id="1", content="!")
    fold = folded(
        TurnRecord(turn=calls("a", None, "1", "2")),
        EffectRecord(key="a:0"),
        EffectRecord(key="a:1", idempotent=True),
        EffectRecord(key="a:0", result=done),
        EffectRecord(key="a:1:0"),
        EffectRecord(key="ab:0"),
    )
    others = {"a:1:0": EffectRecord(key="a:1:0"), "ab:0": EffectRecord(key="ab:0")}
    assert fold.effects == {
        "a:0": EffectRecord(key="a:0", result=done),
        "a:1": EffectRecord(key="a:1", idempotent=True),
        **others,
    }
    fold.add(TurnRecord(turn=results("t", "a", "1", "2")))
    assert fold.effects == others


def test_a_question_stands_where_its_last_record_says() -> None:
    asked = QuestionRecord(key="a:0", status=QuestionStatus.OPEN, question={"text": "?"})
    ended = QuestionRecord(key="a:0", status=QuestionStatus.ANSWERED, answer={"decision": "approve"})
    assert folded(asked).questions == {"a:0": asked}
    assert folded(asked, ended).questions == {"a:0": ended}


def test_what_says_nothing_of_the_thread_changes_nothing() -> None:
    fold = folded(TakenRecord(message="m"), EndingRecord(message="m", outcome=Outcome.CLEARED))
    assert (fold.turns, fold.tip, fold.metadata, fold.effects, fold.questions) == ([], None, {}, {}, {})


@pytest.mark.requirement("C070")
def test_what_a_fold_gave_out_does_not_change_with_it() -> None:
    fold = folded(TurnRecord(turn=user("a")), SET, EffectRecord(key="a:0"))
    given = fold.stored("t", epoch=1, sequence=3)
    before = msgspec.structs.replace(given)
    fold.add(TurnRecord(turn=answer("b", "a")))
    fold.add(MetadataRecord(operations=(Operation(op="delete", key="k"),)))
    fold.add(EffectRecord(key="a:1"))
    assert given == before
    assert (given.turns, given.metadata, given.tip) == ((user("a"),), {"k": "v"}, "a")


# ── In a store ───────────────────────────────────────────────────────────────


@pytest.mark.requirement("C065", "C072")
async def test_a_new_thread_is_empty_and_a_missing_one_is_an_error() -> None:
    store = MemoryStore()
    await store.create("new", {})
    loaded = await store.load("new")
    assert (list(loaded.turns), loaded.tip) == ([], None)
    with pytest.raises(NotFoundError):
        await store.load("missing")


@pytest.mark.requirement("C074", "C066")
async def test_threads_do_not_leak_into_each_other() -> None:
    store = MemoryStore()
    for name in ("one", "other"):
        await store.create(name, {"name": name})
        await store.append(await store.take(name), [TurnRecord(turn=user(f"{name}-a"))])
    loaded = [await store.load(name) for name in ("one", "other")]
    assert [(list(thread.turns), thread.tip, thread.metadata) for thread in loaded] == [
        ([user("one-a")], "one-a", {"name": "one"}),
        ([user("other-a")], "other-a", {"name": "other"}),
    ]
