"""What a file holds: text in some encoding, a picture, or something else."""

import codecs
import mimetypes
from collections.abc import Iterator
from io import FileIO
from typing import Final

from ore.ext.wires.media import sniffed

__all__ = ["HEAD_BYTES", "encoding_of", "read_up_to", "text_blocks", "type_of"]

HEAD_BYTES: Final = 8_192
"""What is looked at to tell text from the rest; git looks at 8,000 bytes for a NUL."""

BLOCK_BYTES: Final = 1 << 18

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Longer marks stand before those that they begin with."""


def encoding_of(head: bytes) -> str | None:
    """The encoding of a text by its first bytes: its mark, else UTF-8; `None` when it is no text."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    return None if b"\0" in head or sniffed(head) else "utf-8"


def type_of(head: bytes, name: str) -> str:
    """The media type by the first bytes, else by the name."""
    return sniffed(head) or mimetypes.guess_type(name)[0] or "application/octet-stream"


def read_up_to(file: FileIO, limit_bytes: int) -> bytes:
    """The next bytes, at most so many; a file that has none at the moment is at its end."""
    blocks, left = [], limit_bytes
    while left > 0 and (block := file.read(min(left, BLOCK_BYTES))):
        blocks.append(block)
        left -= len(block)
    return b"".join(blocks)


def text_blocks(head: bytes, file: FileIO, encoding: str) -> Iterator[bytes]:
    """A text as UTF-8, in blocks cut anywhere, without its mark; what is no UTF-8 stays as it is.

    Args:
        head: Its beginning, read from `file` before.
        encoding: As `encoding_of` says.
    """
    if encoding in ("utf-8", "utf-8-sig"):
        yield head.removeprefix(codecs.BOM_UTF8)
        while block := file.read(BLOCK_BYTES):
            yield block
        return
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    yield decoder.decode(head).encode("utf-8", "replace")
    while block := file.read(BLOCK_BYTES):
        yield decoder.decode(block).encode("utf-8", "replace")
    yield decoder.decode(b"", True).encode("utf-8", "replace")
