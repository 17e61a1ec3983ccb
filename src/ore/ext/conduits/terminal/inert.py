"""`harmless`: content that cannot steer a terminal, nor the order in which its line is read."""

import re
from typing import Final

from ore.ext.tools.inert import inert

__all__ = ["harmless", "one_line"]

_ORDER: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]")
"""Marks that turn the writing direction of what follows (UAX #9); letters have their own."""


def harmless(text: str) -> str:
    """`text` with control characters as signs that do nothing, direction marks shown, and tabs as blanks."""
    if text.isascii() and text.isprintable():
        return text
    return _ORDER.sub("\ufffd", inert(text.replace("\r\n", "\n").expandtabs(4)))


def one_line(text: str) -> str:
    """All of it on one line."""
    return harmless(" ".join(text.split()))
