"""When two requests are the same, and where they first differ."""

from collections.abc import Iterator
from typing import Any, Final

__all__ = ["difference", "without_ids"]

_CALL_IDS: Final = frozenset({"id", "tool_use_id", "tool_call_id", "call_id"})

_ARGUMENTS: Final = frozenset({"input", "args", "arguments", "response", "parameters", "input_schema"})
"""What a tool is called with, gives and takes, which are somebody's own fields: an `id` in there is content.

Responses has the list of its items under `input`.
"""

_ANEW: Final = frozenset({"prompt_cache_key"})
"""What is another one in each session."""


def without_ids(request: Any) -> Any:
    """A request with ids of calls replaced by the order in which they first come."""
    known: dict[str, str] = {}

    def walk(value: Any) -> Any:
        if isinstance(value, list):
            return [walk(item) for item in value]
        return dict(fields(value)) if isinstance(value, dict) else value

    def fields(value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        for key, item in value.items():
            if key in _CALL_IDS and isinstance(item, str):
                yield key, known.setdefault(item, f"#{len(known) + 1}")
            elif key not in _ANEW:
                yield key, item if key in _ARGUMENTS and isinstance(item, dict) else walk(item)

    return walk(request)


def difference(one: Any, other: Any, place: str = "") -> str:
    """Where two JSON values first differ, as a path; their values are not shown."""
    if type(one) is type(other) and isinstance(one, dict):
        for key in [*one, *(key for key in other if key not in one)]:
            if key not in one or key not in other:
                return f"{place}/{key} ({'missing' if key not in other else 'new'})"
            if one[key] != other[key]:
                return difference(one[key], other[key], f"{place}/{key}")
    if type(one) is type(other) and isinstance(one, list):
        for index, (left, right) in enumerate(zip(one, other, strict=False)):
            if left != right:
                return difference(left, right, f"{place}/{index}")
        return f"{place} ({len(one)} items, now {len(other)})"
    return place or "/"
