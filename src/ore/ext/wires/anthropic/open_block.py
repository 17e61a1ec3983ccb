"""The blocks of an answer while they are open, one class for each kind."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

import msgspec

from ore.artifact import (
    Artifact,
    BlockEnd,
    ProviderData,
    Reasoning,
    ReasoningDelta,
    ServerTool,
    TextDelta,
    ToolCallDelta,
)
from ore.ext.wires.anthropic.digest import digest
from ore.ext.wires.anthropic.structs import Block, Delta

__all__ = ["AnswerBlock", "CallBlock", "OpaqueBlock", "OpenBlock", "RedactedBlock", "TextBlock", "ThinkingBlock"]

SUMMARY_CHARACTERS: Final = 200
"""What people see of what a vendor's tool was asked."""

_NOTHING: Final[Sequence[Artifact]] = ()
_DIRECT: Final = {"type": "direct"}
_OWN: Final = frozenset(("type", "id", "name", "input"))


class OpenBlock(Protocol):
    """A block between its start and its stop."""

    family: str
    """Of its fragments; two blocks of one in a row need an end between them. Empty: its own end is one."""

    streaming: bool
    """Whether fragments of text, thinking or arguments need no more than to be wrapped from now on."""

    def begin(self, block: Block) -> Sequence[Artifact]:
        """What the start of the block says already."""
        ...

    def take(self, delta: Delta, data: bytes) -> Sequence[Artifact]:
        """What a fragment says.

        Args:
            delta: The fragment.
            data: The whole event, for what `delta` does not name.
        """
        ...

    def end(self) -> Sequence[Artifact]:
        """What is due when the block stops."""
        ...


class TextBlock:
    """Text; citations of it go to the end."""

    family = "text"
    streaming = True

    def __init__(self, issuer: Mapping[str, str]) -> None:
        self._issuer = issuer
        self._citations: list[Any] = []

    def begin(self, block: Block) -> Sequence[Artifact]:
        self._citations += block.citations or ()
        return [TextDelta(content=block.text)] if block.text else _NOTHING

    def take(self, delta: Delta, data: bytes) -> Sequence[Artifact]:
        if delta.text:
            return [TextDelta(content=delta.text)]
        if delta.type == "citations_delta":
            citation = _fields(data).get("citation")
            self._citations += [] if citation is None else [citation]
        return _NOTHING

    def end(self) -> Sequence[Artifact]:
        return [BlockEnd(provider_data={**self._issuer, "citations": self._citations})] if self._citations else _NOTHING


class ThinkingBlock:
    """Thinking; its signature comes last, or alone where the vendor shows nothing of it."""

    family = "reasoning"

    def __init__(self, issuer: Mapping[str, str]) -> None:
        self._issuer = issuer
        self._whole_signature = ""
        self._signature: list[str] = []
        self.streaming = False
        self.parts: list[str] = []
        """What was shown, kept up by whoever passes fragments on without `take`."""

    def begin(self, block: Block) -> Sequence[Artifact]:
        self._whole_signature = block.signature or ""
        return self._shown(block.thinking)

    def take(self, delta: Delta, data: bytes) -> Sequence[Artifact]:
        if delta.signature:
            self._signature.append(delta.signature)
        return self._shown(delta.thinking)

    def end(self) -> Sequence[Artifact]:
        signature = "".join(self._signature) or self._whole_signature
        if not signature:
            return _NOTHING
        signs = digest("".join(self.parts))
        signed: ProviderData = {**self._issuer, "signature": signature, "digest": signs}
        return [BlockEnd(provider_data=signed)] if self.streaming else [Reasoning(content="", provider_data=signed)]

    def _shown(self, thinking: str | None) -> Sequence[Artifact]:
        if not thinking:
            return _NOTHING
        self.streaming = True
        self.parts.append(thinking)
        return [ReasoningDelta(content=thinking)]


class RedactedBlock:
    """Thinking that nobody may read."""

    family = ""
    streaming = False

    def __init__(self, issuer: Mapping[str, str]) -> None:
        self._issuer = issuer

    def begin(self, block: Block) -> Sequence[Artifact]:
        data = block.data or ""
        return [Reasoning(content="", provider_data={**self._issuer, "redacted": data})] if data else _NOTHING

    def take(self, delta: Delta, data: bytes) -> Sequence[Artifact]:
        return _NOTHING

    def end(self) -> Sequence[Artifact]:
        return _NOTHING


