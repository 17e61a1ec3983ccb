"""`weight`: what an event takes up in the log, estimated without encoding it."""

from datetime import datetime
from typing import Any, Final

import msgspec

__all__ = ["weight"]

EVENT_BYTES: Final = 256
"""Any event but a fragment of an open block, beside its text."""

MAX_PARTS: Final = 10_000
"""After as many parts of one event nothing more is taken apart."""

_WEIGHTLESS: Final = frozenset({bool, datetime, float, int, type(None)})


def weight(event: object) -> int:
    """Bytes that an event counts for: always more than a fragment of an open block.

    Characters of text anywhere inside. It is asked for every event, so it
    makes one list, and no call that it can do without.
    """
    total = EVENT_BYTES
    parts: list[Any] = [event]
    for part in parts:  # which grows while it is read
        kind = type(part)
        if kind in _WEIGHTLESS:
            continue
        if kind is str or kind is bytes:
            total += len(part)
        elif len(parts) >= MAX_PARTS:
            continue
        elif kind is tuple or kind is list:
            parts += part
        elif kind is dict:
            parts += part
            parts += part.values()
        elif isinstance(part, msgspec.Struct):
            parts += msgspec.structs.astuple(part)
    return total
