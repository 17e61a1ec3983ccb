"""`Answer`: pieces of a message become artifacts, block by block."""

from collections.abc import Sequence
from typing import Any

from ore.artifact import Artifact, BlockEnd, Reasoning, ReasoningDelta, TextDelta
from ore.ext.wires.halves import Halves
from ore.ext.wires.openai_chat.calls import CallRecords
from ore.ext.wires.openai_chat.details import ReasoningDetails, text_of
from ore.ext.wires.openai_chat.structs import CallPart, Piece

__all__ = ["Answer"]


class Answer:
    """One message in the making.

    Thinking that a vendor sends in two forms at once is shown once. What must
    go back to it, such as signatures, ends up in the `provider_data` of the
    block that it came with; citations in that of the text. Text that arrives
    between the fragments of a call comes behind the calls, since a block that
    was closed cannot go on.

    Args:
        provider: Who answers.
        model: What the vendor calls the model; both tag what goes back.
        output: The tool whose call is an answer in disguise.
    """

    __slots__ = (
        "_annotations",
        "_calls",
        "_details",
        "_family",
        "_field",
        "_halves",
        "_late",
        "_origin",
        "citations",
        "is_refusal",
        "open",
    )

    def __init__(self, provider: str, model: str | None, output: str | None = None) -> None:
        self._origin = {"provider": provider, "model": model}
        self._calls = CallRecords(output)
        self._details = ReasoningDetails()
        self._halves = Halves()
        self._family = ""
        self._field = ""
        self._late: list[str] = []
        self._annotations: list[Any] = []
        self.citations: Sequence[Any] = ()
        """The last that came; a server that sends them sends all of them each time."""
        self.is_refusal = False
        self.open = ""
        """The family whose fragments simply go on the open block, `text` or `reasoning`; empty when there is none."""

    @property
    def has_calls(self) -> bool:
        """Whether it calls tools."""
        return self._calls.any

    def take(self, piece: Piece, out: list[Artifact]) -> None:
        """Add what a piece holds to `out`: thinking, text, refusal, calls."""
        if piece.reasoning_content or piece.reasoning or piece.reasoning_details:
            self._think(piece, out)
        if piece.content:
            for part in (piece.content,) if isinstance(piece.content, str) else piece.content:
                self._part(part, out)
        if piece.annotations:
            self._annotations += piece.annotations
        if piece.refusal:
            self.is_refusal = True
            self._say(piece.refusal, out)
        if piece.tool_calls:
            for part in piece.tool_calls:
                self._call(part, out)
        if piece.function_call is not None:
            self._call(CallPart(index=0, function=piece.function_call), out)

    def end(self, out: list[Artifact], *, cut: bool) -> None:
        """Close what is open.

        Args:
            out: Gets what is still due.
            cut: The output limit ended it; thinking that was cut does not go back.
        """
        if cut and self._family == "reasoning":
            self._details.take()
            self._field = ""
        self._leave("", out)
        if self._late:
            self._say("".join(self._late), out)
            self._leave("", out)

    def _think(self, piece: Piece, out: list[Artifact]) -> None:
        words = piece.reasoning_content or piece.reasoning
        details = piece.reasoning_details
        if words:
            self._field = "reasoning_content" if piece.reasoning_content else "reasoning"
        elif details and self._field in ("", "reasoning_details"):
            words = "".join(map(text_of, details))
            self._field = "reasoning_details" if words else self._field
        if words:
            self._thought(words, out)
        if details:
            self._details.add(details)

    def _thought(self, words: str, out: list[Artifact]) -> None:
        self._enter("reasoning", out)
        words = self._halves.join("reasoning", words)
        self.open = "" if self._halves else "reasoning"
        if words:
            out.append(ReasoningDelta(content=words))

    def _say(self, words: str, out: list[Artifact]) -> None:
        if not words:
            return
        if self._family == "tool_call" and not self._calls.is_whole:
            self._late.append(words)
            return
        self._enter("text", out)
        words = self._halves.join("text", words)
        self.open = "" if self._halves else "text"
        if words:
            out.append(TextDelta(content=words))

    def _part(self, part: Any, out: list[Artifact]) -> None:
        """A typed part of content that is a list, as Mistral sends it."""
        if isinstance(part, str):
            self._say(part, out)
        elif isinstance(part, dict) and isinstance(part.get("thinking"), list | str):
            self._field = self._field or "content"
            inner = part["thinking"]
            items = [inner] if isinstance(inner, str) else [_text_in(item) for item in inner]
            if words := "".join(items):
                self._thought(words, out)
        else:
            self._say(_text_in(part), out)

    def _call(self, part: CallPart, out: list[Artifact]) -> None:
        artifact = self._calls.take(part)
        if artifact is None:
            return
        if isinstance(artifact, TextDelta):
            self._say(artifact.content, out)
            return
        self._enter("tool_call", out)
        out.append(artifact)

    def _enter(self, family: str, out: list[Artifact]) -> None:
        if family != self._family:
            self._leave(family, out)
            self._family = family

    def _leave(self, following: str, out: list[Artifact]) -> None:
        """Close the open block; what of its vendor's belongs to it goes in."""
        family, self._family, self.open = self._family, "", ""
        if family == "reasoning":
            if rest := self._halves.rest("reasoning"):
                out.append(ReasoningDelta(content=rest))
            if self._details or self._field:
                out.append(BlockEnd(provider_data=self._replay()))
        elif family == "text":
            self._leave_text(out)
        elif family == "tool_call":
            out += self._calls.settle()
        if self._details and following != "reasoning":
            out.append(Reasoning(content="", provider_data=self._replay()))

    def _leave_text(self, out: list[Artifact]) -> None:
        if rest := self._halves.rest("text"):
            out.append(TextDelta(content=rest))
        found = {"annotations": self._annotations, "citations": self.citations}
        if any(found.values()):
            kept = {name: list(values) for name, values in found.items() if values}
            out.append(BlockEnd(provider_data={**self._origin, **kept}))
            self._annotations = []

    def _replay(self) -> dict[str, Any]:
        """What goes back with a block of thinking: its entries, else the name of the field of its words."""
        if not self._details:
            return {**self._origin, "field": self._field}
        entries = self._details.take()
        signatures = [entry["signature"] for entry in entries if entry.get("signature")]
        signed = {"signature": signatures[-1]} if signatures else {}
        return {**self._origin, **signed, "reasoning_details": entries}


def _text_in(part: Any) -> str:
    text = part.get("text") if isinstance(part, dict) else part
    return text if isinstance(text, str) else ""
