"""What an event looks like outside the process: one flat JSON object with `kind` and `context`."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.artifact import Artifact, Notice, Severity, StopReason, Text, TextDelta, ToolCallDelta, ToolResult, Unknown
from ore.errors import RateLimitError, describe
from ore.event import (
    Activity,
    Answer,
    Entry,
    ErrorEvent,
    Event,
    EventContext,
    Gap,
    Lifecycle,
    LiveBlock,
    Properties,
    Question,
    SessionSwitch,
    Snapshot,
    TurnComplete,
    TurnRestarted,
    snapshot_json,
)
from ore.ledger import Operation, Outcome, Role, Turn
from ore.loop import EventBus
from ore.testing import Recorder
from strategies import artifacts, deltas, turns

TURN = Turn(id="a" * 16, role=Role.USER, artifacts=(Text(content="hi"),), timestamp=datetime(2026, 1, 2, tzinfo=UTC))
UNKNOWN = Unknown(name="x_poll", raw=b'{"kind":"x_poll", "a":  1}')


class Deployed(Event, frozen=True, kw_only=True, tag="deployed"):
    """A kind that a third party added."""

    place: str


def shown(event: Event | Artifact, context: EventContext | None = None) -> dict[str, Any]:
    """The event's JSON, once it went through a bus."""
    bus = EventBus()
    seen = Recorder(bus)
    bus.emit(event, context=context)
    [entry] = seen.entries
    assert b"\n" not in entry.json
    found: dict[str, Any] = json.loads(entry.json)
    return found


def body(event: Event | Artifact) -> dict[str, Any]:
    """The same without the envelope."""
    found = shown(event)
    assert found.pop("context") == {"id": "1-1"}
    return found


@pytest.mark.requirement("C137", "D-event-shapes")
@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (
            TurnComplete(turn=TURN),
            {
                "kind": "turn_complete",
                "turn": {
                    "id": "a" * 16,
                    "parent_id": None,
                    "role": "user",
                    "artifacts": [{"kind": "text", "content": "hi", "provider_data": None}],
                    "timestamp": "2026-01-02T00:00:00Z",
                    "status": "complete",
                    "control": "continue",
                    "model": None,
                    "origin": None,
                },
            },
        ),
        (TurnRestarted(attempt=2), {"kind": "turn_restarted", "attempt": 2}),
        (Lifecycle(phase="submitted"), {"kind": "lifecycle", "phase": "submitted"}),
        (
            Lifecycle(phase="done", outcome=Outcome.CANCELLED),
            {"kind": "lifecycle", "phase": "done", "outcome": "cancelled"},
        ),
        (
            Lifecycle(phase="done", outcome=Outcome.CLEARED, content=(Text(content="later"),)),
            {
                "kind": "lifecycle",
                "phase": "done",
                "outcome": "cleared",
                "content": [{"kind": "text", "content": "later", "provider_data": None}],
            },
        ),
        (
            ErrorEvent.of(describe(RateLimitError("slow down", provider="p", retry_after_s=2.0))),
            {
                "kind": "error",
                "code": "rate_limit",
                "message": "slow down",
                "retryable": True,
                "retry_after_s": 2.0,
                "provider": "p",
            },
        ),
        (
            ErrorEvent.of(describe(ValueError("boom"))),
            {"kind": "error", "code": "error", "message": "boom", "retryable": False},
        ),
        (
            Properties(operations=(Operation(op="set", key="a", value=""), Operation(op="delete", key="b"))),
            {
                "kind": "properties",
                "operations": [{"op": "set", "key": "a", "value": ""}, {"op": "delete", "key": "b", "value": None}],
            },
        ),
        (
            Activity(id="t:0", active=True, description="reads"),
            {"kind": "activity", "id": "t:0", "active": True, "description": "reads"},
        ),
        (
            Question(key="t:0", purpose="approval", tool="rm", call_key="t:0", arguments="{}"),
            {
                "kind": "question",
                "key": "t:0",
                "purpose": "approval",
                "tool": "rm",
                "call_key": "t:0",
                "arguments": "{}",
            },
        ),
        (Answer(key="t:0", decision="deny"), {"kind": "answer", "key": "t:0", "decision": "deny"}),
        (SessionSwitch(session_id="s"), {"kind": "session_switch", "session_id": "s"}),
        (Deployed(place="prod"), {"kind": "deployed", "place": "prod"}),
    ],
)
def test_each_event_is_its_kind_and_its_fields(event: Event, expected: Mapping[str, Any]) -> None:
    assert body(event) == expected


@pytest.mark.requirement("C138")
@given(artifacts() | deltas())
def test_an_artifact_s_event_is_the_artifact_with_an_envelope(artifact: Artifact) -> None:
    found = body(artifact)
    assert found["kind"] == artifact.kind
    if not isinstance(artifact, Unknown):
        assert msgspec.convert(found, type(artifact)) == artifact


