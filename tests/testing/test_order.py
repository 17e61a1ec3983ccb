"""The checker of a session's order: what it lets pass, and what it finds."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest

from ore.artifact import Notice, StopReason, Text, TextDelta, ToolCall, ToolResult, Usage
from ore.event import Entry, ErrorEvent, EventContext, Gap, Lifecycle, Properties, Snapshot, TurnComplete, TurnRestarted
from ore.ledger import Operation, Outcome, Role, Turn
from ore.testing import OrderChecker, check_order

STOP = StopReason(reason="stop")
CALL = ToolCall(id="c", name="f", arguments="{}")
RESULT = ToolResult(tool_call_id="c", content="42")
FAILED = ErrorEvent(code="timeout", message="too slow", retryable=True)


class Story:
    """Events in the making."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def tell(self, event: Any, **envelope: Any) -> "Story":
        envelope = {"message": "m", "provenance": "http", **envelope}
        number = len(self.entries) + 1
        self.entries.append(Entry(1, number, event.kind, EventContext(**envelope), event))
        return self

    def phase(self, *phases: str, **envelope: Any) -> "Story":
        for phase in phases:
            self.tell(Lifecycle(phase=phase), **envelope)  # type: ignore[arg-type]  # a phase
        return self

    def turn(self, role: Role, *artifacts: Any, **envelope: Any) -> "Story":
        id = f"{len(self.entries):016}"
        return self.tell(TurnComplete(turn=Turn(id=id, role=role, artifacts=artifacts)), **envelope)

    def block(self, name: str, *pieces: str, **envelope: Any) -> "Story":
        for piece in pieces:
            self.tell(TextDelta(content=piece), block=name, **envelope)
        return self.tell(Text(content="".join(pieces)), block=name, **envelope)

    def done(self, outcome: Outcome = Outcome.DONE, **envelope: Any) -> "Story":
        return self.tell(Lifecycle(phase="done", outcome=outcome), **envelope)


def begun() -> Story:
    """Its user turn, and an inference that has begun to stream."""
    return Story().turn(Role.USER, Text(content="hi")).phase("submitted", "streaming")


def told() -> Story:
    """The same, with one block."""
    return begun().block("b1", "Hel", "lo")


def whole() -> Story:
    """The same, with its turn."""
    return told().tell(STOP).turn(Role.ASSISTANT, Text(content="Hello"), STOP)


GOOD: dict[str, Story] = {
    "plain": whole().done(),
    "queued": Story().phase("queued").turn(Role.USER).phase("submitted").tell(FAILED).done(Outcome.FAILED),
    "tools": begun()
    .tell(CALL, block="b1")
    .turn(Role.ASSISTANT, CALL)
    .tell(Text(content="a picture of it"), path=("t:0",))
    .tell(RESULT, path=("t:0",))
    .turn(Role.TOOL, RESULT)
    .phase("submitted", "streaming")
    .block("b2", "42")
    .turn(Role.ASSISTANT, Text(content="42"))
    .done(),
    "a fact that a call set": begun()
    .tell(CALL, block="b1")
    .turn(Role.ASSISTANT, CALL)
    .tell(RESULT, path=("t:0",))
    .tell(Properties(operations=(Operation(op="set", key="ore.title", value="x"),)), path=("t:0",))
    .turn(Role.TOOL, RESULT)
    .phase("submitted", "streaming")
    .turn(Role.ASSISTANT)
    .done(),
    "results of calls that never ran": begun()
    .tell(CALL, block="b1")
    .turn(Role.ASSISTANT, CALL)
    .turn(Role.TOOL, RESULT)
    .phase("cancelled")
    .done(Outcome.CANCELLED),
    "cut with half a call": begun()
    .block("b1", "x")
    .turn(Role.ASSISTANT, Text(content="x"))
    .phase("cancelled")
    .done(Outcome.CANCELLED),
    "restarted": begun()
    .tell(TextDelta(content="Hel"), block="b1")
    .tell(TurnRestarted(attempt=2), attempt=2)
    .block("b2", "Hello", attempt=2)
    .turn(Role.ASSISTANT, Text(content="Hello"))
    .done(),
    "failed after its turn": told().turn(Role.ASSISTANT, Text(content="Hello")).tell(FAILED).done(Outcome.FAILED),
    "cleared": Story().phase("queued").done(Outcome.CLEARED),
    "closed": Story().phase("queued").done(Outcome.CLOSED),
    "used up by an interceptor": Story().tell(Notice(content="understood")).done(),
    "rejected and asked again": whole()
    .turn(Role.USER, Text(content="that was no JSON"))
    .phase("submitted", "streaming")
    .block("b2", "{}")
    .turn(Role.ASSISTANT, Text(content="{}"))
    .done(),
    "a reader that was late": begun()
    .tell(Text(content="Hello"), block="b1")
    .turn(Role.ASSISTANT, Text(content="Hello"))
    .done(),
    "outside any message": Story().turn(Role.USER, message=None).tell(Notice(content="x"), message=None),
    "notices anywhere": Story()
    .tell(Notice(content="x"))
    .turn(Role.USER)
    .phase("submitted")
    .tell(Notice(content="x"))
    .phase("streaming")
    .tell(Usage())
    .tell(Notice(content="x"))
    .turn(Role.ASSISTANT, Usage())
    .done(),
}

