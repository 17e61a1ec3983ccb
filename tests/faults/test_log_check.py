"""The checker of logs finds what a crash, a second owner or a second run could have left."""

from collections.abc import Sequence

import pytest

from ore.artifact import ResultStatus, Text, ToolCall, ToolResult
from ore.ledger import (
    Control,
    ControlRecord,
    EffectRecord,
    EndingRecord,
    Outcome,
    QuestionRecord,
    QuestionStatus,
    Record,
    Role,
    TakenRecord,
    TipRecord,
    Turn,
    TurnRecord,
)
from ore.testing.log_check import Row, check_log, check_world


def said(id: str, parent: str | None = None, message: str | None = "m") -> TurnRecord:
    return TurnRecord(
        turn=Turn(id=id, parent_id=parent, role=Role.USER, artifacts=(Text(content=id),)), message=message
    )


def asked(id: str, parent: str | None, *calls: str) -> TurnRecord:
    made = tuple(ToolCall(id=call, name="note", arguments="{}") for call in calls)
    return TurnRecord(turn=Turn(id=id, parent_id=parent, role=Role.ASSISTANT, artifacts=made), message="m")


def told(id: str, parent: str | None, *results: ToolResult) -> TurnRecord:
    return TurnRecord(turn=Turn(id=id, parent_id=parent, role=Role.TOOL, artifacts=results), message="m")


def result(id: str, content: str = "ok") -> ToolResult:
    return ToolResult(tool_call_id=id, content=content, status=ResultStatus.OK)


def started(key: str, *, idempotent: bool = False) -> EffectRecord:
    return EffectRecord(key=key, idempotent=idempotent)


def finished(key: str, what: ToolResult) -> EffectRecord:
    return EffectRecord(key=key, result=what)


def question(status: QuestionStatus) -> QuestionRecord:
    return QuestionRecord(key="a:0", status=status)


TAKEN = TakenRecord(message="m")
ENDED = EndingRecord(message="m", outcome=Outcome.DONE, turn="u")
OPEN, ANSWERED = question(QuestionStatus.OPEN), question(QuestionStatus.ANSWERED)
BEGUN = (said("u"), TAKEN)
WORKING = (*BEGUN, asked("a", "u", "x", "y"), started("a:0"), started("a:1", idempotent=True))


def rows(*records: Record, epoch: int = 1) -> list[Row]:
    return [(number, epoch, record) for number, record in enumerate(records, start=1)]


SOUND: Sequence[Sequence[Record]] = (
    (),
    (*BEGUN, ENDED),
    (*WORKING, finished("a:0", result("x")), told("t", "a", result("x"), result("y")), ENDED),
    (*BEGUN, asked("a", "u", "x"), OPEN, ANSWERED, started("a:0"), told("t", "a", result("x")), ENDED),
    (*BEGUN, ENDED, TipRecord(turn_id=None), said("v", None, None)),
    (EndingRecord(message="m", outcome=Outcome.CLEARED),),
)

