"""`read_file`: what a file holds, as a model can take it."""

import os
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from ore.artifact import Image
from ore.ext.tools.fences import clipped, fenced
from ore.ext.tools.files.border import Border
from ore.ext.tools.files.contents import HEAD_BYTES, encoding_of, read_up_to, text_blocks, type_of
from ore.ext.tools.files.patience import Patience
from ore.ext.tools.files.window import MAX_LINES, Window, window
from ore.ext.tools.inert import quoted_name
from ore.ext.tools.pictures import LARGEST_BYTES, PICTURE_TYPES, picture

__all__ = ["FilePart", "Lines", "read"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Which lines of a file: `limit` of them from `offset` on, which counts from 1."""

    offset: int = 1
    limit: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePart:
    """Lines of a text file."""

    name: str
    size_bytes: int
    window: Window

    def for_model(self) -> str:
        """The lines as `N|text`, and how to get the next ones."""
        part = self.window
        if not part.lines:
            what = f"it has {part.total} lines" if part.total else "it is empty"
            return f"[{self.name}: {what}, so there is none from {part.first} on]" if part.total else f"[{what}]"
        notes = [part.told()]
        if part.is_changed:
            notes.append("[signs such as ␛ and � stand for control characters and bytes that are no UTF-8]")
        return "\n".join([part.numbered(), *(note for note in notes if note)])

    def for_human(self) -> str:
        """The beginning of the lines, as they are."""
        return fenced(clipped("\n".join(self.window.lines)), Path(self.name).suffix[1:])


def read(border: Border, path: str, lines: Lines, patience: Patience) -> FilePart | Image | str:
    """Read a file: its lines, a picture, or what it is when it is neither.

    Raises:
        ToolError: It cannot be read; the message says why.
    """
    real = border.locate(path)
    with border.telling(path), border.file(real) as file:
        size_bytes = os.fstat(file.fileno()).st_size
        head = read_up_to(file, HEAD_BYTES)
        encoding = encoding_of(head)
        if encoding is None:
            return _other(head, file, quoted_name(real.name), size_bytes)
        first = max(lines.offset, 1)
        limit = lines.limit if lines.limit and lines.limit > 0 else MAX_LINES
        part = window(text_blocks(head, file, encoding), first, min(limit, MAX_LINES), patience)
        return FilePart(name=border.shown(real), size_bytes=size_bytes, window=part)


def _other(head: bytes, file: FileIO, name: str, size_bytes: int) -> Image | str:
    media_type = type_of(head, name)
    if media_type in PICTURE_TYPES and size_bytes <= LARGEST_BYTES:
        return picture(head + read_up_to(file, LARGEST_BYTES), name)
    why = f"larger than {LARGEST_BYTES} bytes" if media_type in PICTURE_TYPES else "no text"
    return f"[{name}] ({media_type}, {size_bytes} bytes): it is {why}, so it is not shown"
