"""`MessageOrder`: what holds for the events of one message."""

from ore.artifact import Artifact, ToolResult
from ore.event import Entry, ErrorEvent, Lifecycle, Properties, TurnComplete
from ore.ledger import Outcome, Role
from ore.testing.round_order import RoundOrder

__all__ = ["MessageOrder"]

_LEFT = ("store", "session_owned", "fenced")
"""Codes of failures that end no message: it goes on at the next attach, or elsewhere."""

_NEVER_BEGAN = (Outcome.CLEARED, Outcome.CLOSED)


class MessageOrder:
    """Follows one message from its first event to its `done`.

    Args:
        id: The message's id; `None` stands for what happens outside any, where
            only the order within an inference is checked.
        resumed: Whether it began before the first event that is seen.
    """

    def __init__(self, id: str | None, *, resumed: bool) -> None:
        self._id = id
        self._resumed = resumed
        self._first: Entry | None = None
        self._base: tuple[str, ...] | None = None
        self._rounds: dict[tuple[str, ...], RoundOrder] = {}
        self._results: dict[tuple[str, ...], list[Artifact]] = {}
        self._over: set[tuple[str, ...]] = set()
        self._phases: list[str] = []
        self._errors = 0
        self._left = False
        self._user_turn = False
        self._done = False

    def forget(self) -> None:
        """Events are missing: no longer insist on what may have been among them."""
        self._resumed = True
        self._rounds.clear()
        self._results.clear()

    def next(self, entry: Entry) -> str:
        """What is wrong with the next event; empty when nothing is."""
        if self._done:
            return f"nothing of a message comes after its done, but {entry.kind} did"
        first = self._first = self._first or entry
        path = entry.context.path or ()
        self._base = path if self._base is None or len(path) < len(self._base) else self._base
        named = self._id is not None
        fault = _envelope(first, entry) if named else ""
        if not fault and named and path == self._base:
            fault = self._message(entry)
        depth = len(path) - len(self._base) - isinstance(entry.event, ToolResult)
        if named and depth > 0:  # by a tool, or an agent inside a call, whose turns and phases are not told here
            return fault or self._inside(path, entry)
        return fault or self._results_of(path, entry) or self._round(path, entry)

    def unfinished(self) -> str:
        """What is missing now that the session is at rest; empty when nothing is."""
        if self._id is None or self._first is None or self._done or self._left:
            return ""
        return "expected one done, got none"

    def _message(self, entry: Entry) -> str:
        event = entry.event
        if isinstance(event, Lifecycle):
            return self._phase(event)
        if isinstance(event, TurnComplete):
            self._user_turn = self._user_turn or event.turn.role is Role.USER
        if isinstance(event, ErrorEvent):
            self._errors += 1
            self._left = event.code in _LEFT
            if self._errors > 1:
                return "a message has at most one error"
        return ""

    def _phase(self, event: Lifecycle) -> str:
        phase = event.phase
        before, self._phases = self._phases, [*self._phases, phase]
        if (event.outcome is not None) != (phase == "done"):
            return f"an outcome belongs to done, and only there; got {phase} with {event.outcome}"
        if phase == "queued" and (before or self._user_turn):
            return "queued comes first"
        if "cancelled" in before and phase != "done":
            return f"after cancelled comes done, not {phase}"
        if phase == "submitted" and not self._user_turn and not self._resumed:
            return "submitted comes after the message's user turn"
        if phase == "done":
            self._done = True
            return self._ending(event.outcome, before)
        return ""

    def _ending(self, outcome: Outcome | None, before: list[str]) -> str:
        if outcome in _NEVER_BEGAN and set(before) - {"queued"} and not self._resumed:
            return f"a message that began cannot end {outcome}; its phases were {before}"
        cancelled = bool(before) and before[-1] == "cancelled"
        if cancelled != (outcome is Outcome.CANCELLED):
            return f"outcome {outcome}, but the phase before done is {before[-1] if before else 'none'}"
        if self._errors != (outcome is Outcome.FAILED) and not self._resumed:
            return f"outcome {outcome} with {self._errors} error events"
        lost = [result for results in self._results.values() for result in results]
        if lost:
            return f"a tool_result was told, but stands in no turn: {lost[0]!r}"
        return ""

    def _inside(self, path: tuple[str, ...], entry: Entry) -> str:
        """What an agent does inside a call comes before the call's result."""
        if isinstance(entry.event, Properties):  # what a value changes in the session is told behind its result
            return ""
        over = [call for call in self._over if path[: len(call)] == call]
        return f"{entry.kind} comes inside call {over[0][-1]}, which had its result" if over else ""

    def _results_of(self, path: tuple[str, ...], entry: Entry) -> str:
        """A result is told inside its call; the turn that holds it comes outside, and later."""
        event = entry.event
        if isinstance(event, ToolResult):
            self._results.setdefault(path[:-1], []).append(event)
            self._over.add(path)
        if not isinstance(event, TurnComplete) or event.turn.role is not Role.TOOL:
            return ""
        told, held = self._results.pop(path, []), list(event.turn.artifacts)
        for result in told:
            if result not in held:
                return f"a tool turn holds every result that was told before it; missing: {result!r}"
            held.remove(result)
        return ""

    def _round(self, path: tuple[str, ...], entry: Entry) -> str:
        event = entry.event
        if isinstance(event, Lifecycle) and event.phase == "submitted":
            left = self._rounds.get(path)
            self._rounds[path] = RoundOrder()
            return left.left() if left is not None and self._id is not None else ""
        found = self._rounds.get(path)
        if found is not None:
            return found.next(entry)
        if entry.context.block is not None and not self._resumed:
            return f"{entry.kind} comes without submitted before it"
        return ""


def _envelope(first: Entry, entry: Entry) -> str:
    for name in ("message", "provenance", "thread_id", "traceparent"):
        one, other = getattr(first.context, name), getattr(entry.context, name)
        if one != other:
            return f"{name} is the same for all events of a message; it was {one!r} and is {other!r}"
    return ""
