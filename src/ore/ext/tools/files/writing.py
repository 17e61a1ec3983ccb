"""`write_file` and `edit_file`."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ore.artifact import clean, count_lines
from ore.errors import ToolError
from ore.ext.tools.fences import clipped, fenced
from ore.ext.tools.files.border import Border
from ore.ext.tools.files.changes import changes
from ore.ext.tools.files.contents import HEAD_BYTES, encoding_of, read_up_to, type_of
from ore.ext.tools.files.editing import replaced
from ore.ext.tools.files.replacing import Found, replace_file

__all__ = ["Edited", "Written", "edit", "write"]

LARGEST_BYTES: Final = 16 << 20
"""A file of more than 16 MiB is not edited."""

COMPARED_BYTES: Final = 1 << 20
"""An old file of more than 1 MiB is not compared with the new one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A file that was written.

    Attributes:
        shown: What people see of it.
    """

    name: str
    size_bytes: int
    lines: int
    is_new: bool
    shown: str

    def for_model(self) -> str:
        """How much was written where."""
        what = "a new file" if self.is_new else "in the place of what was there"
        return f"{self.name}: wrote {self.size_bytes} bytes, {self.lines} lines, {what}"

    def for_human(self) -> str:
        """What changed, or the beginning of what is new."""
        return self.shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """A file that was edited."""

    name: str
    lines: Sequence[int]
    shown: str

    def for_model(self) -> str:
        """Where it was edited."""
        if len(self.lines) == 1:
            return f"{self.name}: replaced, in line {self.lines[0]}"
        return f"{self.name}: replaced {len(self.lines)} times, in lines {self.lines[0]} to {self.lines[-1]}"

    def for_human(self) -> str:
        """What changed."""
        return self.shown


def write(border: Border, path: str, content: str) -> Written:
    """Write a whole file.

    Raises:
        ToolError: It cannot be written, or must not.
    """
    if path.endswith("/"):
        raise ToolError(f"path: expected a file, got the directory {path!r}")
    real = border.locate(path)
    data = clean(content).encode()
    with border.telling(path):
        before = _before(border, real)
        existed = replace_file(border, real, data)
    shown = changes(before, data) if existed and before is not None else ""
    return Written(
        name=border.shown(real),
        size_bytes=len(data),
        lines=count_lines(content),
        is_new=not existed,
        shown=shown or fenced(clipped(content), real.suffix[1:]),
    )


def edit(border: Border, path: str, old: str, new: str, *, every: bool) -> Edited:
    """Replace one text of a file by another.

    Raises:
        ToolError: It cannot be edited, or must not; `old` is not there once.
    """
    real = border.locate(path)
    with border.telling(path):
        before, found = _text(border, real)
        made = replaced(before, clean(old), clean(new), every=every)
        replace_file(border, real, made.content, found=found)
    return Edited(name=border.shown(real), lines=made.lines, shown=changes(before, made.content))


def _text(border: Border, real: Path) -> tuple[bytes, Found]:
    name = border.shown(real)
    with border.file(real) as file:
        found = os.fstat(file.fileno())
        content = read_up_to(file, LARGEST_BYTES + 1)
    if len(content) > LARGEST_BYTES:
        raise ToolError(f"{name}: expected a file of at most {LARGEST_BYTES} bytes, got one of {found.st_size}")
    encoding = encoding_of(content[:HEAD_BYTES])
    if encoding is None:
        raise ToolError(f"{name}: expected text, got a binary file ({type_of(content, real.name)})")
    if not encoding.startswith("utf-8"):
        raise ToolError(f"{name}: expected text in UTF-8, got {encoding.upper()}")
    return content, found


def _before(border: Border, real: Path) -> bytes | None:
    """What stood there, where it is text and not long."""
    if border.mode(real) is None:
        return None
    with border.file(real) as file:
        content = read_up_to(file, COMPARED_BYTES + 1)
    return content if len(content) <= COMPARED_BYTES and encoding_of(content[:HEAD_BYTES]) else None
