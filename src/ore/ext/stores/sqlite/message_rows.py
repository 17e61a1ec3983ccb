"""Messages as rows of the inbox."""

import hashlib

import msgspec

from ore.artifact import Codec, encode, to_json
from ore.ledger import Message

__all__ = ["COLUMNS", "Row", "decode_message", "digest_of", "encode_message"]

COLUMNS = "id, mode, body, attempts, taken"
"""What `decode_message` reads, in its order."""

Row = tuple[str, str, bytes, int, int]
"""Those columns."""


def encode_message(message: Message) -> bytes:
    """One JSON object; what the store itself looks at has columns of its own."""
    head = to_json(_Head(provenance=message.provenance, traceparent=message.traceparent))
    return head[:-1] + b',"artifacts":' + _artifacts(message) + b"}"


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


def digest_of(message: Message) -> bytes:
    """16 bytes that tell its content from any other; they outlast the message itself."""
    return hashlib.blake2b(_artifacts(message), digest_size=16).digest()


def _artifacts(message: Message) -> bytes:
    return b"[" + b",".join([encode(artifact) for artifact in message.artifacts]) + b"]"


class _Head(msgspec.Struct):
    provenance: str | None = None
    traceparent: str | None = None


class _Stored(_Head):
    artifacts: list[msgspec.Raw] = []


_decode = msgspec.json.Decoder(_Stored).decode