@pytest.mark.requirement("C139", "K18", "D-envelope")
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "message": st.text(),
            "provenance": st.text(),
            "thread_id": st.text(),
            "traceparent": st.text(),
            "path": st.lists(st.text(), min_size=1).map(tuple),
            "attempt": st.integers(2, 9),
            "block": st.text(),
        },
    )
)
def test_each_field_of_the_envelope_is_there_when_it_is_set_whatever_the_others_are(fields: dict[str, Any]) -> None:
    expected = {"id": "1-1", **{name: list(v) if name == "path" else v for name, v in fields.items()}}
    for event in (Lifecycle(phase="submitted"), TextDelta(content="x"), Deployed(place="p")):
        assert shown(event, EventContext(**fields))["context"] == expected


@pytest.mark.requirement("C141")
@pytest.mark.parametrize(
    ("severity", "expected"),
    [
        (Severity.SUCCESS, "success"),
        (Severity.INFO, "info"),
        (Severity.WARN, "warn"),
        (Severity.ERROR, "error"),
        (Severity("Warn"), "warn"),
        (Severity("of unknown loudness"), "info"),
    ],
)
def test_a_notice_says_how_loud_it_is(severity: Severity, expected: str) -> None:
    assert body(Notice(content="note", severity=severity)) == {
        "kind": "notice",
        "content": "note",
        "severity": expected,
    }


@given(turns())
def test_any_turn_makes_an_event_that_is_json(turn: Turn) -> None:
    assert body(TurnComplete(turn=turn))["turn"]["id"] == turn.id


def test_kinds_that_nobody_registered_keep_their_fields_wherever_they_stand() -> None:
    expected = {"kind": "x_poll", "a": 1}
    turn = msgspec.structs.replace(TURN, artifacts=(UNKNOWN,))
    snapshot = Snapshot(id="1-1", turns=[turn], blocks=[LiveBlock(block="b", artifact=UNKNOWN)])

    assert body(UNKNOWN) == expected
    assert body(TurnComplete(turn=turn))["turn"]["artifacts"] == [expected]
    assert body(Lifecycle(phase="done", outcome=Outcome.CLEARED, content=(UNKNOWN,)))["content"] == [expected]
    assert json.loads(snapshot_json(snapshot))["turns"][0]["artifacts"] == [expected]
    assert [block["artifact"] for block in body(Gap(snapshot=snapshot))["snapshot"]["blocks"]] == [expected]


def test_the_queue_in_a_snapshot_holds_artifacts_too() -> None:
    snapshot = Snapshot(id="1-1", queue=[{"id": "m", "content": (Text(content="hi"), UNKNOWN)}])
    [item] = json.loads(snapshot_json(snapshot))["queue"]
    assert item["content"] == [{"kind": "text", "content": "hi", "provider_data": None}, {"kind": "x_poll", "a": 1}]


def test_lone_surrogates_break_no_event() -> None:
    """A model's broken escapes reach the screen as replacements, not as an error."""
    assert body(TextDelta(content="a\ud800b"))["content"] == "a�b"
    assert body(ErrorEvent(code="error", message="\udfff", retryable=False))["message"] == "�"
    assert shown(Text(content="x"), EventContext(provenance="\ud800"))["context"]["provenance"] == "�"


def test_an_entry_s_json_names_its_place() -> None:
    entry = Entry(3, 17, "stop_reason", EventContext(block="b"), StopReason(reason="stop"))
    assert (entry.id, entry.artifact) == ("3-17", StopReason(reason="stop"))
    assert json.loads(entry.json)["context"] == {"id": "3-17", "block": "b"}


@pytest.mark.parametrize("field", ["kind", "context"])
def test_an_event_with_a_field_that_the_envelope_needs_is_refused_when_it_is_defined(field: str) -> None:
    with pytest.raises(ValueError, match=field):
        type("Clash", (Event,), {"__annotations__": {field: str}}, frozen=True, kw_only=True, tag="clash")


def test_fragments_of_calls_keep_every_field() -> None:
    assert body(ToolCallDelta(index=0, id="c", name="n", arguments="{")) == {
        "kind": "tool_call_delta",
        "index": 0,
        "id": "c",
        "name": "n",
        "arguments": "{",
    }
    assert body(ToolResult(tool_call_id="c", content="ok"))["is_error"] is False


def test_a_context_inside_a_call_names_the_calls_around_it_from_the_outermost_inwards() -> None:
    context = EventContext(thread_id="t", message="m")
    inner = context.inside("t1/0").inside("t2/1")
    assert (inner.path, inner.thread_id, inner.message) == (("t1/0", "t2/1"), "t", "m")
    assert context.path is None
