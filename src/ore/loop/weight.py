"""`weight`: what an event takes up in the log, estimated without encoding it."""

from collections.abc import Mapping
from typing import Final

import msgspec

__all__ = ["weight"]

EVENT_BYTES: Final = 256
"""Any event but a fragment of an open block, beside its text."""

DEPTH: Final = 8


def weight(event: object) -> int:
    """Bytes that an event counts for: always more than a fragment of an open block."""
    return EVENT_BYTES + _length(event, DEPTH)


def _length(value: object, depth: int) -> int:
    """Characters of text anywhere inside; what stands deeper than `DEPTH` counts nothing."""
    if isinstance(value, str | bytes):
        return len(value)
    if depth == 0:
        return 0
    if isinstance(value, msgspec.Struct):
        return sum(_length(getattr(value, name), depth - 1) for name in value.__struct_fields__)
    if isinstance(value, tuple | list):
        return sum(_length(item, depth - 1) for item in value)
    if isinstance(value, Mapping):
        return sum(_length(key, 0) + _length(item, depth - 1) for key, item in value.items())
    return 0
