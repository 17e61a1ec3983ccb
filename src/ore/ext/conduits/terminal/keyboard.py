"""`Keyboard`: what is typed on a terminal, where Esc is heard at once."""

import contextlib
import os
import select
import termios
import time
from codecs import getincrementaldecoder
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from queue import Empty
from typing import Final

from textual import constants
from textual._xterm_parser import XTermParser
from textual.drivers._writer_thread import WriterThread
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

__all__ = ["Keyboard", "Typed", "quick_escape"]

_ESCAPE_S: Final = 0.03
_ESCAPE_NAME: Final = "ESCAPE_DELAY"
"""The library reads it at each Esc, from a name that it takes for a constant."""

_IDLE_S: Final = 0.1
"""How soon the end of the screen is seen."""

_SLACK_S: Final = 0.005
_STALL_S: Final = 1.0
"""Seconds in which a terminal takes what it was given before it ends."""

_TRIES: Final = 200
_MOST_BYTES: Final = 4_096


class Typed:
    """Bytes of a terminal as what was typed.

    Attributes:
        wait_s: Seconds to wait for more bytes until `take` is to be told that there are none.
    """

    def __init__(self) -> None:
        self._parser = XTermParser()
        self._decode = getincrementaldecoder("utf-8")("replace").decode
        self.wait_s = _IDLE_S

    def take(self, data: bytes) -> Iterator[Message]:
        """What was typed; no bytes mean that Esc, with which other keys begin, is all that was pressed."""
        self.wait_s = constants.ESCAPE_DELAY + _SLACK_S if data else _IDLE_S
        text = self._decode(data)
        if text:  # none would be the end of all typing
            yield from self._parser.feed(text)
        yield from self._parser.tick()


class Keyboard(LinuxDriver):
    """The library's driver; that one looks for Esc every 100 ms only, and never rests once the terminal has gone.

    A process that is told to go on takes the terminal again, also where it
    was stopped without being asked: the shell may have changed it meanwhile.
    A terminal that takes nothing stops nobody: what is drawn is left out until
    it does, and thrown away where the program ends.

    Attributes:
        is_behind: Whether something was left out, so that all has to be drawn again.
    """

    is_behind = False
    _is_shown = False
    _is_elsewhere = False

    def start_application_mode(self) -> None:
        """Take the terminal."""
        self._is_elsewhere = False
        super().start_application_mode()  # type: ignore[no-untyped-call]  # Textual's has no annotation
        self._is_shown = True

    def stop_application_mode(self) -> None:
        """Give it back as it was."""
        self._is_shown = False
        if self._writer_thread is not None:
            _drain(self._writer_thread)
        self.is_behind = False  # what gives the terminal back is written in every case
        super().stop_application_mode()

    def close(self) -> None:
        """Write nothing any more; whoever takes the terminal again draws all of it."""
        if self._writer_thread is not None:
            _end(self._writer_thread)
        self._is_elsewhere = True

    def write(self, data: str) -> None:
        """Write, unless somebody else has the terminal or it does not keep up."""
        if self._is_elsewhere or self._writer_thread is None:
            return
        self.is_behind = self.is_behind or self._writer_thread._queue.full()
        if not self.is_behind:
            super().write(data)

    def keeps_up_again(self) -> bool:
        """Whether the terminal has taken all that it was given since something was left out."""
        if not self.is_behind or self._writer_thread is None or not self._writer_thread._queue.empty():
            return False
        self.is_behind = False
        return True

    def run_input_thread(self) -> None:
        """Tell the screen what is typed, until it ends or the terminal has gone."""
        typed = Typed()
        with quick_escape():
            while not self.exit_event.is_set():
                if not self._heard(typed, typed.wait_s):
                    return
            self._heard(typed, _IDLE_S)  # what a terminal answers late is not for the shell

    def _sigcont_application(self, *_: object) -> None:
        """Go on; one that is being left has nothing to go on with, and a hang-up tells it all the same."""
        if not self._auto_restart:
            return
        if self._is_shown:
            self.suspend_application_mode()
            self._must_signal_resume = True
        if self._must_signal_resume:
            self.resume_application_mode()

    def _heard(self, typed: Typed, wait_s: float) -> bool:
        """Take what comes; whether more may come."""
        try:
            is_ready = bool(select.select([self.fileno], [], [], wait_s)[0])
            data = os.read(self.fileno, _MOST_BYTES) if is_ready else b""
        except OSError:  # the terminal has gone
            return False
        for message in typed.take(data):
            self.process_message(message)
        return bool(data) or not is_ready


def _drain(writer: WriterThread) -> None:
    """Let the terminal take what it was given; what it does not take in time is thrown away."""
    end_s = time.monotonic() + _STALL_S
    while writer.is_alive() and not writer._queue.empty():
        if time.monotonic() > end_s:
            with contextlib.suppress(Empty):
                while True:
                    writer._queue.get_nowait()
            _discard(writer)
            return
        writer.join(_SLACK_S)


def _end(writer: WriterThread) -> None:
    """Have the last of it written, and no more."""
    writer._queue.put(None)
    writer.join(_STALL_S)
    for _ in range(_TRIES):
        if not writer.is_alive():
            return
        _discard(writer)
        writer.join(_SLACK_S)


def _discard(writer: WriterThread) -> None:
    """Have the system forget what the terminal did not take, so that whoever waits for it goes on."""
    with contextlib.suppress(termios.error, OSError, ValueError):
        termios.tcflush(writer.fileno(), termios.TCOFLUSH)


@contextmanager
def quick_escape(environment: Mapping[str, str] = os.environ) -> Iterator[None]:
    """Take Esc for itself once nothing has followed it for 30 ms, while the block lasts.

    The library waits for 100 ms. Who has set `ESCDELAY` keeps it.
    """
    before_s = constants.ESCAPE_DELAY
    if "ESCDELAY" not in environment:
        setattr(constants, _ESCAPE_NAME, _ESCAPE_S)
    try:
        yield
    finally:
        setattr(constants, _ESCAPE_NAME, before_s)
