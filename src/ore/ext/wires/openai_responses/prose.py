"""`Prose`: text, refusals and thinking become blocks, one for each part of a message and each reasoning item."""

from collections.abc import Mapping
from typing import Any

from ore.artifact import BlockEnd, ProviderData, Reasoning, ReasoningDelta, TextDelta
from ore.ext.wires.halves import Halves
from ore.ext.wires.openai_responses.items import Item, Part, parts_of
from ore.ext.wires.openai_responses.outlet import Outlet

__all__ = ["Prose"]


class _Section:
    """The block that fragments go on right now.

    Attributes:
        item: Whose it is.
        part: Of which part of it the last fragment was.
        is_text: Else it is thinking.
        annotations: Citations of a text.
        is_refusal: Whether the text is a refusal.
        has_words: Whether any fragment came.
    """

    __slots__ = ("annotations", "has_words", "is_refusal", "is_text", "item", "part")

    def __init__(self, item: Item, part: Part, *, is_text: bool, is_refusal: bool = False) -> None:
        self.item = item
        self.part = part
        self.is_text = is_text
        self.annotations: list[Any] = []
        self.is_refusal = is_refusal
        self.has_words = False


class Prose:
    """Writes the messages and the reasoning of one answer.

    Args:
        issuer: Provider and model, which tag what goes back.
        outlet: Where it goes.
    """

    __slots__ = ("_halves", "_issuer", "_outlet", "_section", "is_refused")

    def __init__(self, issuer: ProviderData, outlet: Outlet) -> None:
        self._issuer = issuer
        self._outlet = outlet
        self._section: _Section | None = None
        self._halves = Halves()
        self.is_refused = False
        """Whether any of it is a refusal."""

    @property
    def is_sound(self) -> bool:
        """Whether no half of a character waits for its other half."""
        return not self._halves

    def say(self, item: Item, index: int, words: str, *, is_refusal: bool = False) -> None:
        """Add words to a part of a message."""
        section, part = self._section, ("content", index)
        if section is None or section.item is not item or section.part != part:
            self.leave()
            section = self._section = _Section(item, part, is_text=True, is_refusal=is_refusal)
        section.has_words = True
        self.is_refused = self.is_refused or is_refusal
        fragment = TextDelta(content=self._halves.join("text", words))
        item.hear(part, fragment)
        if fragment.content:
            self._outlet.put(fragment)

    def annotate(self, annotation: Mapping[str, Any]) -> None:
        """Add a citation to the text that is open."""
        if self._section is not None and self._section.is_text and annotation:
            self._section.annotations.append(annotation)

    def end_part(self, item: Item, index: int, found: Mapping[str, Any]) -> None:
        """A part of a message, all of it: its words where no fragment brought them, and its citations."""
        is_refusal, part = found.get("type") == "refusal", ("content", index)
        words = found.get("refusal" if is_refusal else "text")
        if isinstance(words, str) and (rest := self._missing(item, part, words)):
            if part in item.streamed:
                self._halves.rest("text")  # the rest has all of the character
            self.say(item, index, rest, is_refusal=is_refusal)
        section, annotations = self._section, found.get("annotations")
        if section is not None and section.item is item and section.part == part and isinstance(annotations, list):
            section.annotations = annotations or section.annotations

    def end_message(self, item: Item) -> None:
        """A message is there as a whole."""
        for part, found in parts_of(item.found, "content"):
            self.end_part(item, part[1], found)
            self._compare(item, part, found.get("text") or found.get("refusal"))
        self._leave_if(item)

    def begin_thinking(self, item: Item) -> None:
        """Reasoning begins, which may have no words at all."""
        self.leave()
        self._section = _Section(item, ("", 0), is_text=False)

    def think(self, item: Item, part: Part, words: str) -> None:
        """Add words to reasoning; between its parts is an empty line."""
        section = self._section
        if section is None or section.item is not item:
            self.begin_thinking(item)
            section = self._section
            assert section is not None
        if section.has_words and section.part != part:
            self._outlet.put(ReasoningDelta(content=f"{self._halves.rest('thinking')}\n\n"))
        section.part, section.has_words = part, True
        fragment = ReasoningDelta(content=self._halves.join("thinking", words))
        item.hear(part, fragment)
        if fragment.content:
            self._outlet.put(fragment)

    def think_rest(self, item: Item, part: Part, words: str) -> None:
        """All words of a part of reasoning: those that no fragment brought."""
        if rest := self._missing(item, part, words):
            if part in item.streamed:
                self._halves.rest("thinking")
            self.think(item, part, rest)

    def end_thinking(self, item: Item) -> None:
        """Reasoning is there as a whole."""
        for name in ("summary", "content"):
            for part, found in parts_of(item.found, name):
                words = found.get("text")
                if isinstance(words, str):
                    self.think_rest(item, part, words)
                    self._compare(item, part, words)
        self._leave_if(item)

    def leave(self, *, is_whole: bool = True) -> None:
        """Close the block that is open.

        Args:
            is_whole: It ended by itself, so it may go back under its id.
        """
        section, self._section = self._section, None
        if section is None:
            return
        if rest := self._halves.rest("text" if section.is_text else "thinking"):
            self._outlet.put((TextDelta if section.is_text else ReasoningDelta)(content=rest))
        if not is_whole and not section.item.is_done:
            return
        if section.is_text:
            more = {"annotations": section.annotations, "refusal": section.is_refusal}
            data = section.item.replay(self._issuer, without=("content",), **more)
        else:
            data = section.item.replay(self._issuer)
        if section.has_words:
            self._outlet.put(BlockEnd(provider_data=data))
        elif not section.is_text:
            self._outlet.put(Reasoning(content="", provider_data=data))

    def _missing(self, item: Item, part: Part, words: str) -> str | None:
        """What can still be said of a part; of one that was left nothing can."""
        section = self._section
        is_open = section is not None and section.item is item and section.part == part
        return item.rest(part, words) if is_open or part not in item.streamed else None

    def _compare(self, item: Item, part: Part, words: object) -> None:
        """Say so where the fragments of a part are not what it is as a whole."""
        item.is_torn = item.is_torn or (isinstance(words, str) and bool(words) and item.rest(part, words) != "")

    def _leave_if(self, item: Item) -> None:
        if self._section is not None and self._section.item is item:
            self.leave()
