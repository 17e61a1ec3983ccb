"""Items of earlier responses that come back: unchanged, and beside their neighbours."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from ore.testing.shapes.at import At

__all__ = ["check_issued"]

_KEPT: Final = ("type", "encrypted_content", "call_id", "name", "arguments", "input", "summary")
"""What the vendor compares, or what belongs to an item's identity."""


def check_issued(at: At, issued: Sequence[Sequence[Mapping[str, Any]]]) -> None:
    """Check items that carry an id against what was issued under it.

    Args:
        at: The list of items.
        issued: The `output` of each response before.

    Raises:
        ShapeError: An id that was never issued, where anything was; an item
            that changed; one whose reasoning is not right before it any more.
    """
    known = {item["id"]: item for output in issued for item in output if item.get("id")}
    if not known:
        return
    leads = _leads(issued)
    before: Any = None
    for item in at.items():
        id = item.key("id").value
        if id is not None and not str(item.key("type").value).endswith("_output"):
            if id not in known:
                item.key("id").refuse("an id that was issued", repr(id))
            if item.key("type").value != "item_reference":
                _unchanged(item, known[id])
            if id in leads and before != leads[id]:
                item.refuse(f"the reasoning {leads[id]!r} right before it", "another item, or none")
        before = id


def _leads(issued: Sequence[Sequence[Mapping[str, Any]]]) -> dict[str, str]:
    """The reasoning in front of an item, by the item's id."""
    return {
        following["id"]: item["id"]
        for output in issued
        for item, following in pairwise(output)
        if item.get("type") == "reasoning" and following.get("id")
    }


def _unchanged(item: At, original: Mapping[str, Any]) -> None:
    for name in _KEPT:
        if original.get(name) is not None and item.key(name).value != original[name]:
            item.key(name).refuse(f"what was issued as {original['id']!r}", "something else")
