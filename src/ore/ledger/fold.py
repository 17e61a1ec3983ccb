"""`Fold`: what a log of records amounts to."""

from collections.abc import Sequence

import msgspec

from ore.ledger.records import (
    ControlRecord,
    EffectRecord,
    EndingRecord,
    MetadataRecord,
    ParentRecord,
    QuestionRecord,
    Record,
    TipRecord,
    TurnRecord,
)
from ore.ledger.store import StoredThread
from ore.ledger.thread import Thread
from ore.ledger.turn import Role, Turn

__all__ = ["Fold"]


class Fold:
    """Turns, tip, facts, effects and questions, kept up to date record by record."""

    __slots__ = ("effects", "metadata", "questions", "started", "tip", "turns")

    def __init__(self, *, metadata: dict[str, str] | None = None) -> None:
        self.metadata = metadata or {}
        self.turns: list[Turn] = []
        self.tip: str | None = None
        self.effects: dict[str, EffectRecord] = {}
        self.questions: dict[str, QuestionRecord] = {}
        self.started: dict[str, str] = {}

    def add(self, record: Record) -> None:
        """Take the next record; one that says nothing about these is passed over."""
        match record:
            case TurnRecord():
                self.add_turn(record)
            case EndingRecord(message=message):
                self.started.pop(message, None)
            case EffectRecord(key=key):
                self.effects[key] = record
            case MetadataRecord():
                self._metadata(record)
            case TipRecord(turn_id=turn_id):
                self.tip = turn_id
            case ControlRecord(turn_id=turn_id, control=control):
                self._change(turn_id, control=control)
            case ParentRecord(turn_id=turn_id, parent_id=parent_id):
                self._change(turn_id, parent_id=parent_id)
            case QuestionRecord(key=key):
                self.questions[key] = record
            case _:
                pass

    def stored(self, thread_id: str, *, epoch: int, sequence: int) -> StoredThread:
        """The thread as a store returns it; shares nothing that changes later."""
        return StoredThread(
            id=thread_id,
            metadata=dict(self.metadata),
            turns=tuple(self.turns),
            tip=self.tip,
            effects=dict(self.effects),
            questions=dict(self.questions),
            started=dict(self.started),
            sequence=sequence,
            epoch=epoch,
        )

    def path(self) -> Sequence[Turn]:
        """The active path."""
        return Thread(self.turns, tip=self.tip).turns

    def add_turn(self, record: TurnRecord) -> None:
        """Take the next record when it is a turn, as most are."""
        turn, message = record.turn, record.message
        if self.effects and turn.role is Role.TOOL and turn.parent_id is not None:
            self._answered(turn.parent_id)
        self.turns.append(turn)
        self.tip = turn.id
        if message is not None and message not in self.started:
            self.started[message] = turn.id

    def _answered(self, turn_id: str) -> None:
        for key in [key for key in self.effects if key.rpartition(":")[0] == turn_id]:
            del self.effects[key]

    def _metadata(self, record: MetadataRecord) -> None:
        for operation in record.operations:
            if operation.op == "set":
                self.metadata[operation.key] = operation.value or ""
            else:
                self.metadata.pop(operation.key, None)

    def _change(self, turn_id: str, **fields: object) -> None:
        for place in reversed(range(len(self.turns))):  # mostly one of the last
            if self.turns[place].id == turn_id:
                self.turns[place] = msgspec.structs.replace(self.turns[place], **fields)
                return
