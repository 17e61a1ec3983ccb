"""`Glob`: patterns of paths, matched in time that grows with the path alone."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

__all__ = ["WILD", "Glob", "name_regex"]

WILD: Final = re.compile(r"[*?\[]")
"""What makes a pattern of a path."""

_DEEP: Final = "**"

Matches = Callable[[str], object]


class Glob:
    """A pattern such as `src/**/*.py`: `*` and `?` stay inside a name, `**` spans any number of folders.

    Args:
        pattern: Parts parted by slashes, as in `.gitignore`: `[a-z]`, `[!a-z]`, and a backslash before a sign
            that stands for itself.
    """

    def __init__(self, pattern: str) -> None:
        parts = [part for part in pattern.split("/") if part]
        if parts and parts[-1] == _DEEP:
            parts.append("*")
        self._parts: Sequence[Matches | None] = [None if part == _DEEP else _matcher(part) for part in parts]

    def matches(self, path: Sequence[str]) -> bool:
        """Whether it is the pattern of a path, given as its names."""
        mine, theirs, deep, again = 0, 0, -1, 0
        while theirs < len(path):
            part = self._parts[mine] if mine < len(self._parts) else _nothing
            if part is None:
                deep, again = mine, theirs
                mine += 1
            elif part(path[theirs]):
                mine += 1
                theirs += 1
            elif deep >= 0:
                again += 1
                mine, theirs = deep + 1, again
            else:
                return False
        return all(part is None for part in self._parts[mine:])


def name_regex(pattern: str) -> str:
    """A regular expression for one name, which never goes back over what a star took."""
    fixed = [""]
    for sign in _signs(pattern):
        if sign == "*":
            fixed.append("")
        else:
            fixed[-1] += sign
    first, *rest = fixed
    if not rest:
        return first + r"\Z"
    # The earliest place of each piece is as good as any later one; only the last piece has to stand at the end.
    return first + "".join(f"(?>.*?{piece})" for piece in rest[:-1] if piece) + f".*{rest[-1]}" + r"\Z"


def _matcher(part: str) -> Matches:
    if not WILD.search(part) and "\\" not in part:
        return part.__eq__
    return re.compile(name_regex(part), re.DOTALL).match


def _nothing(name: str) -> bool:
    return False


def _signs(pattern: str) -> Iterator[str]:
    """Each sign of a pattern as a regular expression; a star as itself."""
    place = 0
    while place < len(pattern):
        sign = pattern[place]
        place += 1
        if sign == "*":
            yield "*"
        elif sign == "?":
            yield "."
        elif sign == "[" and (end := _class_end(pattern, place)):
            yield _class(pattern[place : end - 1])
            place = end
        elif sign == "\\" and place < len(pattern):
            yield re.escape(pattern[place])
            place += 1
        elif sign in "[\\":  # without its end: git takes it for a pattern of nothing
            yield "(?!)"
        else:
            yield re.escape(sign)


def _class_end(pattern: str, place: int) -> int:
    """Behind the bracket that closes a class; 0 when none does."""
    start = place + 1 if pattern[place : place + 1] in ("!", "^") else place
    end = pattern.find("]", start + 1)
    return end + 1


def _class(inside: str) -> str:
    negated = inside[:1] in ("!", "^")
    items, place, signs = [], 0, inside[1:] if negated else inside
    while place < len(signs):
        if signs[place + 1 : place + 2] == "-" and place + 2 < len(signs):
            first, last = signs[place], signs[place + 2]
            # Of a range that runs backwards git takes the first sign alone.
            items.append(f"{re.escape(first)}-{re.escape(last)}" if first <= last else re.escape(first))
            place += 3
        else:
            items.append(re.escape(signs[place]))
            place += 1
    return f"[{'^' if negated else ''}{''.join(items)}]"
