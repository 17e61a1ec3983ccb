"""Recorded answers: the file or the pipe that they stand in, and what they look like."""

import gzip
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final, Protocol

from ore.cli.terminal import is_terminal, say
from ore.errors import InputError

__all__ = ["Readable", "looks_like", "opened"]

_GZIP: Final = b"\x1f\x8b"
_COMPRESSED: Final = (
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ", "xz"),
    (b"PK\x03\x04", "zip"),
)
"""By their first bytes; brotli has none that tell it."""

_LOOKS: Final = (
    ("openai-responses", re.compile(rb'"type"\s*:\s*"response\.|"object"\s*:\s*"response"')),
    ("anthropic", re.compile(rb'"type"\s*:\s*"(message_start|content_block_start|message)"')),
    ("gemini", re.compile(rb'"candidates"\s*:|"usageMetadata"\s*:')),
    ("openai-chat", re.compile(rb'"choices"\s*:\s*\[')),
    ("ollama", re.compile(rb'"done"\s*:\s*(true|false)')),
)


class Readable(Protocol):
    """What bytes can be read from."""

    def read(self, size: int = -1, /) -> bytes:
        """At most so many of the next ones; none at the end."""
        ...


class _Pieced:
    """A file of which the beginning was read already."""

    def __init__(self, head: bytes, rest: Readable) -> None:
        self._head = head
        self._rest = rest

    def read(self, size: int = -1, /) -> bytes:
        if 0 <= size <= len(self._head):
            head, self._head = self._head[:size], self._head[size:]
            return head
        head, self._head = self._head, b""
        return head + self._rest.read(size - len(head) if size > 0 else -1)


class _Unpacked:
    """What a gzip file holds."""

    def __init__(self, packed: Readable, name: str) -> None:
        self._file = gzip.GzipFile(fileobj=packed)  # type: ignore[call-overload]  # it only reads
        self._name = name

    def read(self, size: int = -1, /) -> bytes:
        try:
            found: bytes = self._file.read(size)
        except (EOFError, OSError, zlib.error):
            raise InputError(f"{self._name!r}: expected a whole gzip file, got one that is cut or broken") from None
        return found


@contextmanager
def opened(name: str) -> Iterator[Readable]:
    """The file of a name, or standard input for `-`; what gzip packed is unpacked.

    Raises:
        InputError: It cannot be read, or is packed in another way.
    """
    try:
        if name == "-":
            yield _unpacked(_standard_input(), "standard input")
            return
        with open(name, "rb") as file:
            yield _unpacked(file, name)
    except OSError as error:
        raise InputError(f"{name!r} cannot be read: {error.strerror or error}") from None


def looks_like(head: bytes) -> str | None:
    """The protocol that the beginning of an answer may be of; `None` where it looks like none."""
    return next((protocol for protocol, pattern in _LOOKS if pattern.search(head)), None)


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise InputError("expected the body of an answer on standard input, which is closed")
    if is_terminal(sys.stdin):
        say("ore: reading the answer from the terminal; Ctrl-D ends it")
    return sys.stdin.buffer


def _unpacked(file: Readable, name: str) -> Readable:
    head = file.read(8)
    found = _Pieced(head, file)
    if head.startswith(_GZIP):
        return _Unpacked(found, name)
    for mark, kind in _COMPRESSED:
        if head.startswith(mark):
            raise InputError(f"{name!r}: expected the body of an answer, got a file packed by {kind}; unpack it first")
    return found
