"""`check_log`: what holds for a session's log, whatever happened to the processes that wrote it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ore.artifact import ResultStatus, ToolResult
from ore.ledger import (
    ControlRecord,
    EffectRecord,
    EndingRecord,
    Fold,
    ParentRecord,
    QuestionRecord,
    QuestionStatus,
    Record,
    Role,
    TakenRecord,
    TipRecord,
    Turn,
    TurnRecord,
    call_key,
)
from ore.testing.sendable import check_sendable

__all__ = ["LogReading", "Row", "check_log", "check_world"]

Row = tuple[int, int, Record | None]
"""Number, epoch and record, as a store's log has them; `None` for a record of a kind that only a newer ore knows."""


class LogReading:
    """What a log says, once it has been checked.

    Attributes:
        turns: Every turn, by its id, in the order of recording.
        messages: The message of each turn that belongs to one.
        taken: Messages on which work began.
        endings: How messages ended.
        calls: Keys of all calls.
        started: The start of each call that has one, with its epoch.
        finished: The result of each call that was durable before its turn was whole, with its epoch.
        results: The result of each call, as models get it, with its epoch.
        questions: The last record of each question.
    """

    def __init__(self) -> None:
        self.turns: dict[str, Turn] = {}
        self.messages: dict[str, str] = {}
        self.taken: set[str] = set()
        self.endings: dict[str, EndingRecord] = {}
        self.calls: dict[str, str] = {}
        self.started: dict[str, tuple[int, EffectRecord]] = {}
        self.finished: dict[str, tuple[int, ToolResult]] = {}
        self.results: dict[str, tuple[int, ToolResult]] = {}
        self.questions: dict[str, QuestionRecord] = {}
        self._fold = Fold()
        self._epoch = 0

    @property
    def path(self) -> Sequence[Turn]:
        """The active path."""
        return self._fold.path()

    @property
    def open_calls(self) -> list[str]:
        """Keys of calls without a result."""
        return [key for key in self.calls if key not in self.results]

    @property
    def open_messages(self) -> list[str]:
        """Messages on which work began and that have no ending."""
        return sorted(self.taken - self.endings.keys())

    @property
    def open_questions(self) -> list[str]:
        """Keys of questions that are still open."""
        return [key for key, record in self.questions.items() if record.status is QuestionStatus.OPEN]

    def add(self, epoch: int, record: Record | None) -> str | None:
        """Take the next record; what is wrong with it, if anything is."""
        before, self._epoch = self._epoch, epoch
        if epoch < before:
            return f"epoch {epoch} wrote after epoch {before} had begun"
        check = _CHECKS.get(type(record))
        fault = check(self, record) if check is not None else None
        if record is not None:
            self._fold.add(record)
        return fault

    def _turn(self, record: TurnRecord) -> str | None:
        turn, message = record.turn, record.message
        if turn.id in self.turns:
            return f"turn {turn.id!r} was recorded before"
        if turn.parent_id != self._fold.tip:
            return f"turn {turn.id!r} hangs on {turn.parent_id!r}, but the tip is {self._fold.tip!r}"
        if message in self.endings:
            return f"turn {turn.id!r} came after the ending of its message {message!r}"
        self.turns[turn.id] = turn
        self.calls.update({call_key(turn.id, index): call.name for index, call in enumerate(turn.calls)})
        if message is not None:
            self.messages[turn.id] = message
        return self._answers(turn) if turn.role is Role.TOOL else None

    def _answers(self, turn: Turn) -> str | None:
        asked = self.turns.get(turn.parent_id or "")
        results = [artifact for artifact in turn.artifacts if isinstance(artifact, ToolResult)]
        if asked is None or [call.id for call in asked.calls] != [result.tool_call_id for result in results]:
            return f"tool turn {turn.id!r} does not answer the calls of the turn before it, each once and in order"
        for index, result in enumerate(results):
            key = call_key(asked.id, index)
            if key in self.results:
                return f"call {key!r} was answered before"
            if key in self.finished and self.finished[key][1] != result:
                return f"call {key!r} had finished with another result"
            self.results[key] = self._epoch, result
        return None

    def _effect(self, record: EffectRecord) -> str | None:
        key = record.key
        if key not in self.calls:
            return f"an effect of {key!r}, which is no call"
        if key in self.results or key in self.finished:
            return f"an effect of call {key!r}, which has its result"
        if record.result is not None:
            self.finished[key] = self._epoch, record.result
        elif key in self.started:
            return f"call {key!r} was started before"
        else:
            self.started[key] = self._epoch, record
        return None

    def _taken(self, record: TakenRecord) -> str | None:
        if record.message in self.taken or record.message in self.endings:
            return f"message {record.message!r} was taken or had ended before"
        self.taken.add(record.message)
        return None

    def _ending(self, record: EndingRecord) -> str | None:
        if record.message in self.endings:
            return f"message {record.message!r} had ended before"
        if record.turn is not None and record.turn not in self.turns:
            return f"the ending of message {record.message!r} names the turn {record.turn!r}, which is not there"
        self.endings[record.message] = record
        return None

    def _question(self, record: QuestionRecord) -> str | None:
        known = self.questions.get(record.key)
        is_first, is_open = known is None, record.status is QuestionStatus.OPEN
        if is_first is not is_open or not (known is None or known.status is QuestionStatus.OPEN):
            was = "not asked" if known is None else known.status.value
            return f"question {record.key!r} was {was} when it became {record.status.value}"
        self.questions[record.key] = record
        return None

    def _place(self, record: TipRecord | ControlRecord | ParentRecord) -> str | None:
        named = (record.turn_id, record.parent_id if isinstance(record, ParentRecord) else None)
        missing = [turn_id for turn_id in named if turn_id is not None and turn_id not in self.turns]
        return f"it names turns that are not there: {missing}" if missing else None


