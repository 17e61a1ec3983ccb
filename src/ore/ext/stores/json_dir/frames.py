"""What a log says, line by line: everything that changes what is known of a thread."""

import hashlib
from collections.abc import Sequence

import msgspec

from ore.artifact import Artifact, Codec, clean, encode, to_json
from ore.ledger import Message, Record, decode_record

__all__ = [
    "AppendFrame",
    "BeginFrame",
    "FoundFrame",
    "Frame",
    "Line",
    "ParkFrame",
    "StopFrame",
    "StoredMessage",
    "SubmitFrame",
    "TakeFrame",
    "decode_line",
    "digest_of",
    "encode_frame",
    "message_of",
    "store_message",
]


class StoredMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A `Message` as JSON."""

    id: str
    artifacts: list[msgspec.Raw]
    mode: str
    provenance: str | None = None
    traceparent: str | None = None
    attempts: int = 0
    taken: bool = False


class Frame(msgspec.Struct, frozen=True, kw_only=True, tag_field="do"):
    """One line.

    Attributes:
        number: The lines of a thread count from 1, without a gap, for as long as it lives.
    """

    number: int


class SubmitFrame(Frame, frozen=True, kw_only=True, tag="submit"):
    """A message was put into the inbox.

    Attributes:
        digest: Tells its content from any other; outlasts the message.
    """

    message: StoredMessage
    digest: str


class TakeFrame(Frame, frozen=True, kw_only=True, tag="take"):
    """The epoch is one higher."""


class AppendFrame(Frame, frozen=True, kw_only=True, tag="append"):
    """Records were appended.

    Attributes:
        written: Its place in the order of writing among all threads.
    """

    written: int
    records: list[msgspec.Raw]


class FoundFrame(Frame, frozen=True, kw_only=True, tag="found"):
    """A message was found unfinished; it is no longer parked."""

    message: str
    attempts: int


class BeginFrame(Frame, frozen=True, kw_only=True, tag="begin"):
    """Work on a message began."""

    message: str


class ParkFrame(Frame, frozen=True, kw_only=True, tag="park"):
    """What was begun is left on purpose."""


class StopFrame(Frame, frozen=True, kw_only=True, tag="stop"):
    """An interrupt was noted, or is over."""

    is_wanted: bool


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A frame as it was read, with what is in it.

    Attributes:
        frame: `None` when a newer ore wrote it.
        message: What was submitted.
        records: What was appended; `None` stands for one of a kind that only a newer ore knows.
    """

    number: int
    frame: Frame | None = None
    message: Message | None = None
    records: tuple[Record | None, ...] = ()


def encode_frame(frame: Frame) -> bytes:
    """One JSON object with the tag `do`."""
    return to_json(frame)


def decode_line(content: bytes, codec: Codec) -> Line:
    """Read one frame and all that is in it.

    Raises:
        ValueError: It is not one.
    """
    head = _head(content)
    decoder = _DECODERS.get(head.do)
    if decoder is None:
        return Line(number=head.number)
    frame = decoder.decode(content)
    if isinstance(frame, SubmitFrame):
        return Line(number=frame.number, frame=frame, message=message_of(frame.message, codec))
    if isinstance(frame, AppendFrame):
        records = tuple(decode_record(bytes(raw), codec) for raw in frame.records)
        return Line(number=frame.number, frame=frame, records=records)
    return Line(number=frame.number, frame=frame)


def store_message(message: Message) -> StoredMessage:
    """`message` as it is written."""
    return StoredMessage(
        id=message.id,
        artifacts=_raw(message.artifacts),
        mode=clean(message.mode),
        provenance=_cleaned(message.provenance),
        traceparent=_cleaned(message.traceparent),
        attempts=message.attempts,
        taken=message.taken,
    )


def message_of(stored: StoredMessage, codec: Codec) -> Message:
    """The message that was written.

    Raises:
        ValueError: An artifact cannot be read.
    """
    return Message(
        id=stored.id,
        artifacts=tuple(codec.decode(raw) for raw in stored.artifacts),
        mode=stored.mode,
        provenance=stored.provenance,
        traceparent=stored.traceparent,
        attempts=stored.attempts,
        taken=stored.taken,
    )


def digest_of(message: Message) -> str:
    """32 hexadecimal characters that tell its content from any other."""
    content = b",".join([encode(artifact) for artifact in message.artifacts])
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _raw(artifacts: Sequence[Artifact]) -> list[msgspec.Raw]:
    return [msgspec.Raw(encode(artifact)) for artifact in artifacts]


def _cleaned(text: str | None) -> str | None:
    return None if text is None else clean(text)


class _Head(msgspec.Struct):
    do: str
    number: int


_head = msgspec.json.Decoder(_Head).decode
_KINDS = (SubmitFrame, TakeFrame, AppendFrame, FoundFrame, BeginFrame, ParkFrame, StopFrame)
_DECODERS: dict[str, msgspec.json.Decoder[Frame]] = {
    str(kind.__struct_config__.tag): msgspec.json.Decoder(kind) for kind in _KINDS
}
