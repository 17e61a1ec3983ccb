"""`nearest`: what a text that is not in a file was most likely meant to be."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

from ore.ext.tools.inert import inert

__all__ = ["nearest"]

MOST_LINES: Final = 10_000
"""Lines that are compared."""

LONGEST: Final = 200
"""Characters of a line that are compared."""

SHOWN: Final = 3
"""Lines that are shown."""

LEAST: Final = 0.6
"""Likeness below which a line is no guess: the default of `difflib`."""

_NUMBERED: Final = re.compile(r"\d+\|")


def nearest(content: bytes, old: str) -> str:
    """Words for the end of an error: where it stands but for white space, or the lines that are most like it.

    Args:
        content: The file, lines ending with a newline.
        old: What was looked for.
    """
    wanted = old.replace("\r\n", "\n").split("\n")
    if any(wanted) and all(_NUMBERED.match(line) for line in wanted if line):
        return "; leave out the line numbers that read_file puts before each line"
    lines = content.decode("utf-8", "replace").split("\n")[:MOST_LINES]
    if place := _but_for_blanks(lines, wanted):
        last = place + len(_filled(wanted)) - 1
        return f"; lines {place} to {last} differ from it in white space alone:\n{_told(lines, place, last)}"
    close = _close(lines, max(wanted, key=lambda line: len(line.strip()))[:LONGEST].strip())
    if not close:
        return ""
    return "; the lines most like it:\n" + "\n".join(_told(lines, place, place) for place in sorted(close))


def _filled(wanted: Sequence[str]) -> list[str]:
    """The lines without empty ones at both ends."""
    return "\n".join(wanted).strip("\n").split("\n")


def _but_for_blanks(lines: Sequence[str], wanted: Sequence[str]) -> int:
    """The number of the line where it begins, white space aside; 0 when nowhere."""
    bare = ["".join(line.split()) for line in lines]
    sought = ["".join(line.split()) for line in _filled(wanted)]
    if not any(sought):
        return 0
    for place in range(len(bare) - len(sought) + 1):
        if bare[place] == sought[0] and bare[place : place + len(sought)] == sought:
            return place + 1
    return 0


def _close(lines: Sequence[str], wanted: str) -> list[int]:
    """Numbers of the lines most like one."""
    if not wanted:
        return []
    matcher = SequenceMatcher(b=wanted, autojunk=False)
    best: list[tuple[float, int]] = []
    for number, line in enumerate(lines, 1):
        matcher.set_seq1(line[:LONGEST].strip())
        least = best[-1][0] if len(best) == SHOWN else LEAST
        if matcher.real_quick_ratio() > least and matcher.quick_ratio() > least and (ratio := matcher.ratio()) > least:
            best = sorted([*best, (ratio, number)], key=lambda one: -one[0])[:SHOWN]
    return [number for _, number in best]


def _told(lines: Sequence[str], first: int, last: int) -> str:
    shown = range(first, min(last, first + SHOWN * 2) + 1)
    return "\n".join(f"{number}|{inert(lines[number - 1][:LONGEST])}" for number in shown)
