"""Escaping: any text becomes text in HTML, and only harmless addresses become links."""

import html
import re
from typing import Final

from ore.artifact import clean

__all__ = ["escape", "readable", "safe_url"]

_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_URL: Final = re.compile(r"(?:https?://|mailto:)[^\s\x00-\x20]", re.IGNORECASE)


def readable(text: str) -> str:
    """`text` without what no page may hold: control characters and half characters become U+FFFD."""
    return _CONTROL.sub("\ufffd", clean(text))


def escape(text: str) -> str:
    """`text` as HTML, between tags or in an attribute with quotes."""
    return html.escape(readable(text), quote=True)


def safe_url(url: str) -> bool:
    """Whether a link may go there: `http`, `https` and `mailto`."""
    return _URL.match(url) is not None
