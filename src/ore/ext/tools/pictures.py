"""`picture`: what a tool gives a model to look at."""

from collections.abc import Iterator
from typing import Final, Literal

from ore.artifact import Image
from ore.errors import ToolError
from ore.ext.wires.media import sniffed

__all__ = ["LARGEST_BYTES", "LONGEST_SIDE", "PICTURE_TYPES", "measured", "picture"]

PICTURE_TYPES: Final = frozenset({"image/gif", "image/jpeg", "image/png", "image/webp"})
"""What every vendor takes that takes pictures."""

LARGEST_BYTES: Final = 3_932_160
"""3.75 MiB: 5 MiB of base64, the least that a vendor takes (Anthropic, "Vision", read 2026-11)."""

LONGEST_SIDE: Final = 8_000
"""Pixels of a side, of the same source."""


def picture(data: bytes, name: str | None = None) -> Image:
    """An image of these bytes.

    Raises:
        ToolError: It is larger than vendors take, which would make the next request fail.
    """
    media_type = sniffed(data)
    if len(data) > LARGEST_BYTES:
        raise ToolError(f"expected a picture of at most {LARGEST_BYTES} bytes, got {len(data)} ({media_type})")
    sides = measured(data)
    if sides is not None and max(sides) > LONGEST_SIDE:
        raise ToolError(
            f"expected a picture of at most {LONGEST_SIDE} pixels a side, got {sides[0]} × {sides[1]} ({media_type})"
        )
    return Image(media_type=media_type, name=name, size_bytes=len(data), data=data)


def measured(data: bytes) -> tuple[int, int] | None:
    """Width and height by what its head says; `None` where that says nothing."""
    match sniffed(data):
        case "image/png":
            return _sides(data[16:20], data[20:24], "big")
        case "image/gif":
            return _sides(data[6:8], data[8:10], "little")
        case "image/jpeg":
            return next(_jpeg(data), None)
        case "image/webp":
            return _webp(data)
    return None


def _sides(width: bytes, height: bytes, order: Literal["big", "little"]) -> tuple[int, int] | None:
    return (int.from_bytes(width, order), int.from_bytes(height, order)) if height else None


def _jpeg(data: bytes) -> Iterator[tuple[int, int]]:
    """The frame header (ITU-T T.81, B.2.2): segments before it are stepped over."""
    place = 2
    while place + 9 <= len(data) and data[place] == 0xFF:
        kind = data[place + 1]
        if kind == 0xFF or kind == 0x01 or 0xD0 <= kind <= 0xD9:  # filling, and what has no length
            place += 1 if kind == 0xFF else 2
            continue
        if 0xC0 <= kind <= 0xCF and kind not in (0xC4, 0xC8, 0xCC):
            yield int.from_bytes(data[place + 7 : place + 9], "big"), int.from_bytes(data[place + 5 : place + 7], "big")
            return
        place += 2 + int.from_bytes(data[place + 2 : place + 4], "big")


def _webp(data: bytes) -> tuple[int, int] | None:
    """The first chunk (RFC 9649, 2.5 to 2.7)."""
    if len(data) < 30:
        return None
    match data[12:16]:
        case b"VP8X":
            return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
        case b"VP8L":
            bits = int.from_bytes(data[21:25], "little")
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case b"VP8 ":
            sides = _sides(data[26:28], data[28:30], "little")
            return (sides[0] & 0x3FFF, sides[1] & 0x3FFF) if sides else None
    return None
