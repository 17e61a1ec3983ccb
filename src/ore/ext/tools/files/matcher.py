"""`Matcher`: a program that looks for a pattern in open files, and can be ended."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from select import POLLIN, poll
from typing import Final

from ore.errors import ToolError
from ore.ext.tools.files.patience import Patience
from ore.ext.tools.inert import inert
from ore.ext.tools.sandboxes import environment

__all__ = ["Hit", "Matcher", "matcher"]

CHECK_S: Final = 5.0
"""Seconds for a pattern to be understood."""

KEPT_BYTES: Final = 1 << 16
"""What is kept of one line that a program prints."""

SHOWN_CHARACTERS: Final = 300
"""What is shown of a line."""

_FOREIGN: Final = re.compile(r"\((?:\?(?:[=!>(#]|<[=!]|P=))|\\[1-9]")
_ESCAPED: Final = re.compile(r"\\[^1-9n]|\[\^?\]?(?:\\.|[^\]\\])*\]")


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that matches.

    Attributes:
        place: Which of the files, from 0.
    """

    place: int
    line: int
    text: str


class Matcher:
    """Looks for one pattern; each call is a process of its own.

    Args:
        command: The program with all but the files.
        pattern: What it looks for.
    """

    def __init__(self, command: Sequence[str], pattern: str) -> None:
        self._command = command
        self._pattern = pattern

    def check(self) -> None:
        """See whether the pattern is one.

        Raises:
            ToolError: It is none, or would take too much.
        """
        if not self._pattern or "\n" in self._pattern:
            raise ToolError("pattern: expected a regular expression for what is on one line")
        with open(os.devnull, "rb") as nothing, _started(self._command, [nothing.fileno()], subprocess.PIPE) as process:
            try:
                said = process.communicate(timeout=CHECK_S)[1]
            except subprocess.TimeoutExpired:
                raise ToolError(f"pattern: expected a regular expression, got {self._pattern!r}: too much") from None
        if process.returncode not in (0, 1):
            # What ripgrep advises behind an empty line are flags, which a model cannot give.
            why = inert(said.decode("utf-8", "replace")).partition("\n\nConsider ")[0].strip()[:1_000]
            raise ToolError(f"pattern: expected a regular expression, got {self._pattern!r}: {why}")

    def hits(self, files: Sequence[int], patience: Patience) -> Iterator[Hit]:
        """The lines of open files, in their order. Whoever leaves early ends the program.

        Raises:
            ToolError: The call is over.
        """
        places = {str(file): place for place, file in enumerate(files)}
        with _started(self._command, files, subprocess.DEVNULL) as process:
            assert process.stdout is not None
            for line in _lines(process.stdout.fileno(), patience):
                path, _, rest = line.partition(b"\0")
                number, _, rest = rest.partition(b":")
                column, _, text = rest.partition(b":")
                yield Hit(places[path.rpartition(b"/")[2].decode()], int(number), _snippet(text, int(column)))


def matcher(pattern: str) -> Matcher:
    """The program ripgrep where it is installed, else a program of our own.

    Both take the files that are open here, so that what they read is what was
    found behind the border. ripgrep's time grows with the text alone; the
    other's may not, which is why it is a process that can be ended.

    Raises:
        ToolError: The pattern is none.
    """
    found = shutil.which("rg")
    if found is not None and os.path.exists("/dev/fd/0"):
        made = Matcher([found, *_RIPGREP, "-e", pattern, "--"], pattern)
    else:
        bare = _ESCAPED.sub("", pattern)
        if _FOREIGN.search(bare) or r"\n" in bare:
            raise ToolError(
                f"pattern: look-around, back-references, comments and line ends are not supported; got {pattern!r}"
            )
        made = Matcher([sys.executable or "python3", "-I", "-S", "-W", "ignore", str(_OWN), pattern], pattern)
    made.check()
    return made


_OWN: Final = Path(__file__).with_name("own_matcher.py")

_RIPGREP: Final = (
    *("--no-config", "--text", "--crlf", "--threads=1", "--no-messages"),
    *("--with-filename", "--null", "--line-number", "--column", "--no-heading", "--color=never"),
)


@contextmanager
def _started(command: Sequence[str], files: Sequence[int], errors: int) -> Iterator["subprocess.Popen[bytes]"]:
    try:
        process = subprocess.Popen(
            [*command, *(f"/dev/fd/{file}" for file in files)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            pass_fds=files,
            start_new_session=True,
            env=environment(),
        )
    except (OSError, ValueError) as error:
        raise ToolError(f"the program that searches could not be started: {type(error).__name__}") from None
    with process:
        try:
            yield process
        finally:
            if process.poll() is None:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)


def _lines(pipe: int, patience: Patience) -> Iterator[bytes]:
    """Lines without their ends, the end of a long one left out; no more of them when the time is over."""
    waiting = poll()
    waiting.register(pipe, POLLIN)
    held = b""
    while not patience.is_over:
        if not waiting.poll(100):
            continue
        block = os.read(pipe, 1 << 16)
        if not block:
            return
        *whole, rest = block.split(b"\n")
        for line in whole:
            yield held + line[: KEPT_BYTES - len(held)]
            held = b""
        held += rest[: KEPT_BYTES - len(held)]


def _snippet(text: bytes, column: int) -> str:
    """A line, or what is around the match of a long one."""
    line = text.removesuffix(b"\r").decode("utf-8", "replace")
    if len(line) <= SHOWN_CHARACTERS:
        return inert(line)
    before = len(text[: column - 1].decode("utf-8", "replace"))
    start = max(min(before - SHOWN_CHARACTERS // 3, len(line) - SHOWN_CHARACTERS), 0)
    end = start + SHOWN_CHARACTERS
    return inert(("…" if start else "") + line[start:end] + ("…" if end < len(line) else ""))
