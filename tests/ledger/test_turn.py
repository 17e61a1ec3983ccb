"""Turns: how one is made, and its JSON."""

from datetime import UTC, datetime
from itertools import product
from typing import Any

import msgspec
import pytest
from hypothesis import given

from ore.artifact import Artifact, Image, Reasoning, Text, ToolCall, ToolResult, Usage, encode
from ore.errors import InputError
from ore.ledger import (
    Buffer,
    Control,
    Draft,
    Role,
    State,
    Thread,
    Turn,
    TurnStatus,
    decode_turn,
    encode_turn,
    new_turn_id,
    place,
)
from strategies import artifacts, deltas, turns

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def as_json(turn: Turn) -> Any:
    return msgspec.json.decode(encode_turn(turn))


@pytest.mark.requirement("C040")
def test_ids_are_16_hexadecimal_characters_and_differ() -> None:
    ids = {new_turn_id() for _ in range(1_000)}
    assert len(ids) == 1_000
    assert all(len(id) == 16 and set(id) <= set("0123456789abcdef") for id in ids)


@pytest.mark.requirement("P12", "N01", "K3")
@pytest.mark.parametrize("state", [Buffer(), Thread()])
def test_a_turn_gets_its_id_place_and_time_before_it_is_stored(state: State) -> None:
    """What is appended is the very object, so an event can carry it."""
    draft = Draft(role=Role.USER, artifacts=(Text(content="hi"),), model="m", origin="o", status=TurnStatus.FAILED)
    first = place(draft, state, lambda: NOON)
    state.append(first)
    second = place(draft, state, lambda: NOON)
    state.append(second)

    assert state.turns[0] is first
    assert state.turns[1] is second
    assert msgspec.structs.replace(second, id="2") == Turn(
        id="2",
        parent_id=first.id,
        role=Role.USER,
        artifacts=(Text(content="hi"),),
        timestamp=NOON,
        status=TurnStatus.FAILED,
        model="m",
        origin="o",
    )
    assert first.parent_id is None
    assert first.id != second.id


def test_an_id_that_something_already_refers_to_is_kept() -> None:
    assert place(Draft(role=Role.USER, id="known"), Buffer()).id == "known"


@pytest.mark.requirement("P26", "D-no-deltas", "D-control-artifacts")
@given(deltas())
def test_a_fragment_is_refused_by_every_state(delta: Artifact) -> None:
    turn = Turn(id="1", role=Role.ASSISTANT, artifacts=(Text(content="a"), delta))
    for state in (Buffer(), Thread()):
        with pytest.raises(InputError, match=delta.kind):
            state.append(turn)
        assert (list(state.turns), state.tip) == ([], None)


# ── JSON ─────────────────────────────────────────────────────────────────────


@pytest.mark.requirement("C059")
def test_the_json_of_a_turn_has_every_field() -> None:
    turn = Turn(id="1", role=Role.USER, artifacts=(Text(content="hi"),), timestamp=NOON)
    assert as_json(turn) == {
        "id": "1",
        "parent_id": None,
        "role": "user",
        "artifacts": [{"kind": "text", "content": "hi", "provider_data": None}],
        "timestamp": "2026-01-01T12:00:00Z",
        "status": "complete",
        "control": "continue",
        "model": None,
        "origin": None,
    }


@pytest.mark.requirement("C061")
def test_control_is_a_field_of_the_turn() -> None:
    assert as_json(Turn(id="1", role=Role.SYSTEM, control=Control.STOP))["control"] == "stop"
    assert "metadata" not in as_json(Turn(id="1", role=Role.SYSTEM, control=Control.STOP))


@pytest.mark.requirement("L1", "C063", "P17")
def test_every_combination_of_optional_fields_reads_back_equal() -> None:
    """Artifacts among them: the original lost them when time and control were both set."""
    content = (Text(content="t"), Reasoning(content="r", provider_data={"provider": "p", "model": "m", "s": 1}))
    choices: dict[str, list[Any]] = {
        "parent_id": [None, "0"],
        "artifacts": [(), content],
        "timestamp": [None, NOON],
        "status": list(TurnStatus),
        "control": list(Control),
        "model": [None, "anthropic:m"],
        "origin": [None, "compaction"],
        "role": list(Role),
    }
    for values in product(*choices.values()):
        turn = Turn(id="1", **dict(zip(choices, values, strict=True)))
        assert decode_turn(encode_turn(turn)) == turn


