"""`weight`: what an event takes up in the log, estimated without encoding it."""

from collections.abc import Callable, Mapping
from datetime import datetime
from operator import attrgetter
from typing import Any, Final

import msgspec

from ore.artifact import StopReason, Text, ToolCall, ToolResult, Usage
from ore.event import Lifecycle, TurnComplete

__all__ = ["EVENT_BYTES", "WEIGHTLESS", "weight"]

EVENT_BYTES: Final = 256
"""Any event but a fragment of an open block, beside its text."""

MAX_PARTS: Final = 10_000
"""After as many parts of one event nothing more is taken apart."""

WEIGHTLESS: Final = frozenset({bool, datetime, float, int, type(None), StopReason, Usage})
"""What has no text worth counting."""

_TEXTS: Final[Mapping[type, Callable[[Any], Any]]] = {
    Lifecycle: attrgetter("phase", "content"),
    Text: attrgetter("content", "provider_data"),
    ToolCall: attrgetter("id", "name", "arguments", "display", "provider_data"),
    ToolResult: attrgetter("tool_call_id", "content", "display", "truncation", "media"),
}
"""What has text in the kinds that every turn has: looking there costs no call."""


def weight(event: object) -> int:
    """Bytes that an event counts for: always more than a fragment of an open block.

    Characters of text anywhere inside. It is asked for every event, so it
    makes one list, and no call that it can do without.
    """
    total, left = EVENT_BYTES, MAX_PARTS
    parts: list[Any] = [*event.turn.artifacts] if type(event) is TurnComplete else [event]
    for part in parts:  # which grows while it is read
        left -= 1
        kind = type(part)
        if kind is str or kind is bytes:
            total += len(part)
        elif kind is Text and part.provider_data is None:  # by far the most
            total += len(part.content)
        elif kind in WEIGHTLESS:
            continue
        elif left <= 0:
            break
        elif kind is tuple or kind is list:
            parts += part
        elif kind is dict:
            parts += part
            parts += part.values()
        elif kind in _TEXTS:
            parts += filter(None, _TEXTS[kind](part))
        elif isinstance(part, msgspec.Struct):
            parts += msgspec.structs.astuple(part)
    return total
