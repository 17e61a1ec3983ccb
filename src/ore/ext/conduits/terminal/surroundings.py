"""What a screen knows of the terminal and of the folder that it stands in."""

import os
import re
import select
import sys
import termios
import time
import tty
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from rich.console import Console

__all__ = ["Background", "background", "background_of", "branch", "folder_line", "has_few_colours", "title_sequence"]

Background = Literal["dark", "light"]

_WAIT_S: Final = 0.15
"""A terminal that says nothing of its background by then says nothing."""

_COLOUR: Final = re.compile(rb"\x1b\]11;rgb:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})")
_ATTRIBUTES: Final = re.compile(rb"\x1b\[\?[0-9;]*c")


def background(environment: Mapping[str, str] = os.environ) -> tuple[Background, str]:
    """Whether the terminal's background is dark or light, and what was typed meanwhile.

    The terminal is asked (OSC 11), with a question behind it that every
    terminal answers (DA1), so that nobody waits for one that does not know
    the first. One that says nothing has `COLORFGBG`, or a dark background.
    """
    answer = _asked() if sys.__stdin__ is not None and sys.__stdin__.isatty() else b""
    rest = _ATTRIBUTES.sub(b"", _COLOUR.sub(b"", answer))
    typed = re.sub(rb"\x1b\\|[\x00-\x08\x0b-\x1f\x7f]", b"", rest).decode("utf-8", "replace")
    return background_of(answer, environment.get("COLORFGBG", "")), typed


def background_of(answer: bytes, colours: str) -> Background:
    """What a terminal's answer says, or else the variable `COLORFGBG`."""
    found = _COLOUR.search(answer)
    if found is not None:
        red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in found.groups())
        # Weights of ITU-R BT.709.
        return "light" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5 else "dark"
    last = colours.rpartition(";")[2]
    return "light" if last in ("7", "15") else "dark"


def has_few_colours() -> bool:
    """Whether the terminal has 16 colours, as far as its name and `COLORTERM` say."""
    return Console(file=sys.__stderr__, force_terminal=True).color_system == "standard"


def branch(folder: Path) -> str:
    """The branch that is checked out there; empty where there is none."""
    for place in (folder, *folder.parents):
        git = place / ".git"
        try:
            if git.is_file():
                git = place / git.read_text(encoding="utf-8").partition("gitdir:")[2].strip()
            head = (git / "HEAD").read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            continue
        name = head.removeprefix("ref: refs/heads/")
        return name if name != head else head[:8]
    return ""


def folder_line(folder: Path) -> str:
    """A folder and its branch, short."""
    try:
        shown = f"~/{folder.relative_to(Path.home())}".removesuffix("/.")
    except (ValueError, RuntimeError):
        shown = str(folder)
    name = branch(folder)
    return f"{shown} ({name})" if name else shown


def title_sequence(title: str) -> str:
    """What sets the window's title."""
    inert = "".join(letter for letter in title if letter.isprintable())
    return f"\x1b]0;{inert}\x07"


def _asked() -> bytes:
    if sys.__stdin__ is None or sys.__stderr__ is None:
        return b""
    source, target = sys.__stdin__.fileno(), sys.__stderr__.fileno()
    try:
        before = termios.tcgetattr(source)
    except termios.error:
        return b""
    try:
        tty.setcbreak(source, termios.TCSANOW)
        os.write(target, b"\x1b]11;?\x1b\\\x1b[c")
        return _until_answered(source)
    except OSError:
        return b""
    finally:
        termios.tcsetattr(source, termios.TCSANOW, before)


def _until_answered(source: int) -> bytes:
    answer, end = b"", time.monotonic() + _WAIT_S
    while (left := end - time.monotonic()) > 0:
        ready, _, _ = select.select([source], [], [], left)
        if not ready:
            break
        piece = os.read(source, 1024)
        answer += piece
        if not piece or _ATTRIBUTES.search(answer):
            break
    return answer