_CHECKS: Mapping[type[Any], Callable[[LogReading, Any], str | None]] = {
    TurnRecord: LogReading._turn,
    EffectRecord: LogReading._effect,
    TakenRecord: LogReading._taken,
    EndingRecord: LogReading._ending,
    QuestionRecord: LogReading._question,
    TipRecord: LogReading._place,
    ControlRecord: LogReading._place,
    ParentRecord: LogReading._place,
}


def check_log(rows: Iterable[Row], *, at_rest: bool = True) -> LogReading:
    """Check a session by its log alone.

    Numbers are dense and epochs never fall. Each turn is recorded once and
    hangs on the tip; each message is taken once, ends once, and nothing of it
    comes after that; each call is started once, finished once and answered
    once, with the result that it had finished with; each question is asked
    once and ends once. Every name is of something that was there.

    Args:
        rows: The log, in order.
        at_rest: Nothing is left to do: every call has its result, every
            message that was taken its ending, every question its end, and the
            active path can be sent to a model.

    Raises:
        AssertionError: It does not hold; the message names the record.
    """
    reading = LogReading()
    story: list[str] = []
    for place, (number, epoch, record) in enumerate(rows, start=1):
        story.append(f"  {number:>5} epoch {epoch:>3}  {str(record)[:200]}")
        fault = reading.add(epoch, record) if number == place else f"expected number {place}"
        if fault:
            raise AssertionError(f"record {number}: {fault}\n" + "\n".join(story[-30:]))
    left = (reading.open_calls, reading.open_messages, reading.open_questions)
    if at_rest and any(left):
        told = "\n".join(story[-30:])
        raise AssertionError(f"left open: calls {left[0]}, messages {left[1]}, questions {left[2]}\n{told}")
    if at_rest:
        check_sendable(reading.path)
    return reading


def check_world(reading: LogReading, runs: Mapping[str, int]) -> None:
    """Check what tools did to the world outside against what the log says they did.

    Nothing ran that the log does not know as started; what is no idempotent
    tool ran once at most; what succeeded did run; and nothing ran again after
    it had finished: not more often than the session was taken meanwhile.

    Args:
        reading: The log.
        runs: How often the tool of each call, by its key, had its effect.

    Raises:
        AssertionError: They differ.
    """
    for key, count in runs.items():
        fault = _run_fault(reading, key, count)
        if fault:
            raise AssertionError(f"call {key!r} ({reading.calls.get(key)}) ran {count} times: {fault}")
    for key in reading.started:
        _, result = reading.results.get(key, (0, None))
        if result is not None and result.status is ResultStatus.OK and not runs.get(key):
            raise AssertionError(f"call {key!r} ({reading.calls[key]}) succeeded, but it never ran")


def _run_fault(reading: LogReading, key: str, count: int) -> str | None:
    if key not in reading.started:
        return "its start is not in the log"
    epoch, start = reading.started[key]
    if not start.idempotent:
        return "once at most" if count > 1 else None
    ended = reading.finished.get(key) or reading.results.get(key)
    most = ended[0] - epoch + 1 if ended else count
    return f"it began in epoch {epoch} and had finished in epoch {ended[0]}" if ended and count > most else None