BAD: dict[str, tuple[Story, str]] = {
    "after done": (whole().done().tell(Notice(content="late")), "after its done"),
    "done twice": (whole().done().done(), "after its done"),
    "no done": (whole(), "expected one done"),
    "an outcome too early": (
        begun().tell(Lifecycle(phase="cancelled", outcome=Outcome.DONE)),
        "outcome belongs to done",
    ),
    "done without an outcome": (whole().phase("done"), "outcome belongs to done"),
    "queued late": (Story().turn(Role.USER).phase("queued"), "queued comes first"),
    "submitted before its user turn": (Story().phase("submitted"), "after the message's user turn"),
    "streaming twice": (begun().phase("streaming"), "once for each submitted"),
    "a fragment before streaming": (
        Story().turn(Role.USER).phase("submitted").tell(TextDelta(content="x"), block="b"),
        "before streaming",
    ),
    "an artifact before streaming": (Story().turn(Role.USER).phase("submitted").tell(STOP), "before streaming"),
    "a fragment before submitted": (
        Story().turn(Role.USER).tell(TextDelta(content="x"), block="b"),
        "without submitted",
    ),
    "a fragment after its turn": (whole().tell(TextDelta(content="x"), block="b2"), "after its turn"),
    "a fragment after its block": (told().tell(TextDelta(content="!"), block="b1"), "closed"),
    "a block twice": (told().tell(Text(content="Hello"), block="b1"), "closed"),
    "a block that became something else": (
        begun().tell(TextDelta(content="Hi"), block="b1").tell(Text(content="Hello"), block="b1"),
        "showed 'Hi'",
    ),
    "a turn that holds less": (told().turn(Role.ASSISTANT), "holds what was told"),
    "a turn that holds more": (told().turn(Role.ASSISTANT, Text(content="Hello"), STOP), "holds what was told"),
    "a dropped block in the turn": (
        told().tell(TurnRestarted(attempt=2), attempt=2).turn(Role.ASSISTANT, Text(content="Hello")),
        "holds what was told",
    ),
    "a dropped block goes on": (
        begun()
        .tell(TextDelta(content="x"), block="b1")
        .tell(TurnRestarted(attempt=2), attempt=2)
        .tell(TextDelta(content="x"), block="b1", attempt=2),
        "closed",
    ),
    "another attempt": (begun().tell(TextDelta(content="x"), block="b1", attempt=2), "attempt"),
    "submitted before the turn": (told().phase("submitted"), "before the turn"),
    "two errors": (begun().tell(FAILED).tell(FAILED), "at most one error"),
    "an error and done": (begun().tell(FAILED).done(), "with 1 error"),
    "failed without an error": (whole().done(Outcome.FAILED), "with 0 error"),
    "cancelled without saying so": (whole().done(Outcome.CANCELLED), "phase before done"),
    "cancelled and done": (whole().phase("cancelled").done(), "phase before done"),
    "cancelled and on": (whole().phase("cancelled", "submitted"), "after cancelled comes done"),
    "cleared though it began": (begun().done(Outcome.CLEARED), "began"),
    "a result in no turn": (whole().tell(RESULT, path=("t:0",)).done(), "stands in no turn"),
    "a result that its turn lacks": (whole().tell(RESULT, path=("t:0",)).turn(Role.TOOL), "missing"),
    "a result after its turn": (whole().turn(Role.TOOL, RESULT).tell(RESULT, path=("t:0",)).done(), "in no turn"),
    "another provenance": (begun().tell(STOP, provenance="tui"), "provenance is the same"),
    "a lost thread": (begun().tell(STOP, thread_id="t"), "thread_id is the same"),
}


