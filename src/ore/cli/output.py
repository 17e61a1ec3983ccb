"""`Output`: standard output, which never holds up what runs."""

import asyncio
import os
import select
import sys
from typing import Final

from ore.cli.status import DONE, FAILED, Status
from ore.cli.terminal import inert, inert_json, is_terminal, say

__all__ = ["Output"]

PIECE_BYTES: Final[int] = getattr(select, "PIPE_BUF", 512)
"""Bytes that a pipe takes at once when it takes any, as POSIX promises."""


class Output:
    """Standard output, written at once and in UTF-8.

    On a terminal control characters do nothing; into a pipe or a file they go
    as they came. When the reader leaves, what comes later is dropped.

    Attributes:
        terminal: Whether a person sees it.
        closed: Whether nobody reads it any more.
    """

    def __init__(self) -> None:
        self._stream = sys.stdout
        self.terminal = is_terminal(sys.stdout)
        self.closed = sys.stdout is None
        self._error: OSError | None = None
        self._descriptor = self._find()

    def text(self, text: str) -> None:
        """Write text; waits as long as the reader takes."""
        rest = self._encoded(inert(text) if self.terminal else text)
        while rest and not self.closed:
            rest = rest[self._write(rest) :]

    def json(self, line: bytes) -> None:
        """Write one line of JSON; waits as long as the reader takes."""
        self.text(self._line(line))

    async def put_text(self, text: str) -> None:
        """Write text; others go on while a slow reader is waited for."""
        rest = self._encoded(inert(text) if self.terminal else text)
        while rest and not self.closed:
            if self._descriptor is not None and not _takes(self._descriptor):
                await _room(self._descriptor)
            rest = rest[self._write(rest[:PIECE_BYTES]) :]

    async def put_json(self, line: bytes) -> None:
        """Write one line of JSON; others go on while a slow reader is waited for."""
        await self.put_text(self._line(line))

    def status(self, status: Status) -> Status:
        """The exit status of a command that came to `status`, unless something could not be written; says so then."""
        if self._error is None:
            return status
        say(f"ore: standard output: {self._error.strerror}")
        return FAILED if status == DONE else status

    def _line(self, line: bytes) -> str:
        text = line.decode()
        return f"{inert_json(text) if self.terminal else text}\n"

    def _find(self) -> int | None:
        """The descriptor behind it; none inside a program that catches what is written."""
        try:
            return self._stream.fileno()
        except (AttributeError, OSError, ValueError):
            return None

    def _encoded(self, text: str) -> bytes:
        if self.terminal and self._stream.encoding:
            return text.encode(self._stream.encoding, "replace")
        return text.encode("utf-8", "replace")

    def _write(self, piece: bytes) -> int:
        try:
            if self._descriptor is not None:
                return os.write(self._descriptor, piece)
            self._stream.write(piece.decode("utf-8", "replace"))
        except BrokenPipeError:
            self.closed = True
        except BlockingIOError:  # somebody made the descriptor so that it does not wait
            if self._descriptor is not None:
                select.select((), (self._descriptor,), ())
            return 0
        except OSError as error:
            self.closed, self._error = True, error
        return len(piece)


def _takes(descriptor: int) -> bool:
    """Whether a piece can be written without waiting."""
    try:
        return bool(select.select((), (descriptor,), (), 0)[1])
    except OSError:  # Windows, whose pipes cannot be asked
        return True


async def _room(descriptor: int) -> None:
    loop = asyncio.get_running_loop()
    room: asyncio.Future[None] = loop.create_future()
    loop.add_writer(descriptor, _set, room)
    try:
        await room
    finally:
        loop.remove_writer(descriptor)


def _set(room: "asyncio.Future[None]") -> None:
    if not room.done():
        room.set_result(None)
