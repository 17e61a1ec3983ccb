"""`ReasoningDetails`: reasoning as OpenRouter and its like want it back."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

__all__ = ["ReasoningDetails", "text_of"]

_TEXTS: Final[Mapping[str, str]] = {"reasoning.text": "text", "reasoning.summary": "summary"}
"""Where the words stand, by the type of an entry."""


def text_of(entry: Any) -> str:
    """The words of an entry; empty where it has none, as encrypted ones."""
    text = entry.get(_TEXTS.get(entry.get("type", ""), "")) if isinstance(entry, dict) else None
    return text if isinstance(text, str) else ""


class ReasoningDetails:
    """Collects `reasoning_details` for replay, exactly and in order.

    Fragments of one entry follow each other and are joined, as an answer in
    one piece would have them; whatever else stands in them is kept, also what
    nobody here knows. By OpenRouter's "Preserving reasoning blocks" (read
    2026-11).
    """

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        self._entries: list[tuple[dict[str, Any], list[str]]] = []

    def __bool__(self) -> bool:
        return bool(self._entries)

    def add(self, entries: Sequence[Any]) -> None:
        """Take what one event brought."""
        for entry in entries:
            if not isinstance(entry, dict):
                continue
            if not self._goes_on(entry):
                self._entries.append(({}, []))
            kept, texts = self._entries[-1]
            texts.append(text_of(entry))
            kept.update({key: value for key, value in entry.items() if value not in (None, "") or key not in kept})

    def take(self) -> list[dict[str, Any]]:
        """What was collected, and begin anew."""
        entries = [_joined(kept, texts) for kept, texts in self._entries]
        self._entries = []
        return entries

    def _goes_on(self, entry: Mapping[str, Any]) -> bool:
        """Whether it is a further fragment of the entry before it."""
        if not self._entries or entry.get("type") not in _TEXTS:
            return False
        kept, _ = self._entries[-1]
        if any(kept.get(key) != entry.get(key) for key in ("type", "index")):
            return False
        if kept.get("id") and entry.get("id") and kept["id"] != entry["id"]:
            return False
        return not (kept.get("signature") and (text_of(entry) or entry.get("signature")))


def _joined(kept: dict[str, Any], texts: list[str]) -> dict[str, Any]:
    place = _TEXTS.get(kept.get("type", ""))
    return {**kept, place: "".join(texts)} if place in kept else kept
