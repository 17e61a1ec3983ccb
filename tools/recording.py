"""Record a real terminal session as an SVG that plays.

    python tools/recording.py OUT.svg COMMANDS

COMMANDS is a file with one command a line. A shell runs each of them at a
terminal of 92 columns; what it prints is kept with the time at which it came,
and becomes a picture in which lines appear as they did (waits are cut to two
seconds). `^C` behind a command, as in `ore run … ^C word`, sends Ctrl-C once
the word has been printed. Nothing is made up: what a model said is what it said.
"""

import argparse
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fcntl import ioctl
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

COLUMNS: Final = 92
ROWS: Final = 40
LONGEST_WAIT_S: Final = 2.0
TYPED_S: Final = 0.8
LINE_PX: Final = 19
CHARACTER_PX: Final = 8.43
"""Of a monospaced font of 14 px."""

STYLE: Final = """\
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d8dee9;white-space:pre}
.dim{fill:#7b8494}.typed{fill:#a3be8c}
g.at{opacity:0;animation:come 1ms forwards}
@keyframes come{to{opacity:1}}
@media (prefers-reduced-motion:reduce){g.at{opacity:1;animation:none}}
"""

_DIM: Final = re.compile("\x1b\\[2m(.*?)\x1b\\[0m", re.DOTALL)
_STEERING: Final = re.compile("\x1b\\[[0-9;?]*[A-Za-z]|\x1b[()].")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the picture, and the second in which it is there."""

    at_s: float
    text: str
    look: str = ""


def recorded(commands: Sequence[str]) -> Iterator[Line]:
    """Run the commands, one after the other, and give what a person would have seen."""
    now_s = 0.0
    for command in commands:
        words, _, mark = command.partition(" ^C ")
        for typed in _lines(f"$ {words}"):
            yield Line(now_s, typed.text, "typed")
        now_s += TYPED_S
        for wait_s, text in _printed(words, mark):
            now_s += min(wait_s, LONGEST_WAIT_S)
            for line in _lines(text):
                yield Line(now_s, line.text, line.look)
        now_s += TYPED_S
        yield Line(now_s, "")


def _printed(command: str, mark: str) -> Iterator[tuple[float, str]]:
    """Whole lines as they come, with the seconds since the ones before."""
    screen, device = pty.openpty()
    ioctl(device, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    process = subprocess.Popen(
        ["sh", "-c", command],
        stdin=device,
        stdout=device,
        stderr=device,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(device)
    held, before_s = "", time.monotonic()
    while piece := _read(screen):
        held += piece
        if mark and mark in held:
            mark = ""
            os.killpg(process.pid, signal.SIGINT)
        whole, newline, rest = held.rpartition("\n")
        if newline:
            yield time.monotonic() - before_s, whole
            held, before_s = rest, time.monotonic()
    if held:
        yield time.monotonic() - before_s, held
    os.close(screen)
    process.wait()


def _read(screen: int) -> str:
    select.select((screen,), (), ())
    try:
        return os.read(screen, 65536).decode("utf-8", "replace")
    except OSError:  # Linux says so when the last writer is gone
        return ""


def _lines(text: str) -> Iterator[Line]:
    """What stays of the text on the screen, line by line, none wider than it is."""
    for raw in text.replace("\r\n", "\n").split("\n"):
        stays = raw.rstrip("\r").rpartition("\r")[2]  # what was written over is gone
        look = "dim" if _DIM.search(stays) else ""
        plain = _STEERING.sub("", stays)
        for start in range(0, max(len(plain), 1), COLUMNS):
            yield Line(0.0, plain[start : start + COLUMNS], look)


def drawn(lines: Sequence[Line]) -> str:
    """The picture."""
    width, height = round(COLUMNS * CHARACTER_PX) + 32, len(lines) * LINE_PX + 48
    rows = "\n".join(
        f'<g class="at" style="animation-delay:{line.at_s:.2f}s"><text class="{line.look}" x="16" '
        f'y="{44 + number * LINE_PX}" xml:space="preserve">{escape(line.text)}</text></g>'
        for number, line in enumerate(lines)
        if line.text
    )
    dots = "".join(f'<circle cx="{20 + 18 * place}" cy="16" r="5" fill="#4c566a"/>' for place in range(3))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="A terminal session with ore">\n<style>\n{STYLE}</style>\n'
        f'<rect width="{width}" height="{height}" rx="8" fill="#20242c"/>{dots}\n{rows}\n</svg>\n'
    )


def main(words: Sequence[str]) -> int:
    """Record, and write the picture."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", metavar="OUT", type=Path, help="the picture, an SVG")
    parser.add_argument("commands", metavar="COMMANDS", type=argparse.FileType(), help="a file, a command a line")
    options = parser.parse_args(words)
    given = [line for line in options.commands.read().splitlines() if line.strip()]
    options.out.write_text(drawn(list(recorded(given))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
