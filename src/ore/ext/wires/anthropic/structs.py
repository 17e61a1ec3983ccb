"""What is read of an answer: events of Anthropic's stream, with the fields that matter here.

By "Streaming messages" of the vendor's platform documentation (read 2026-11).
One struct holds every kind of event, so that a kind nobody knows is no error.
"""

from typing import Any, Final

import msgspec

__all__ = ["Block", "Counts", "Delta", "Event", "decode_block", "decode_event"]


class Delta(msgspec.Struct, gc=False):
    """A fragment of a block; in `message_delta` what became of the message."""

    text: str | None = None
    thinking: str | None = None
    partial_json: str | None = None
    signature: str | None = None
    stop_reason: str | None = None
    type: str = ""


class Details(msgspec.Struct, gc=False):
    """What the output was made of."""

    thinking_tokens: int | None = None


class Counts(msgspec.Struct):
    """Tokens so far; a later value replaces an earlier one."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    output_tokens_details: Details | None = None


class Message(msgspec.Struct):
    """The head of an answer."""

    usage: Counts | None = None


class Block(msgspec.Struct):
    """How a block begins; gateways may give it whole at once."""

    type: str = ""
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None
    id: str | None = None
    name: str | None = None
    input: msgspec.Raw = msgspec.Raw(b"")
    citations: list[Any] | None = None


class Event(msgspec.Struct):
    """One event."""

    type: str = ""
    index: int | None = None
    delta: Delta | None = None
    content_block: msgspec.Raw = msgspec.Raw(b"")
    message: Message | None = None
    usage: Counts | None = None
    error: Any = None


decode_event: Final = msgspec.json.Decoder(Event).decode
decode_block: Final = msgspec.json.Decoder(Block).decode
