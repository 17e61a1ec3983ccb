"""From the key Esc to the model that is cut, and to the screen that says so, in a terminal of its own.

`python -m benchmarks.terminal_escape DESCRIPTOR` is the screen: text streams at
100 fragments a second behind 10,000 lines of history. The clock of the machine
is one for both processes.
"""

import asyncio
import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from random import Random

from benchmarks.scene import answering, fill
from benchmarks.terminal_process import LINES, history
from ore.artifact import TextDelta
from ore.ext.conduits.terminal import LocalLink, ScreenSettings, show
from ore.ledger import MemoryStore, State
from ore.models import Spec
from ore.provider import Batch, Option
from ore.session import Manager

__all__ = ["escapes"]

ROOT = Path(__file__).resolve().parent.parent
PAUSE_S = 0.01
LIMIT_S = 60.0
PRESSES = 5
SEED = 7


class Talker:
    """A provider that never stops talking, and tells when it is cut.

    Args:
        told: A descriptor for the seconds of the clock, a line for each time.
    """

    name = "talker"

    def __init__(self, told: int) -> None:
        self._told = told
        self._number = 0

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        """Talk."""
        self._number += 1
        try:
            yield (TextDelta(content=f"begin{self._number} "),)
            while True:
                await asyncio.sleep(PAUSE_S)
                yield (TextDelta(content="word and "),)
        finally:
            os.write(self._told, f"{time.monotonic()}\n".encode())


async def screen(told: int) -> None:
    """Show the session until somebody leaves."""
    store = MemoryStore()
    await fill(store, "bench", history(LINES))
    async with Manager(answering(Talker(told)), store) as sessions:
        await show(LocalLink(sessions), "bench", ScreenSettings(palette="dark", has_bell=False))


def escapes() -> tuple[Sequence[float], Sequence[float]]:
    """Seconds from the key to the model that is cut, and to the screen that says so; for each press."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    cuts, told = os.pipe()
    words = [sys.executable, "-m", "benchmarks.terminal_escape", str(told)]
    environment = {**os.environ, "TERM": "xterm-256color"}
    environment.pop("ESCDELAY", None)
    process = subprocess.Popen(
        words, cwd=ROOT, env=environment, stdin=slave, stdout=slave, stderr=slave, pass_fds=[told]
    )
    try:
        terminal, random = _Terminal(master), Random(SEED)
        terminal.shows(b"ready")
        pressed = [_pressed(terminal, cuts, number, random.uniform(0.3, 0.6)) for number in range(1, PRESSES + 1)]
        terminal.types(b"\x04")
        process.wait(LIMIT_S)
    finally:
        process.kill()
        process.wait()
        for descriptor in (master, slave, cuts, told):
            os.close(descriptor)
    return [cut for cut, _ in pressed], [seen for _, seen in pressed]


class _Terminal:
    """The other end of a terminal."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._seen = b""

    def types(self, text: bytes) -> None:
        os.write(self._descriptor, text)

    def shows(self, mark: bytes) -> None:
        """Return once it has been written, and forget all before it."""
        end_s = time.monotonic() + LIMIT_S
        while mark not in self._seen:
            if not self._reads(end_s):
                raise TimeoutError(f"expected {mark!r} within {LIMIT_S:g} s")
        self._seen = self._seen.partition(mark)[2]

    def forgets(self) -> None:
        """Forget all that was written."""
        self._seen = b""

    def runs(self, seconds: float) -> None:
        """Take what is written for so long."""
        end_s = time.monotonic() + seconds
        while self._reads(end_s):
            pass

    def _reads(self, end_s: float) -> bool:
        ready, _, _ = select.select([self._descriptor], [], [], max(end_s - time.monotonic(), 0))
        if ready:
            self._seen += os.read(self._descriptor, 1 << 16)
        return bool(ready)


def _pressed(terminal: _Terminal, cuts: int, number: int, after_s: float) -> tuple[float, float]:
    terminal.types(b"go\r")
    terminal.shows(f"begin{number}".encode())
    terminal.runs(after_s)
    terminal.forgets()
    begun_s = time.monotonic()
    terminal.types(b"\x1b")
    terminal.shows(b"ready")
    seen_s = time.monotonic()
    cut_s = float(os.read(cuts, 100).split(b"\n")[0])
    terminal.runs(0.1)
    return cut_s - begun_s, seen_s - begun_s


if __name__ == "__main__":
    asyncio.run(screen(int(sys.argv[1])))
