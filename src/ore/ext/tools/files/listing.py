"""`list_files`: what stands in a folder."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from ore.errors import ToolError
from ore.ext.tools.files.border import Border
from ore.ext.tools.files.patience import Patience
from ore.ext.tools.files.place import Place, place_of
from ore.ext.tools.files.walk import Entry, Names, Walk
from ore.ext.tools.files.window import MAX_BYTES
from ore.ext.tools.inert import quoted_name

__all__ = ["MOST_ENTRIES", "Listing", "listed"]

MOST_ENTRIES: Final = 1_000
"""Names that a model gets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Names, sorted.

    Attributes:
        lines: Those that are shown; directories end with a slash.
        total: How many there are.
        hidden: How many begin with a dot, and were left out.
        ignored: How many were left out by ignore files.
        is_whole: Whether everything was looked at.
    """

    lines: Sequence[str]
    total: int
    hidden: int = 0
    ignored: int = 0
    is_whole: bool = True

    def for_model(self) -> str:
        """The names, and what is missing among them."""
        return "\n".join([*self.lines, *self._notes()])

    def _notes(self) -> Iterator[str]:
        if not self.total:
            yield "[nothing]"
        if len(self.lines) < self.total:
            more = "" if self.is_whole else "more than "
            yield f"[{len(self.lines)} of {more}{self.total} entries]"
        elif not self.is_whole:
            yield "[not everything was looked at: it took too long]"
        left = [f"{count} {why}" for count, why in ((self.hidden, "hidden"), (self.ignored, "ignored")) if count]
        if left:
            yield f"[left out: {', '.join(left)}]"


def listed(border: Border, path: str, patience: Patience) -> Listing:
    """What stands in a folder, or below it where the path is a pattern.

    Raises:
        ToolError: There is no such folder, or it lies outside.
    """
    place = place_of(border, path)
    if not place.is_folder:
        raise ToolError(f"path: expected a directory, got the file {quoted_name(path)}")
    with border.telling(path):
        return _matching(border, place, patience) if place.glob else _inside(border, place, patience)


def _inside(border: Border, place: Place, patience: Patience) -> Listing:
    walk = Walk(border, place.real, patience)
    with closing(walk.folders()) as folders:
        names: Names = next(folders)
    shown = _shown(entry.name + _sign(entry) for entry in names.entries[:MOST_ENTRIES])
    return Listing(
        lines=shown,
        total=len(names.entries),
        hidden=names.hidden,
        ignored=names.ignored,
        is_whole=not walk.is_cut,
    )


def _matching(border: Border, place: Place, patience: Patience) -> Listing:
    walk = Walk(border, place.real, patience)
    found: list[Entry] = []
    total = 0
    for entry in walk.entries():
        if place.wants(entry.path):
            total += 1
            if total <= MOST_ENTRIES:
                found.append(entry)
    paths = sorted(walk.shown(entry.path) + _sign(entry) for entry in found)
    return Listing(lines=_shown(paths), total=total, is_whole=not walk.is_cut)


def _sign(entry: Entry) -> str:
    return {"directory": "/", "file": "", "link": " (link)"}.get(entry.kind, " (neither file nor directory)")


def _shown(names: Iterable[str]) -> list[str]:
    lines, left_bytes = [], MAX_BYTES
    for name in map(quoted_name, names):
        left_bytes -= len(name.encode()) + 1
        if left_bytes < 0:
            break
        lines.append(name)
    return lines