@pytest.mark.requirement("C063", "P17", "L1")
@given(turns())
def test_whatever_is_in_it_a_turn_reads_back_equal(turn: Turn) -> None:
    back = decode_turn(encode_turn(turn))
    assert back == turn
    assert [type(artifact) for artifact in back.artifacts] == [type(artifact) for artifact in turn.artifacts]
    assert encode_turn(back) == encode_turn(turn)


@pytest.mark.requirement("C064")
@pytest.mark.parametrize("rest", [b"", b',"artifacts":null', b',"artifacts":[]'])
def test_a_turn_without_artifacts_loads_with_none(rest: bytes) -> None:
    stored = b'{"id":"1","parent_id":"0","role":"tool","model":"m"' + rest + b"}"
    assert decode_turn(stored) == Turn(id="1", parent_id="0", role=Role.TOOL, model="m")


@pytest.mark.requirement("D-legacy-turns", "K24", "N18")
def test_a_turn_of_the_original_is_read() -> None:
    stored = b"""{"id":"1","role":"assistant","metadata":{"control":"stop"},"timestamp":"2026-01-01T13:00:00+01:00",
        "artifacts":[{"kind":"text","data":{"kind":"text","content":"hi"}},
                     {"kind":"tool_call","data":{"kind":"tool_call","id":"c","name":"f","arguments":"{}"}}]}"""
    assert decode_turn(stored) == Turn(
        id="1",
        role=Role.ASSISTANT,
        artifacts=(Text(content="hi"), ToolCall(id="c", name="f", arguments="{}")),
        timestamp=NOON,
        control=Control.STOP,
    )


@pytest.mark.requirement("D-legacy-turns")
@pytest.mark.parametrize(
    ("stored", "turn"),
    [
        (b'{"role":"user","timestamp":"0001-01-01T00:00:00Z"}', Turn(id="", role=Role.USER)),
        (b'{"role":"user","parent_id":"","metadata":{"control":""}}', Turn(id="", role=Role.USER)),
        (b'{"role":"user","metadata":null}', Turn(id="", role=Role.USER)),
        (b'{"role":"user","metadata":{"other":1}}', Turn(id="", role=Role.USER)),
        (b'{"role":"user","metadata":{"control":"skip"}}', Turn(id="", role=Role.USER, control=Control.SKIP)),
        (
            b'{"role":"user","timestamp":"2026-01-01T12:00:00.123456789Z"}',
            Turn(id="", role=Role.USER, timestamp=NOON.replace(microsecond=123457)),
        ),
    ],
)
def test_what_older_versions_left_empty_is_empty(stored: bytes, turn: Turn) -> None:
    """A zero time was written as the year 1, ids did not exist."""
    assert decode_turn(stored) == turn


@pytest.mark.requirement("D-legacy-turns")
@given(turns())
def test_a_turn_is_read_whether_its_artifacts_are_flat_or_enveloped(turn: Turn) -> None:
    known = tuple(artifact for artifact in turn.artifacts if not artifact.kind.startswith("x_"))
    turn = msgspec.structs.replace(turn, artifacts=known)
    fields = msgspec.json.decode(encode_turn(turn), type=dict[str, msgspec.Raw])
    enveloped = [{"kind": artifact.kind, "data": msgspec.Raw(encode(artifact))} for artifact in turn.artifacts]
    assert decode_turn(msgspec.json.encode(fields | {"artifacts": enveloped})) == turn


@pytest.mark.parametrize(
    "stored",
    [
        b"",
        b"null",
        b"{}",
        b'{"role":"robot"}',
        b'{"role":"user","control":"jump"}',
        b'{"role":"user","metadata":{"control":"jump"}}',
        b'{"role":"user","artifacts":[{"content":"no kind"}]}',
        b'{"role":"user","artifacts":[1]}',
        b'{"role":"user","timestamp":"yesterday"}',
    ],
)
def test_what_is_no_turn_is_a_value_error(stored: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode_turn(stored)


@given(artifacts())
def test_the_calls_of_a_turn_are_its_tool_calls_in_order(artifact: Artifact) -> None:
    one, other = ToolCall(id="1", name="f", arguments=""), ToolCall(id="1", name="g", arguments="")
    turn = Turn(id="t", role=Role.ASSISTANT, artifacts=(one, artifact, other))
    assert list(turn.calls) == [one, *([artifact] if isinstance(artifact, ToolCall) else []), other]


def test_turns_are_compared_by_value() -> None:
    parts = (Text(content="a"), Image(data=b"x"), ToolResult(tool_call_id="1", content=""), Usage(total_tokens=1))
    assert Turn(id="1", role=Role.USER, artifacts=parts) == Turn(id="1", role=Role.USER, artifacts=parts)
    assert Turn(id="1", role=Role.USER) != Turn(id="2", role=Role.USER)
