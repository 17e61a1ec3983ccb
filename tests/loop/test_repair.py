"""Calls that never got a result get one that says why."""

import pytest

from ore.artifact import Text, ToolCall, ToolResult
from ore.ledger import EffectRecord, Role, Thread
from ore.loop import CANCELLED, LOST, UNKNOWN, is_reported, mark_reported, results_for

CALLS = [ToolCall(id="same", name="f", arguments=str(place)) for place in range(3)]


@pytest.mark.requirement("L6", "D-cut-turns")
def test_each_open_call_gets_what_is_known_of_it_in_call_order() -> None:
    state = Thread()
    turn = state.add(Role.ASSISTANT, Text(content="x"), *CALLS)
    done = ToolResult(tool_call_id="same", content="42")
    effects = {
        f"{turn.id}:0": EffectRecord(key=f"{turn.id}:0"),
        f"{turn.id}:2": EffectRecord(key=f"{turn.id}:2", result=done),
        "another turn's:1": EffectRecord(key="another turn's:1", result=done),
    }
    assert results_for(state.turns, LOST, effects) == [UNKNOWN.result(CALLS[0]), LOST.result(CALLS[1]), done]
    assert results_for(state.turns, CANCELLED) == [CANCELLED.result(call) for call in CALLS]


@pytest.mark.requirement("L6")
def test_a_history_that_is_whole_needs_nothing() -> None:
    state = Thread()
    assert results_for(state.turns, LOST) == []
    state.add(Role.ASSISTANT, *CALLS)
    state.add(Role.TOOL, *(LOST.result(call) for call in CALLS))
    assert results_for(state.turns, LOST) == []
    state.add(Role.USER, Text(content="hi"))
    assert results_for(state.turns, LOST) == []


def test_what_stands_for_a_result_is_an_error() -> None:
    results = [reason.result(CALLS[0]) for reason in (CANCELLED, LOST, UNKNOWN)]
    assert [result.is_error for result in results] == [True] * 3
    assert [result.status for result in results] == ["cancelled", "error", "unknown"]


@pytest.mark.requirement("K8", "N11")
def test_a_failure_is_told_once_for_a_message_whoever_wraps_it() -> None:
    cause, error = LookupError("x"), RuntimeError("y")
    mark_reported(cause, "m1")
    error.__cause__ = cause
    cause.__cause__ = error  # a knot hangs nobody
    assert (is_reported(error, "m1"), is_reported(error, "m2"), is_reported(LookupError("x"), "m1")) == (
        True,
        False,
        False,
    )


class Slotted(Exception):
    """It takes no mark."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(name)


def test_a_failure_that_takes_no_mark_breaks_nothing() -> None:
    error = Slotted("x")
    mark_reported(error, None)
    assert not is_reported(error, None)
