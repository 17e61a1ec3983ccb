"""`Calls`: the calls of an answer, which grow side by side."""

import json
import secrets
from typing import Final

import msgspec

from ore.artifact import BlockEnd, ProviderData, ToolCallDelta
from ore.ext.wires.halves import Halves
from ore.ext.wires.openai_responses.items import CALLS, Item, Part
from ore.ext.wires.openai_responses.outlet import Outlet

__all__ = ["ALL", "Calls"]

ALL: Final[Part] = ("arguments", 0)
"""The only part of a call."""


class Calls:
    """Writes the calls of one answer, numbered as they begin.

    They end together, once all that are open are done. Vendors do one after
    the other; where some are open at once, what goes back is kept of the one
    that began last, and the others go back without their ids.

    Args:
        issuer: Provider and model, which tag what goes back.
        outlet: Where they go.
    """

    __slots__ = ("_halves", "_issuer", "_named", "_open", "_outlet", "count")

    def __init__(self, issuer: ProviderData, outlet: Outlet) -> None:
        self._issuer = issuer
        self._outlet = outlet
        self._named: dict[int, tuple[str, str]] = {}
        self._open: list[Item] = []
        self._halves = Halves()
        self.count = 0
        """How many began."""

    @property
    def is_sound(self) -> bool:
        """Whether no half of a character waits for its other half."""
        return not self._halves

    def begin(self, item: Item) -> None:
        """A call begins; what it is called with comes later, even where a server says some of it now."""
        item.number, self.count = self.count, self.count + 1
        self._open.append(item)
        self._outlet.is_held = True
        self._name(item)

    def argue(self, item: Item, words: str) -> None:
        """Add to what a tool is called with."""
        fragment = ToolCallDelta(index=item.number, arguments=self._halves.join(item.number, words))
        item.hear(ALL, fragment)
        if fragment.arguments:
            self._outlet.put_call(fragment)

    def argue_rest(self, item: Item, words: str) -> None:
        """All of what a tool is called with: that of it which no fragment brought."""
        if rest := item.rest(ALL, words):
            self._halves.rest(item.number)
            self.argue(item, rest)

    def finish(self, item: Item) -> None:
        """A call is there as a whole."""
        self._name(item)
        whole = item.found.get(CALLS[item.kind])
        words = whole if isinstance(whole, str) else msgspec.json.encode(whole).decode() if whole else ""
        self.argue_rest(item, words)
        item.is_torn = item.rest(ALL, words) is None and not _is_alike(item.said(ALL), words)
        if all(call.is_done for call in self._open):
            self.end()

    def end(self, *, is_whole: bool = True) -> None:
        """Close the calls that are open.

        Args:
            is_whole: They ended by themselves, so the last may go back under its id.
        """
        calls, self._open = self._open, []
        if not calls:
            return
        for call in calls:
            words, (id, _) = self._halves.rest(call.number), self._named[call.number]
            made = "" if id else call.text("id") or f"call_{secrets.token_hex(12)}"
            if made or words:
                self._outlet.put_call(ToolCallDelta(index=call.number, id=made, arguments=words))
        last = calls[-1]
        held = ("call_id", "name", CALLS[last.kind])
        data = last.replay(self._issuer, without=held) if is_whole or last.is_done else None
        self._outlet.put_call(BlockEnd(provider_data=data))
        self._outlet.release()

    def _name(self, item: Item) -> None:
        """Say who is called, as soon as it is known."""
        known = self._named.get(item.number)
        id, name = known or ("", "")
        added = ToolCallDelta(
            index=item.number, id="" if id else item.text("call_id"), name="" if name else item.text("name")
        )
        self._named[item.number] = (id or added.id, name or added.name)
        if known is None or added.id or added.name:
            self._outlet.put_call(added)


def _is_alike(said: str, whole: str) -> bool:
    """Whether two texts of arguments mean the same, such as with other white space in them."""
    try:
        return bool(json.loads(said) == json.loads(whole))
    except (ValueError, RecursionError):
        return False
