"""Records: what a session appends to its log, and all that a restart knows."""

from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum
from typing import Any, Literal

import msgspec

from ore.artifact import CODEC, Codec, ToolResult, to_json
from ore.errors import ErrorInfo
from ore.ledger.turn import Control, Turn
from ore.ledger.turn_codec import decode_turn, encode_turn

__all__ = [
    "ControlRecord",
    "EffectRecord",
    "EndingRecord",
    "Journal",
    "MetadataRecord",
    "Operation",
    "Outcome",
    "ParentRecord",
    "QuestionRecord",
    "QuestionStatus",
    "Record",
    "TakenRecord",
    "TipRecord",
    "TurnRecord",
    "decode_record",
    "encode_record",
]


class Outcome(StrEnum):
    """How an accepted message ended; each ends exactly once."""

    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"
    CLEARED = "cleared"
    """Taken out of the queue before it began."""
    CLOSED = "closed"
    """The session was closed before it began."""


class Record(msgspec.Struct, frozen=True, kw_only=True, tag_field="record"):
    """One fact of a session's log."""


class TurnRecord(Record, frozen=True, kw_only=True, tag="turn"):
    """A turn was added; the tip is on it.

    Attributes:
        turn: The turn.
        message: Id of the message that it belongs to, if any.
    """

    turn: Turn
    message: str | None = None


class TakenRecord(Record, frozen=True, kw_only=True, tag="taken"):
    """Work on a message began."""

    message: str


class EndingRecord(Record, frozen=True, kw_only=True, tag="ending"):
    """A message ended; nothing about it comes after this.

    Attributes:
        turn: Id of its last turn.
        error: Why it failed.
    """

    message: str
    outcome: Outcome
    turn: str | None = None
    error: ErrorInfo | None = None


class TipRecord(Record, frozen=True, kw_only=True, tag="tip"):
    """The conversation goes on from another turn."""

    turn_id: str | None


class ControlRecord(Record, frozen=True, kw_only=True, tag="control"):
    """A turn's control changed."""

    turn_id: str
    control: Control


class ParentRecord(Record, frozen=True, kw_only=True, tag="parent"):
    """A turn hangs elsewhere."""

    turn_id: str
    parent_id: str | None


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One change of a key; `value` is `None` for a deletion."""

    op: Literal["set", "delete"]
    key: str
    value: str | None = None


class MetadataRecord(Record, frozen=True, kw_only=True, tag="metadata"):
    """Keys were set and deleted, in this order."""

    operations: tuple[Operation, ...]


class EffectRecord(Record, frozen=True, kw_only=True, tag="effect"):
    """A tool call was started, or finished with this result.

    Attributes:
        key: The call's key.
        idempotent: Whether a started call may run again after a crash.
        result: `None` while nobody knows.
    """

    key: str
    idempotent: bool = False
    result: ToolResult | None = None


class QuestionStatus(StrEnum):
    """Where a question stands."""

    OPEN = "open"
    ANSWERED = "answered"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


class QuestionRecord(Record, frozen=True, kw_only=True, tag="question"):
    """A question was asked, or came to its end.

    Attributes:
        question: The question as its event shows it.
        answer: The answer as its event shows it.
    """

    key: str
    status: QuestionStatus
    question: dict[str, Any] | None = None
    answer: dict[str, Any] | None = None


Journal = Callable[[Sequence[Record]], Awaitable[None]]
"""Makes records durable, all or none, in order.

Returns once they are. May raise a `StoreError`; then nothing was written. It
bounds itself in time: whoever awaits it does so even while being cancelled. A
journal in memory returns a future that is done.
"""


def encode_record(record: Record) -> bytes:
    """One JSON object with the tag `record`."""
    if isinstance(record, TurnRecord):
        message = to_json(record.message)
        return b'{"record":"turn","message":' + message + b',"turn":' + encode_turn(record.turn) + b"}"
    return to_json(record)


def decode_record(raw: bytes, codec: Codec = CODEC) -> Record | None:
    """Read one record; `None` for a kind that only a newer ore knows.

    Raises:
        ValueError: It is not a record.
    """
    tag = _head(raw).record
    if tag == "turn":
        stored = _turn(raw)
        return TurnRecord(turn=decode_turn(stored.turn, codec), message=stored.message)
    decoder = _DECODERS.get(tag)
    return decoder.decode(raw) if decoder else None


class _Head(msgspec.Struct):
    record: str


class _StoredTurn(msgspec.Struct):
    turn: msgspec.Raw
    message: str | None = None


_head = msgspec.json.Decoder(_Head).decode
_turn = msgspec.json.Decoder(_StoredTurn).decode
_PLAIN: tuple[type[Record], ...] = (
    *(TakenRecord, EndingRecord, TipRecord, ControlRecord),
    *(ParentRecord, MetadataRecord, EffectRecord, QuestionRecord),
)
_DECODERS: dict[str, msgspec.json.Decoder[Record]] = {
    str(kind.__struct_config__.tag): msgspec.json.Decoder(kind) for kind in _PLAIN
}
