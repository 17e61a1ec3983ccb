"""Lines with a checksum: what a log holds of each, and where the last whole one ends."""

from zlib import crc32

from ore.errors import CorruptError

__all__ = ["ONE_LINE", "line_of", "lines_in"]

ONE_LINE = bytes.maketrans(b"\r\n", b"  ")
"""Makes JSON stand on one line: in it, ends of lines are only ever white space."""

_SUM = 8
"""Hexadecimal digits of a checksum; a space follows."""


def line_of(content: bytes) -> bytes:
    """`content`, which is JSON, as one line."""
    content = content.translate(ONE_LINE)
    return b"%08x %b\n" % (crc32(content), content)


def lines_in(log: bytes, name: str) -> tuple[list[bytes], int]:
    """The contents of all whole lines, and the place where the last of them ends.

    What follows that place was being written when the process died.

    Raises:
        CorruptError: A line in the middle is not what it was.
    """
    contents: list[bytes] = []
    at = 0
    while (end := log.find(b"\n", at)) >= 0 and (content := _content(log[at:end])) is not None:
        contents.append(content)
        at = end + 1
    later = log[at:].split(b"\n")[1:-1]  # the last piece has no end, so it is no line
    if any(_content(line) is not None for line in later):
        raise CorruptError(f"{name}: line {len(contents) + 1} does not match its checksum")
    return contents, at


def _content(line: bytes) -> bytes | None:
    content = line[_SUM + 1 :]
    return content if line[: _SUM + 1] == b"%08x " % crc32(content) else None
