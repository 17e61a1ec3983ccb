"""`fenced`: text for people as a block of Markdown that it cannot leave."""

import re
from typing import Final

__all__ = ["clipped", "fenced"]

MOST_LINES: Final = 100
"""Lines that people see of a text before they ask for more."""

MOST_CHARACTERS: Final = 8_000

_TICKS: Final = re.compile("`{3,}")


def fenced(text: str, language: str = "") -> str:
    """A block whose fence is longer than any inside."""
    fence = "`" * max([3, *(len(run) + 1 for run in _TICKS.findall(text))])
    word = language if language.isalnum() else ""
    end = "" if text.endswith("\n") or not text else "\n"
    return f"{fence}{word}\n{text}{end}{fence}"


def clipped(text: str) -> str:
    """The beginning of a text, and a line that says how much more there is."""
    lines, kept, size = text.split("\n"), 0, 0
    for line in lines[:MOST_LINES]:
        size += len(line) + 1
        if size > MOST_CHARACTERS:
            break
        kept += 1
    left = len(lines) - kept
    return text if not left else "\n".join([*lines[:kept], f"… {left} more line{'s' if left > 1 else ''}"])
