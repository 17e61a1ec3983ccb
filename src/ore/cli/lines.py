"""`Lines`: standard input, line by line, without holding anything up."""

import asyncio
import os
import sys
import threading
from collections.abc import Callable

from ore.errors import InputError

__all__ = ["Lines", "read_prompt", "spoken"]


def spoken(text: str, what: str) -> str:
    """What somebody said as a word of the command line, in whatever locale.

    Raises:
        InputError: It is no UTF-8.
    """
    try:
        return os.fsencode(text).decode("utf-8")
    except UnicodeError:
        raise InputError(f"{what}: expected UTF-8, got other bytes") from None


def read_prompt() -> str:
    """All of standard input, without the last line's end.

    Raises:
        InputError: It is closed, or no UTF-8.
    """
    if sys.stdin is None:
        raise InputError("prompt: expected an argument or text on standard input, got neither")
    try:
        return _decoded(sys.stdin.buffer.read()).removesuffix("\n").removesuffix("\r")
    except OSError as error:
        raise InputError(f"prompt: standard input cannot be read: {error.strerror}") from None


class Lines:
    """Standard input for a program that waits for other things too.

    A thread reads, since files, pipes and terminals can be waited for in no
    other common way. It does not keep the process alive, and what it read for
    somebody who went away is there for the next who asks.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._ended = False
        self._reading: asyncio.Future[bytes] | None = None

    async def next(self) -> str | None:
        """The next line without its end; `None` at the end of the input.

        Raises:
            InputError: It is no UTF-8.
        """
        while b"\n" not in self._rest and not self._ended:
            self._reading = self._reading or _in_thread(_read)
            await asyncio.wait((self._reading,))
            piece, self._reading = self._reading.result(), None
            self._ended = not piece
            self._rest += piece
        if not self._rest:
            return None
        line, _, self._rest = self._rest.partition(b"\n")
        return _decoded(line).removesuffix("\r")


def _read() -> bytes:
    """Past Python's own buffer, whose lock a thread left behind would hold to the end."""
    try:
        return os.read(sys.stdin.fileno(), 65536)
    except (AttributeError, OSError, ValueError):  # closed
        return b""


def _decoded(text: bytes) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"standard input: expected UTF-8, got other bytes at byte {error.start}") from None


def _in_thread(work: Callable[[], bytes]) -> "asyncio.Future[bytes]":
    loop = asyncio.get_running_loop()
    done: asyncio.Future[bytes] = loop.create_future()

    def run() -> None:
        piece = work()
        try:
            loop.call_soon_threadsafe(done.set_result, piece)
        except RuntimeError:  # the loop is gone, and with it whoever waited
            return

    threading.Thread(target=run, name="ore-stdin", daemon=True).start()
    return done
