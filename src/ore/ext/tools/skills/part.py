"""`part_of`: as much of a text as a model takes at once."""

from typing import Final

from ore.artifact import Cut, TruncationStyle, count_lines, truncate

__all__ = ["MAX_BYTES", "MAX_LINES", "part_of"]

MAX_BYTES: Final = 50_000
"""50,000 bytes: the original's tool default."""

MAX_LINES: Final = 2_000
"""2,000 lines: the original's tool default."""


def part_of(text: str, offset: int) -> str:
    """The lines from `offset` on, from 1, as many as fit; a last line says where the next ones begin."""
    first = max(offset, 1)
    total = count_lines(text)
    if first > max(total, 1):
        return f"[it has {total} lines, so there is none from {first} on]"
    rest = text.split("\n", first - 1)[-1]
    kept, missing = truncate(rest, Cut(max_bytes=MAX_BYTES, max_lines=MAX_LINES, style=TruncationStyle.HEAD))
    if missing is None:
        return kept
    after = first + count_lines(kept)
    is_clipped = not kept.endswith("\n") and not rest[len(kept) :].startswith("\n")
    long = f"line {after - 1} is longer than what is shown of it; " if is_clipped else ""
    next_ones = f"; the next ones: offset={after}" if after <= total else ""
    return f"{kept.removesuffix(chr(10))}\n[{long}lines {first} to {after - 1} of {total}{next_ones}]"