class CallBlock:
    """A call; the arguments come in fragments, or whole at the start.

    Args:
        raw: The start as it came: whoever called, if not the model itself, has to go back.
        index: Its place among the calls of the answer.
    """

    family = ""

    def __init__(self, issuer: Mapping[str, str], raw: bytes, index: int) -> None:
        self._data = _further(issuer, raw)
        self._index = index
        self._whole = ""
        self.streaming = False

    def begin(self, block: Block) -> Sequence[Artifact]:
        self._whole = _given(block)
        return [ToolCallDelta(index=self._index, id=block.id or "", name=block.name or "")]

    def take(self, delta: Delta, data: bytes) -> Sequence[Artifact]:
        if not delta.partial_json:
            return _NOTHING
        self._whole = ""
        self.streaming = True
        return [ToolCallDelta(index=self._index, arguments=delta.partial_json)]

    def end(self) -> Sequence[Artifact]:
        rest: list[Artifact] = []
        if self._whole:
            rest.append(ToolCallDelta(index=self._index, arguments=self._whole))
        if self._data:
            rest.append(BlockEnd(provider_data=self._data))
        return rest


class AnswerBlock:
    """The call of the tool that stands for a structured answer: its arguments are the answer's text."""

    family = "text"
    streaming = False

    def __init__(self) -> None:
        self._whole = ""

    def begin(self, block: Block) -> Sequence[Artifact]:
        self._whole = _given(block)
        return _NOTHING

    def take(self, delta: Delta, data: bytes) -> Sequence[Artifact]:
        if not delta.partial_json:
            return _NOTHING
        self._whole = ""
        return [TextDelta(content=delta.partial_json)]

    def end(self) -> Sequence[Artifact]:
        return [TextDelta(content=self._whole)] if self._whole else _NOTHING


class OpaqueBlock:
    """What the vendor ran itself, and every kind that nobody here knows: kept whole, for replay."""

    family = ""
    streaming = False

    def __init__(self, issuer: Mapping[str, str], raw: bytes) -> None:
        self._issuer = issuer
        self._block: dict[str, Any] = msgspec.json.decode(raw)
        self._input: list[str] = []

    def begin(self, block: Block) -> Sequence[Artifact]:
        return _NOTHING

    def take(self, delta: Delta, data: bytes) -> Sequence[Artifact]:
        if delta.partial_json is not None:
            self._input.append(delta.partial_json)
            return _NOTHING
        for name, value in _fields(data).items():
            if name != "type":
                before = self._block.get(name)
                self._block[name] = before + value if isinstance(before, str) and isinstance(value, str) else value
        return _NOTHING

    def end(self) -> Sequence[Artifact]:
        text = "".join(self._input)
        if text:
            try:
                self._block["input"] = msgspec.json.decode(text)
            except (msgspec.DecodeError, RecursionError):  # cut by the output limit; half of it cannot go back
                return _NOTHING
        name = str(self._block.get("name") or self._block.get("type"))
        summary = f"{name} {text}"[:SUMMARY_CHARACTERS] if text else None
        return [ServerTool(name=name, summary=summary, provider_data={**self._issuer, "block": self._block})]


def _given(block: Block) -> str:
    """Arguments that the start of a call brings; none when they are to come, or there are none."""
    text = bytes(block.input).decode()
    return "" if text == "null" or not text.strip("{} \t\r\n") else text


def _further(issuer: Mapping[str, str], raw: bytes) -> ProviderData | None:
    """What a call brings that the vendor wants back, such as who called when it was not the model itself."""
    rest = {name: value for name, value in msgspec.json.decode(raw).items() if name not in _OWN}
    if rest.get("caller") == _DIRECT:
        del rest["caller"]
    return {**issuer, "fields": rest} if rest else None


def _fields(data: bytes) -> dict[str, Any]:
    """All of an event's fragment."""
    found: dict[str, Any] = msgspec.json.decode(data)["delta"]
    return found