UNSOUND = [
    pytest.param((said("u"), said("u", "u")), id="a turn twice"),
    pytest.param((said("u"), said("v", None)), id="a turn beside the tip"),
    pytest.param((*BEGUN, TAKEN), id="taken twice"),
    pytest.param((*BEGUN, ENDED, ENDED), id="ended twice"),
    pytest.param((*BEGUN, ENDED, said("v", "u")), id="a turn after the ending"),
    pytest.param((*BEGUN, ENDED, TAKEN), id="taken after the ending"),
    pytest.param((*BEGUN, EndingRecord(message="m", outcome=Outcome.DONE, turn="w")), id="an ending with no such turn"),
    pytest.param((*WORKING, started("a:0")), id="started twice"),
    pytest.param((*WORKING, *[finished("a:0", result("x"))] * 2), id="finished twice"),
    pytest.param((*WORKING, finished("a:0", result("x")), started("a:0")), id="started after it finished"),
    pytest.param((*WORKING, finished("b:0", result("x"))), id="an effect of no call"),
    pytest.param((*WORKING, told("t", "a", result("x"))), id="one of two answered"),
    pytest.param((*WORKING, told("t", "a", result("y"), result("x"))), id="answered in another order"),
    pytest.param((*WORKING, *[told(id, "a", result("x"), result("y")) for id in "tu"]), id="answered twice"),
    pytest.param(
        (*WORKING, finished("a:0", result("x", "real")), told("t", "a", result("x", "made up"), result("y"))),
        id="a real result that was replaced",
    ),
    pytest.param((*BEGUN, told("t", "u", result("x"))), id="results of no call"),
    pytest.param((ANSWERED,), id="an answer to no question"),
    pytest.param((OPEN, ANSWERED, ANSWERED), id="answered twice over"),
    pytest.param((OPEN, OPEN), id="asked twice"),
    pytest.param((TipRecord(turn_id="w"),), id="a tip that is nowhere"),
]

LEFT_OPEN = [
    pytest.param(BEGUN, id="a message"),
    pytest.param((*WORKING, EndingRecord(message="m", outcome=Outcome.DONE)), id="calls"),
    pytest.param((OPEN,), id="a question"),
    pytest.param(
        (said("u", None, None), ControlRecord(turn_id="u", control=Control.CONTINUE), asked("a", "u", "x")),
        id="a call of no message",
    ),
]


@pytest.mark.parametrize("records", SOUND)
def test_a_sound_log_passes(records: Sequence[Record]) -> None:
    check_log(rows(*records))


@pytest.mark.parametrize("records", UNSOUND)
def test_what_no_log_may_hold_is_found(records: Sequence[Record]) -> None:
    with pytest.raises(AssertionError):
        check_log(rows(*records), at_rest=False)


@pytest.mark.parametrize("records", LEFT_OPEN)
def test_at_rest_nothing_is_open(records: Sequence[Record]) -> None:
    check_log(rows(*records), at_rest=False)
    with pytest.raises(AssertionError):
        check_log(rows(*records))


@pytest.mark.parametrize(
    ("numbers", "epochs"), [((1, 3), (1, 1)), ((2, 3), (1, 1)), ((1, 1), (1, 1)), ((1, 2), (2, 1))]
)
def test_numbers_are_dense_and_epochs_never_fall(numbers: tuple[int, int], epochs: tuple[int, int]) -> None:
    log = list(zip(numbers, epochs, BEGUN, strict=True))
    with pytest.raises(AssertionError):
        check_log(log, at_rest=False)


@pytest.mark.parametrize(
    "runs",
    [
        pytest.param({"a:0": 1}, id="a success that never happened"),
        pytest.param({"a:0": 2, "a:1": 1}, id="not idempotent, and run twice"),
        pytest.param({"a:0": 1, "a:1": 2}, id="idempotent, but run again in the same epoch"),
        pytest.param({"a:0": 1, "a:1": 1, "b:0": 1}, id="an effect of no call"),
    ],
)
def test_the_world_has_to_agree(runs: dict[str, int]) -> None:
    reading = check_log(rows(*WORKING, told("t", "a", result("x"), result("y")), ENDED))
    check_world(reading, {"a:0": 1, "a:1": 1})
    with pytest.raises(AssertionError):
        check_world(reading, runs)


def test_an_idempotent_call_may_run_once_in_each_epoch_until_it_has_finished() -> None:
    log = rows(*WORKING, finished("a:0", result("x")))
    log += [(7, 3, finished("a:1", result("y"))), (8, 4, told("t", "a", result("x"), result("y"))), (9, 4, ENDED)]
    reading = check_log(log)
    check_world(reading, {"a:0": 1, "a:1": 3})
    with pytest.raises(AssertionError):
        check_world(reading, {"a:0": 1, "a:1": 4})
