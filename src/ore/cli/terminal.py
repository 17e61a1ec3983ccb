"""What goes to people: text that cannot steer their terminal, and lines on standard error."""

import os
import re
import sys
from typing import Final, TextIO

__all__ = ["inert", "inert_json", "is_terminal", "prompt", "say", "whisper"]

_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_CONTROL_IN_JSON: Final = re.compile("[\x7f-\x9f]")


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person sees what is written there."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def inert(text: str) -> str:
    """`text` with its control characters as signs that do nothing; lines and tabs stay."""
    return text if text.isprintable() else _CONTROL.sub(_sign, text)


def inert_json(text: str) -> str:
    """JSON with the control characters escaped that JSON itself would let pass; it stays the same JSON."""
    return text if text.isascii() and "\x7f" not in text else _CONTROL_IN_JSON.sub(_escape, text)


def say(text: str) -> None:
    """A line on standard error; when nobody reads there, nothing happens."""
    _write(inert(text) if is_terminal(sys.stderr) else text)


def whisper(text: str) -> None:
    """A line beside the answer, for people at a terminal only; dimmed where colours are wanted."""
    if is_terminal(sys.stderr):
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        _write(inert(text) if plain else f"\x1b[2m{inert(text)}\x1b[0m")


def prompt(sign: str) -> None:
    """Ask a person at a terminal for a line."""
    if is_terminal(sys.stdin) and is_terminal(sys.stderr):
        _write(sign, end="")


def _write(line: str, end: str = "\n") -> None:
    try:
        sys.stderr.write(f"{line}{end}")
        sys.stderr.flush()
    except (AttributeError, OSError, ValueError):  # closed, or nobody reads it
        return


def _sign(found: re.Match[str]) -> str:
    """The picture of a control character (U+2400 and on), or its number."""
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"\\x{code:02x}"


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
