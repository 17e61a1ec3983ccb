"""Events and snapshots of `ore serve`, read back from their JSON."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from ore.artifact import CODEC, Artifact, Codec
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
    Phase,
    Properties,
    Question,
    SessionSwitch,
    Snapshot,
    TurnComplete,
    TurnRestarted,
)
from ore.ledger import Outcome, decode_turn

__all__ = ["decode_entry", "decode_snapshot"]


class _Context(EventContext, frozen=True, kw_only=True, omit_defaults=True, dict=True):
    id: str = ""


class _Head(msgspec.Struct):
    kind: str
    context: _Context = _Context()


class _Lifecycle(msgspec.Struct):
    phase: Phase
    outcome: Outcome | None = None
    content: list[msgspec.Raw] | None = None


class _Turn(msgspec.Struct):
    turn: msgspec.Raw


class _Block(msgspec.Struct):
    artifact: msgspec.Raw
    block: str | None = None
    open: bool = True
    path: tuple[str, ...] | None = None


class _Queued(msgspec.Struct):
    id: str
    status: str
    content: list[msgspec.Raw] = []
    position: int = 0


class _Snapshot(msgspec.Struct):
    id: str
    turns: list[msgspec.Raw] = []
    metadata: dict[str, str] = {}
    phase: str = "idle"
    queue: list[_Queued] = []
    questions: list[Question] = []
    blocks: list[_Block] = []
    activities: list[Activity] = []


class _Gap(msgspec.Struct):
    snapshot: msgspec.Raw


_head = msgspec.json.Decoder(_Head).decode
_snapshot = msgspec.json.Decoder(_Snapshot).decode
_gap = msgspec.json.Decoder(_Gap).decode
_turn = msgspec.json.Decoder(_Turn).decode
_lifecycle = msgspec.json.Decoder(_Lifecycle).decode

_EVENTS: Final[Mapping[str, Callable[[bytes], Event]]] = {
    "activity": msgspec.json.Decoder(Activity).decode,
    "answer": msgspec.json.Decoder(Answer).decode,
    "error": msgspec.json.Decoder(ErrorEvent).decode,
    "properties": msgspec.json.Decoder(Properties).decode,
    "question": msgspec.json.Decoder(Question).decode,
    "session_switch": msgspec.json.Decoder(SessionSwitch).decode,
    "turn_restarted": msgspec.json.Decoder(TurnRestarted).decode,
}


def decode_entry(raw: bytes, codec: Codec = CODEC) -> Entry:
    """One event as the server tells it.

    A kind that nobody here knows is an `Unknown` artifact.

    Raises:
        ValueError: It is no event, or its fields do not fit.
    """
    head = _head(raw)
    epoch, _, number = head.context.id.partition("-")
    return Entry(int(epoch or 0), int(number or 0), head.kind, head.context, _event(head.kind, raw, codec))


def decode_snapshot(raw: bytes | msgspec.Raw, codec: Codec = CODEC) -> Snapshot:
    """The state of a session as the server tells it.

    Raises:
        ValueError: It is none, or its fields do not fit.
    """
    read = _snapshot(raw)
    queue: Sequence[Mapping[str, Any]] = [
        {
            "id": item.id,
            "content": tuple(map(codec.decode, item.content)),
            "status": item.status,
            "position": item.position,
        }
        for item in read.queue
    ]
    return Snapshot(
        id=read.id,
        turns=[decode_turn(turn, codec) for turn in read.turns],
        metadata=read.metadata,
        phase=read.phase,
        queue=queue,
        questions=read.questions,
        blocks=[
            LiveBlock(
                block=one.block,
                artifact=codec.decode(one.artifact),
                open=one.open,
                path=one.path,
            )
            for one in read.blocks
        ],
        activities=read.activities,
    )


def _event(kind: str, raw: bytes, codec: Codec) -> Event | Artifact:
    if kind == "turn_complete":
        return TurnComplete(turn=decode_turn(_turn(raw).turn, codec))
    if kind == "lifecycle":
        read = _lifecycle(raw)
        content = None if read.content is None else tuple(map(codec.decode, read.content))
        return Lifecycle(phase=read.phase, outcome=read.outcome, content=content)
    if kind == "gap":
        return Gap(snapshot=decode_snapshot(_gap(raw).snapshot, codec))
    decode = _EVENTS.get(kind)
    return decode(raw) if decode is not None else codec.decode(raw)
