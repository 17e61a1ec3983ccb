"""Marks for Anthropic's prompt cache: how many, on what, and in which order."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ore.testing.shapes.at import At

__all__ = ["check_cache_marks"]

_MOST: Final = 4
_UNMARKED: Final = ("thinking", "redacted_thinking")


def check_cache_marks(at: At) -> None:
    """Check every `cache_control` of a request.

    Raises:
        ShapeError: There are more than four, one is malformed or on a block
            that cannot carry it, or one for an hour comes behind a shorter one.
    """
    marks = list(_marks(at))
    if len(marks) > _MOST:
        at.refuse(f"at most {_MOST} blocks with cache_control", str(len(marks)))
    is_short = False
    for mark in marks:
        fields = mark.fields("type", "ttl")
        fields["type"].one_of("ephemeral")
        ttl = fields["ttl"].one_of("5m", "1h") if "ttl" in fields else "5m"
        if ttl == "1h" and is_short:
            mark.key("ttl").refuse("every mark for 1h before those for 5m", "'1h' behind one")
        is_short = is_short or ttl == "5m"


def _marks(at: At) -> Iterator[At]:
    """In the order in which the vendor reads them: tools, system, messages, and what marks itself."""
    for part in ("tools", "system", "messages"):
        yield from _inside(at.key(part))
    if at.key("cache_control").value is not None:
        yield at.key("cache_control")


def _inside(at: At) -> Iterator[At]:
    value: Any = at.value
    if isinstance(value, list):
        for item in at.items():
            yield from _inside(item)
    elif isinstance(value, Mapping):
        if value.get("cache_control") is not None:
            if value.get("type") in _UNMARKED:
                at.key("cache_control").refuse("no mark on thinking")
            yield at.key("cache_control")
        yield from _inside(at.key("content"))
