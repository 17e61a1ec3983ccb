"""`weight`: what an event takes up in the log, estimated without encoding it."""

from datetime import datetime
from typing import Final

import msgspec

__all__ = ["weight"]

EVENT_BYTES: Final = 256
"""Any event but a fragment of an open block, beside its text."""

MAX_PARTS: Final = 10_000
"""What lies beyond as many parts of one event counts nothing."""

_WEIGHTLESS: Final = frozenset({bool, datetime, float, int, type(None)})


def weight(event: object) -> int:
    """Bytes that an event counts for: always more than a fragment of an open block.

    Characters of text anywhere inside. It is asked for every event, so it
    makes one list, and no call that it can do without.
    """
    total = EVENT_BYTES
    parts: list[object] = [event]
    for part in parts:  # which grows while it is read
        kind = type(part)
        if kind in _WEIGHTLESS:
            continue
        if kind is str or kind is bytes:
            total += len(part)  # type: ignore[arg-type]  # mypy does not narrow by `type`
        elif kind is tuple or kind is list:
            parts += part  # type: ignore[operator]  # as above
        elif kind is dict:
            parts += [*part, *part.values()]  # type: ignore[misc, attr-defined]  # as above
        elif isinstance(part, msgspec.Struct) and len(parts) < MAX_PARTS:
            parts += msgspec.structs.astuple(part)
    return total
