"""Messages as rows of the inbox."""

import hashlib

import msgspec

from ore.artifact import Codec, encode, to_json
from ore.ledger import Message

__all__ = ["COLUMNS", "Row", "decode_message", "digest_and_body", "digest_of"]

COLUMNS = "id, mode, body, attempts, taken"
"""What `decode_message` reads, in its order."""

Row = tuple[str, str, bytes, int, int]
"""Those columns."""


def digest_and_body(message: Message) -> tuple[bytes, bytes]:
    """What a row keeps of a message, besides what the store itself looks at.

    Returns:
        16 bytes that tell its content from any other, and outlast the message
        itself; and the message as one JSON object.
    """
    artifacts = _encoded(message)
    head = to_json(_Head(provenance=message.provenance, traceparent=message.traceparent))
    body = head[:-1] + b',"artifacts":' + artifacts + b"}"
    return _digest(artifacts), body


def digest_of(message: Message) -> bytes:
    """The first of what `digest_and_body` returns."""
    return _digest(_encoded(message))


def decode_message(row: Row, codec: Codec) -> Message:
    """The message of a row.

    Raises:
        ValueError: It is not one.
    """
    name, mode, body, attempts, taken = row
    stored = _decode(body)
    return Message(
        id=name,
        artifacts=tuple(codec.decode(raw) for raw in stored.artifacts),
        mode=mode,
        provenance=stored.provenance,
        traceparent=stored.traceparent,
        attempts=attempts,
        taken=bool(taken),
    )


def _encoded(message: Message) -> bytes:
    return b"[" + b",".join([encode(artifact) for artifact in message.artifacts]) + b"]"


def _digest(artifacts: bytes) -> bytes:
    return hashlib.blake2b(artifacts, digest_size=16).digest()


class _Head(msgspec.Struct):
    provenance: str | None = None
    traceparent: str | None = None


class _Stored(_Head):
    artifacts: list[msgspec.Raw] = []


_decode = msgspec.json.Decoder(_Stored).decode