@pytest.mark.requirement("D-order-checker")
@pytest.mark.parametrize("story", GOOD.values(), ids=GOOD)
def test_what_is_in_order_passes(story: Story) -> None:
    check_order(story.entries)


@pytest.mark.requirement("D-order-checker")
@pytest.mark.parametrize(("story", "says"), BAD.values(), ids=BAD)
def test_what_is_out_of_order_is_found_and_said(story: Story, says: str) -> None:
    with pytest.raises(AssertionError, match=says):
        check_order(story.entries)


def test_the_fault_is_shown_with_what_the_message_told_before_it() -> None:
    with pytest.raises(AssertionError) as caught:
        check_order(begun().tell(FAILED).tell(FAILED).entries)
    first, *shown = str(caught.value).splitlines()
    assert first == "at 1-5 (m): a message has at most one error"
    assert [line.split()[0] for line in shown] == ["1-1", "1-2", "1-3", "1-4", "1-5"]


@pytest.mark.requirement("D-ids")
@pytest.mark.parametrize("place", [(1, 1), (1, 2), (0, 9)])
def test_ids_that_do_not_rise_are_found(place: tuple[int, int]) -> None:
    entries = [Entry(1, 2, "notice", EventContext(), Notice(content="a"))]
    entries.append(Entry(*place, "notice", EventContext(), Notice(content="b")))
    with pytest.raises(AssertionError, match="ids rise"):
        check_order(entries)


def test_messages_may_take_turns() -> None:
    """One steers into another: each keeps its own order."""
    story = (
        begun().turn(Role.USER, message="m2", provenance="tui").block("b1", "x").turn(Role.ASSISTANT, Text(content="x"))
    )
    story.done(message="m2", provenance="tui").done()
    check_order(story.entries)


def test_a_message_that_an_earlier_process_began_need_not_tell_its_user_turn() -> None:
    story = Story().phase("submitted").tell(FAILED).done(Outcome.FAILED)
    check_order(story.entries, resumed=["m"])
    with pytest.raises(AssertionError):
        check_order(story.entries)


def test_inside_a_call_another_inference_has_an_order_of_its_own() -> None:
    inside = {"path": ("t:0",)}
    story = begun().tell(CALL, block="b1").turn(Role.ASSISTANT, CALL)
    story.phase("submitted", "streaming", **inside).block("c1", "42", **inside).turn(
        Role.ASSISTANT, Text(content="42"), **inside
    )
    story.tell(RESULT, path=("t:0",)).turn(Role.TOOL, RESULT).done()
    check_order(story.entries)


def cut(entries: Sequence[Entry], first: int, last: int) -> list[Entry]:
    """A reader that missed some of it got one gap."""
    at = entries[last - 1]
    gap = Gap(snapshot=Snapshot(id=at.id))
    return [*entries[:first], Entry(at.epoch, at.number, "gap", EventContext(), gap), *entries[last:]]


@pytest.mark.parametrize("name", ["plain", "tools", "restarted", "failed after its turn"])
def test_behind_a_gap_only_what_can_still_be_known_is_checked(name: str) -> None:
    entries = GOOD[name].entries
    for first in range(len(entries)):
        for last in range(first + 1, len(entries) - 1):
            check_order(cut(entries, first, last))
    with pytest.raises(AssertionError, match="after its done"):
        check_order([*cut(entries, 1, 3), msgspec.structs.replace(entries[-1], number=99)])


def test_a_checker_can_be_fed_while_the_session_goes_on() -> None:
    checker = OrderChecker()
    checks: list[Callable[[], None]] = [checker.close]
    for entry in whole().entries:
        checker.feed(entry)
    with pytest.raises(AssertionError, match="one done"):
        checks[0]()
    checker.feed(whole().done().entries[-1])
    checks[0]()
