"""`Item`: one item of an answer on its way, and what of it goes back to who issued it."""

from collections.abc import Collection, Iterator, Mapping
from operator import attrgetter
from typing import Any, Final

import msgspec

from ore.artifact import ProviderData, ReasoningDelta, TextDelta, ToolCallDelta

__all__ = ["CALLS", "Fragment", "Item", "Part", "parts_of", "summary_of"]

CALLS: Final[Mapping[str, str]] = {"function_call": "arguments", "custom_tool_call": "input"}
"""Items that a client runs, and the field of what they are called with."""

Part = tuple[str, int]
"""A part of an item: the list that it stands in, such as `summary`, and its index there."""

Fragment = TextDelta | ReasoningDelta | ToolCallDelta


class Item:
    """One item.

    Attributes:
        kind: Its `type`.
        found: All of it that is known by now.
        lead: The reasoning right before it, without which it must not come back.
        number: Its place among the calls; -1 when it is none.
        streamed: The fragments that came of each of its parts.
        is_done: Whether it was there as a whole.
        is_torn: Whether it is another than its fragments, and than what could go on them.
    """

    __slots__ = ("_issued_id", "found", "is_done", "is_torn", "kind", "lead", "number", "streamed")

    def __init__(self, kind: str, found: dict[str, Any], lead: "Item | None") -> None:
        self.kind = kind
        self.found = found
        self.lead = lead
        self.number = -1
        self.streamed: dict[Part, list[Fragment]] = {}
        self.is_done = False
        self.is_torn = False
        self._issued_id = ""

    def hear(self, part: Part, fragment: Fragment) -> None:
        """A fragment came of a part."""
        self.streamed.setdefault(part, []).append(fragment)

    def said(self, part: Part) -> str:
        """What came in fragments of a part; from then on they are one, since it is asked at each of several ends."""
        heard = self.streamed.get(part)
        if not heard:
            return ""
        field = "arguments" if isinstance(heard[0], ToolCallDelta) else "content"
        if len(heard) > 1:
            heard[:] = [msgspec.structs.replace(heard[0], **{field: "".join(map(attrgetter(field), heard))})]
        words: str = getattr(heard[0], field)
        return words

    def rest(self, part: Part, whole: str) -> str | None:
        """What did not come in fragments of a part that is there as a whole; `None` when they were another text.

        White space around it is no other text, and an empty one is no opinion.
        """
        heard = self.streamed.get(part)
        if not heard or not whole:
            return whole
        said = self.said(part)
        if whole.startswith(said):
            return whole[len(said) :]
        return "" if whole.strip() == said.strip() else None

    def text(self, name: str) -> str:
        """A field that is text; empty when it is not there."""
        value = self.found.get(name)
        return value if isinstance(value, str) else ""

    def replay(self, issuer: ProviderData, *, without: Collection[str] = (), **more: Any) -> ProviderData:
        """What goes back: who issued it, the item, and the id of the reasoning that led to it.

        Of one that was never there as a whole the encrypted content may not be
        whole either, so that is not kept.

        Args:
            issuer: Provider and model.
            without: Fields that the artifact itself holds.
            more: What else to keep, where there is any of it.
        """
        item = {name: value for name, value in self.found.items() if value is not None and name not in without}
        if not self.is_done:
            item.pop("encrypted_content", None)
        self._issued_id = self.text("id")
        data = {**issuer, "item": item, **{name: value for name, value in more.items() if value}}
        if self.lead is not None:
            data["after"] = self.lead._issued_id
        return data


def parts_of(found: Mapping[str, Any], name: str) -> Iterator[tuple[Part, Mapping[str, Any]]]:
    """The parts in a list of an item, such as its `content`."""
    parts = found.get(name)
    for index, part in enumerate(parts if isinstance(parts, list) else ()):
        if isinstance(part, dict):
            yield (name, index), part


_SUMMARY_CHARACTERS: Final = 200


def summary_of(item: Item) -> str | None:
    """A line about what a vendor ran: what it searched, wrote or called."""
    action, queries = item.found.get("action"), item.found.get("queries")
    inner = action if isinstance(action, dict) else {}
    first = queries[0] if isinstance(queries, list) and queries else None
    told = (inner.get("query"), inner.get("url"), first, *map(item.text, ("revised_prompt", "name", "code")))
    said = next((text for text in told if isinstance(text, str) and text), None)
    if said is None:
        return None
    what = item.kind.removesuffix("_call").replace("_", " ")
    return f"{what}: {' '.join(said.split())}"[:_SUMMARY_CHARACTERS]
