"""Messages as rows of the inbox."""

import hashlib

import msgspec

from ore.artifact import Codec, encode, to_json
from ore.ledger import Message

__all__ = ["COLUMNS", "decode_message", "digest_of", "encode_message"]

COLUMNS = "id, body, attempts, taken"
"""What `decode_message` reads, in its order."""


def encode_message(message: Message) -> bytes:
    """One JSON object; what changes while a message waits has columns of its own."""
    head = to_json(_Head(mode=message.mode, provenance=message.provenance, traceparent=message.traceparent))
    return head[:-1] + b',"artifacts":' + _artifacts(message) + b"}"


def decode_message(row: tuple[str, bytes, int, int], codec: Codec) -> Message:
    """The message of a row.

    Raises:
        ValueError: It is not one.
    """
    name, body, attempts, taken = row
    stored = _decode(body)
    return Message(
        id=name,
        artifacts=tuple(codec.decode(raw) for raw in stored.artifacts),
        mode=stored.mode,
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
    mode: str
    provenance: str | None = None
    traceparent: str | None = None


class _Stored(_Head):
    artifacts: list[msgspec.Raw] = []


_decode = msgspec.json.Decoder(_Stored).decode
