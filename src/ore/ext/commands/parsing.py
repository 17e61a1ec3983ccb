"""Which messages are commands."""

import re
from typing import Final, NamedTuple

__all__ = ["Typed", "escaped", "typed"]

_COMMAND: Final = re.compile(r"\s*/([A-Za-z][A-Za-z0-9_-]*)(?:\s([\s\S]*))?\Z")
_ESCAPED: Final = re.compile(r"(\s*)//")


class Typed(NamedTuple):
    """A command as it was typed.

    Attributes:
        name: Behind the slash.
        text: Behind the name and one blank, as it is.
    """

    name: str
    text: str


def typed(text: str) -> Typed | None:
    """The command that a text is, known or not; `None` for anything else, such as a path.

    A name has letters, digits, `-` and `_`, and ends at a blank or the end.
    """
    found = _COMMAND.match(text)
    return Typed(found[1], found[2] or "") if found is not None else None


def escaped(text: str) -> str | None:
    """What `//` at the beginning stands for: the text with one slash; `None` when there is none."""
    found = _ESCAPED.match(text)
    return text[: found.end() - 1] + text[found.end() :] if found is not None else None
