"""Names that every vendor accepts, for tools that are called otherwise."""

import hashlib
import re
from typing import Final

__all__ = ["SEPARATOR", "is_wire_name", "remote_name", "wire_name"]

SEPARATOR: Final = "__"
"""Between the name of a source and the name of its tool."""

MAX_CHARACTERS: Final = 64
"""64 characters: the common minimum of the vendors; Anthropic takes 128."""

_LEGAL: Final = re.compile(rf"[a-zA-Z0-9_-]{{1,{MAX_CHARACTERS}}}")
_ILLEGAL: Final = re.compile(r"[^a-zA-Z0-9-]+")


def is_wire_name(name: str) -> bool:
    """Whether every vendor accepts it: `[a-zA-Z0-9_-]{1,64}`."""
    return _LEGAL.fullmatch(name) is not None


def wire_name(original: str) -> str:
    """`original` itself where it is legal, else a readable rest of it and a hash of all of it.

    It depends on nothing else, such as which tools there are or in which order
    they came; so it never changes, and different names stay different.

    Raises:
        ValueError: The name is empty.
    """
    if not original:
        raise ValueError("expected a tool name, got an empty one")
    return original if is_wire_name(original) else _hashed(_stem(original) or "tool", original)


def remote_name(source: str, name: str) -> str:
    """`source__name`, legal and distinct for each pair, as `wire_name` is for one name.

    Raises:
        ValueError: One of the two is empty.
    """
    if not source or not name:
        raise ValueError(f"expected a source and a tool name, got {source!r} and {name!r}")
    joined = f"{source}{SEPARATOR}{name}"
    # A source with a separator in it, or at its seam, could be read as another pair.
    unclear = SEPARATOR in source or source.endswith("_")
    if is_wire_name(joined) and not unclear:
        return joined
    stem = f"{(_stem(source) or 'source')[:20]}{SEPARATOR}{_stem(name) or 'tool'}"
    return _hashed(stem, f"{source}\0{name}")


def _stem(name: str) -> str:
    return _ILLEGAL.sub("_", name).strip("_")


def _hashed(stem: str, original: str) -> str:
    digest = hashlib.sha256(original.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{stem[: MAX_CHARACTERS - 1 - len(digest)]}_{digest}"
