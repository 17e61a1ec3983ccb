"""`replaced`: one text for another in a file, with nothing else touched."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from ore.errors import ToolError
from ore.ext.tools.files.nearest import nearest

__all__ = ["Edit", "replaced"]

MOST: Final = 100_000
"""Places where one edit replaces something."""

NAMED: Final = 10
"""Places that an error names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What a file became.

    Attributes:
        content: All of its bytes.
        lines: Numbers of the lines where something was replaced, from 1.
    """

    content: bytes
    lines: Sequence[int]


def replaced(content: bytes, old: str, new: str, *, every: bool) -> Edit:
    r"""Put `new` in the place of `old`.

    Line ends are those of the file: `\n` in `old` is found as `\r\n` too, and
    what is put in its place ends its lines as the lines there did. All else
    stays as it is, bytes that are no UTF-8 too.

    Raises:
        ToolError: `old` is empty, is not there, or stands in several places
            and not `every` one was meant; or nothing would change.
    """
    if not old:
        raise ToolError("old: expected the text to replace, got none; write_file writes a whole file")
    if old == new:
        raise ToolError("new: expected another text than old, got the same")
    ends = _Ends(content)
    wanted = _plain(old).encode("utf-8", "replace")
    if ends.plain.count(wanted) > MOST:
        raise ToolError(
            f"old: expected a text that is in the file at most {MOST} times, got one that is there more often"
        )
    found = _places(ends.plain, wanted)
    if not found:
        raise ToolError(f"old: it is not in the file{nearest(ends.plain, old)}")
    if len(found) > 1 and not every:
        lines = [ends.plain.count(b"\n", 0, place) + 1 for place in found[:NAMED]]
        more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
        raise ToolError(
            f"old: expected a text that is in the file once, got one that is there {len(found)} times, in lines "
            f"{', '.join(map(str, lines))}{more}; give more of the lines around it, or all=true to replace each"
        )
    return _made(ends, found, len(wanted), _plain(new).encode("utf-8", "replace"))


def _places(content: bytes, wanted: bytes) -> list[int]:
    """Where it begins, without overlaps; a single one that overlaps another counts as two."""
    found, place = [], content.find(wanted)
    while place >= 0:
        found.append(place)
        place = content.find(wanted, place + len(wanted))
    if len(found) == 1 and (other := content.find(wanted, found[0] + 1)) >= 0:
        found.append(other)
    return found


def _made(ends: "_Ends", found: Sequence[int], length: int, new: bytes) -> Edit:
    pieces, lines, behind, line, counted = [], [], 0, 1, 0
    for place in found:
        if place < behind:  # overlaps the one before
            continue
        line += ends.plain.count(b"\n", counted, place)
        counted = place
        lines.append(line)
        pieces.append(ends.original[ends.before(behind) : ends.before(place)])
        pieces.append(new.replace(b"\n", ends.end_at(place)))
        behind = place + length
    pieces.append(ends.original[ends.before(behind) :])
    content = b"".join(pieces)
    if content == ends.original:
        raise ToolError("new: expected another text than old, got one that differs in its line ends alone")
    return Edit(content=content, lines=lines)


class _Ends:
    r"""A file with `\n` for `\r\n`, and where each of them was."""

    def __init__(self, content: bytes) -> None:
        self.original = content
        self.plain = content.replace(b"\r\n", b"\n") if b"\r\n" in content else content

    @cached_property
    def _long(self) -> Sequence[int]:
        """Places in the plain file of the ends that were two bytes."""
        return [found.start() - place for place, found in enumerate(re.finditer(rb"\r\n", self.original))]

    def before(self, place: int) -> int:
        """A place of the plain file in the original."""
        return place + bisect_left(self._long, place)

    def end_at(self, place: int) -> bytes:
        """How the line at a place ends; where it is the last, the line before."""
        end = self.plain.find(b"\n", place)
        if end < 0:
            end = self.plain.rfind(b"\n", 0, place)
        at = bisect_left(self._long, end)
        return b"\r\n" if end >= 0 and self._long[at : at + 1] == [end] else b"\n"


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")
