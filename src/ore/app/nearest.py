"""`guess`: what somebody may have meant."""

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["guess"]


def guess(name: str, known: Iterable[str], *, within: str = "") -> str:
    """The end of a message about a name that nobody knows: the nearest one, or nothing.

    Args:
        name: What was said.
        known: What could have been.
        within: What stands before each of them when it is said.
    """
    near = get_close_matches(name, list(known), n=1)
    return f"; did you mean {within + near[0]!r}?" if near else ""
