"""Turns as JSON: flat artifacts on writing, flat or enveloped ones on reading."""

from datetime import datetime
from typing import Any

import msgspec

from ore.artifact import CODEC, Artifact, Codec, Unknown, to_json
from ore.artifact import encode as encode_artifact
from ore.ledger.turn import Control, Role, Turn, TurnStatus

__all__ = ["decode_turn", "encode_turn"]


def encode_turn(turn: Turn) -> bytes:
    """One JSON object; every field written, unknown artifacts with their own bytes."""
    if not any(type(artifact) is Unknown for artifact in turn.artifacts):
        return to_json(turn)
    raws = [msgspec.Raw(encode_artifact(artifact)) for artifact in turn.artifacts]
    head = to_json(msgspec.structs.replace(turn, artifacts=()))
    fields: dict[str, Any] = msgspec.json.decode(head, type=dict[str, msgspec.Raw])
    return to_json(fields | {"artifacts": raws})


def decode_turn(raw: bytes | msgspec.Raw, codec: Codec = CODEC) -> Turn:
    """Read one turn, of this or of the original's shape.

    Raises:
        ValueError: It is not a turn; the message says where.
    """
    stored = _decode(raw)
    return Turn(
        id=stored.id,
        parent_id=stored.parent_id or None,
        role=stored.role,
        artifacts=tuple(_artifact(item, codec) for item in stored.artifacts or ()),
        timestamp=_time(stored.timestamp),
        status=stored.status,
        control=_control(stored),
        model=stored.model,
        origin=stored.origin,
    )


class _Stored(msgspec.Struct):
    role: Role
    id: str = ""
    parent_id: str | None = None
    artifacts: list[msgspec.Raw] | None = None
    timestamp: datetime | None = None
    status: TurnStatus = TurnStatus.COMPLETE
    control: Control | None = None
    model: str | None = None
    origin: str | None = None
    metadata: dict[str, Any] | None = None


_decode = msgspec.json.Decoder(_Stored).decode


def _artifact(raw: msgspec.Raw, codec: Codec) -> Artifact:
    return codec.decode(raw)


def _time(stored: datetime | None) -> datetime | None:
    return stored if stored is None or stored.year > 1 else None  # the original's zero time


def _control(stored: _Stored) -> Control:
    if stored.control is not None:
        return stored.control
    legacy = (stored.metadata or {}).get("control") or Control.CONTINUE
    return Control(legacy)
