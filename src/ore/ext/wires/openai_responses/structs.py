"""What is read of a streamed response, and nothing else of it.

Events by OpenAI's "Streaming events" (API reference, read 2026-11). llama.cpp's
server sends neither `sequence_number` nor `output_index` nor `content_index`.
Items and whole responses stay bytes until somebody needs what is in them.
"""

import json
from contextlib import suppress
from typing import Any, Final

import msgspec

from ore.artifact import to_json

__all__ = ["Event", "decode_event", "lenient_event", "read"]

NOTHING: Final = msgspec.Raw()
"""What an event does not have."""


class Event(msgspec.Struct, gc=False):
    """One event of the stream."""

    type: str = ""
    delta: str | None = None
    output_index: int | None = None
    content_index: int | None = None
    summary_index: int | None = None
    item_id: str | None = None
    text: str | None = None
    refusal: str | None = None
    arguments: str | None = None
    input: str | None = None
    item: msgspec.Raw = NOTHING
    part: msgspec.Raw = NOTHING
    annotation: msgspec.Raw = NOTHING
    response: msgspec.Raw = NOTHING


decode_event: Final = msgspec.json.Decoder(Event).decode
"""Reads one event.

Raises:
    msgspec.ValidationError: A field has another type.
    msgspec.DecodeError: It is no JSON, or holds half a character.
"""

_TEXTS: Final = ("type", "delta", "item_id", "text", "refusal", "arguments", "input")
_INDEXES: Final = ("output_index", "content_index", "summary_index")
_PARTS: Final = ("item", "part", "annotation", "response")


def lenient_event(data: bytes) -> Event | None:
    """Read an event that does not fit: fields of other types are left out, arguments may be an object.

    Half a character stays in `delta`, where its other half may follow.

    Returns:
        `None` when it is no JSON object.
    """
    try:
        found = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    fields: dict[str, Any] = {name: found[name] for name in _TEXTS if isinstance(found.get(name), str)}
    fields |= {name: found[name] for name in _INDEXES if type(found.get(name)) is int}
    fields |= {name: msgspec.Raw(to_json(found[name])) for name in _PARTS if isinstance(found.get(name), dict)}
    if isinstance(found.get("arguments"), dict):
        fields["arguments"] = to_json(found["arguments"]).decode()
    return Event(**fields)


def read(raw: msgspec.Raw | bytes) -> dict[str, Any]:
    """A JSON object, such as a part of an event; empty when it is none. Half a character in it becomes U+FFFD."""
    found: Any = None
    try:
        found = msgspec.json.decode(raw) if len(raw) else None
    except msgspec.DecodeError:
        with suppress(ValueError, RecursionError):
            found = msgspec.json.decode(to_json(json.loads(bytes(raw).decode("utf-8", "replace"))))
    except RecursionError:
        pass
    return found if isinstance(found, dict) else {}
