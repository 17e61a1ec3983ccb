"""`search_files`: lines that match, in files of a folder and below."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from ore.errors import ToolError
from ore.ext.tools.files.border import Border, open_regular
from ore.ext.tools.files.contents import HEAD_BYTES, encoding_of
from ore.ext.tools.files.matcher import Matcher, matcher
from ore.ext.tools.files.patience import Patience
from ore.ext.tools.files.place import Place, place_of
from ore.ext.tools.files.walk import Names, Walk
from ore.ext.tools.files.window import MAX_BYTES

__all__ = ["LARGEST_BYTES", "MOST_HITS", "Found", "searched"]

MOST_HITS: Final = 500
"""Lines that a model gets; the search ends there."""

LARGEST_BYTES: Final = 256 << 20
"""A file of more than 256 MiB is named, not searched."""

BATCH: Final = 200
"""Files that are open at once."""

NAMED: Final = 10
"""Files that are named of those that were not searched."""


@dataclass(slots=True, kw_only=True)
class Found:
    """What a search came to.

    Attributes:
        lines: `path:line: text`, in the order of the files.
        files: How many files were searched.
        binary: Those that are no text.
        large: Those that are too large.
        refused: How many files and folders could not be read.
        stopped: Why it ended early; empty when it did not.
    """

    lines: list[str] = field(default_factory=list)
    files: int = 0
    binary: list[str] = field(default_factory=list)
    large: list[str] = field(default_factory=list)
    refused: int = 0
    stopped: str = ""

    def for_model(self) -> str:
        """The lines, and what was not searched."""
        return "\n".join([*self.lines, *self._notes()])

    def _notes(self) -> Iterator[str]:
        if not self.lines:
            yield f"[no match in {self.files} files]"
        if self.stopped:
            yield f"[{self.stopped}]"
        for names, why in ((self.binary, "they are no text"), (self.large, f"over {LARGEST_BYTES >> 20} MiB")):
            if names:
                more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
                yield f"[not searched, {why}: {', '.join(names[:NAMED])}{more}]"
        if self.refused:
            yield f"[could not be read: {self.refused}]"


def searched(border: Border, pattern: str, path: str, patience: Patience) -> Found:
    """Search a file, a folder, or what a pattern of paths matches.

    Raises:
        ToolError: The pattern is none, there is no such path, or it lies outside.
    """
    place = place_of(border, path)
    search = _Search(matcher(pattern), patience)
    with border.telling(path):
        try:
            if place.is_folder:
                search.folder(border, place)
            else:
                search.file(border, place)
        finally:
            search.close()
    return search.found


class _Search:
    """Gathers open files, and has them searched some at a time."""

    def __init__(self, matcher: Matcher, patience: Patience) -> None:
        self.found = Found()
        self._matcher = matcher
        self._patience = patience
        self._files: list[tuple[int, str]] = []
        self._left_bytes = MAX_BYTES

    def folder(self, border: Border, place: Place) -> None:
        walk = Walk(border, place.real, self._patience)
        for names in walk.folders():
            self._take_all(walk, names, place)
            if self.found.stopped:
                return
        self._flush()
        self.found.refused += walk.refused
        if walk.is_cut:
            self._stop()

    def file(self, border: Border, place: Place) -> None:
        with border.folder(place.real.parent) as folder:
            self._take(place.real.name, folder, border.shown(place.real))
        self._flush()

    def close(self) -> None:
        while self._files:
            os.close(self._files.pop()[0])

    def _take_all(self, walk: Walk, names: Names, place: Place) -> None:
        for entry in names.entries:
            if entry.kind == "file" and place.wants(entry.path):
                self._take(entry.name, names.opened, walk.shown(entry.path))
            if self.found.stopped:
                return

    def _take(self, name: str, folder: int, shown: str) -> None:
        try:
            opened = open_regular(name, folder)
        except (OSError, ToolError):
            self.found.refused += 1
            return
        try:
            fit = self._fits(opened, shown)
        except OSError:
            self.found.refused += 1
            fit = False
        if not fit:
            os.close(opened)
            return
        self._files.append((opened, shown))
        if len(self._files) >= BATCH:
            self._flush()
        if self._patience.is_over:
            self._stop()

    def _fits(self, opened: int, shown: str) -> bool:
        """Whether a file is one to search; otherwise it is named."""
        if os.fstat(opened).st_size > LARGEST_BYTES:
            self.found.large.append(shown)
            return False
        head = os.pread(opened, HEAD_BYTES, 0)
        if encoding_of(head) not in ("utf-8", "utf-8-sig", "utf-16"):
            self.found.binary.append(shown)
            return False
        if not head:
            self.found.files += 1
        return bool(head)

    def _flush(self) -> None:
        if not self._files or self.found.stopped:
            return
        try:
            self._match([opened for opened, _ in self._files])
        finally:
            self.found.files += len(self._files)
            self.close()
        if self._patience.is_over:
            self._stop()

    def _match(self, files: Sequence[int]) -> None:
        for hit in self._matcher.hits(files, self._patience):
            line = f"{self._files[hit.place][1]}:{hit.line}: {hit.text}"
            self._left_bytes -= len(line.encode()) + 1
            if self._left_bytes < 0 or len(self.found.lines) >= MOST_HITS:
                count = len(self.found.lines)
                self.found.stopped = f"stopped at {count} lines; a narrower pattern or path finds the others"
                return
            self.found.lines.append(line)

    def _stop(self) -> None:
        self.found.stopped = (
            self.found.stopped
            or f"stopped after {self._patience.limit_s:g} s: not everything was searched; a narrower path may help"
        )
