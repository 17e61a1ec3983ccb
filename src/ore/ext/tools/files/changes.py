"""`changes`: what became of a text, for people."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final

from ore.ext.tools.fences import clipped, fenced
from ore.ext.tools.inert import inert

__all__ = ["changes"]

MOST_LINES: Final = 1_000
"""Lines that are compared one by one; more are shown as all gone and all new."""

AROUND: Final = 3
"""Lines shown before and behind a change."""


def changes(before: bytes, after: bytes) -> str:
    """A unified diff as a block of Markdown, its end left out when it is long; empty when nothing changed."""
    old, new = _lines(before), _lines(after)
    start = _alike(old, new)
    end = _alike(old[start:][::-1], new[start:][::-1])
    first = max(start - AROUND, 0)
    behind = max(end - AROUND, 0)
    hunks = _hunks(old[first : len(old) - behind], new[first : len(new) - behind], first)
    text = "\n".join(hunks)
    return fenced(clipped(inert(text)), "diff") if text else ""


def _lines(content: bytes) -> list[str]:
    lines = content.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else [*lines[:-1], f"{lines[-1]}\n\\ no newline at the end"]


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines both begin with."""
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _hunks(old: Sequence[str], new: Sequence[str], first: int) -> Iterator[str]:
    for group in _groups(old, new):
        a, b = group[0][1:4:2], group[-1][2:5:2]
        yield f"@@ -{_range(first, a[0], b[0])} +{_range(first, a[1], b[1])} @@"
        for kind, i1, i2, j1, j2 in group:
            if kind == "equal":
                yield from (f" {line}" for line in old[i1:i2])
                continue
            yield from (f"-{line}" for line in old[i1:i2])
            yield from (f"+{line}" for line in new[j1:j2])


def _groups(old: Sequence[str], new: Sequence[str]) -> Iterator[list[tuple[str, int, int, int, int]]]:
    if max(len(old), len(new)) <= MOST_LINES:
        yield from SequenceMatcher(None, old, new).get_grouped_opcodes(AROUND)
    elif old != new:
        yield [("replace", 0, len(old), 0, len(new))]


def _range(first: int, start: int, stop: int) -> str:
    return f"{first + start + (1 if stop > start else 0)},{stop - start}"
