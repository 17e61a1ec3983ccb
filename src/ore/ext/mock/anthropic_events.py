"""`Events`: an answer as Anthropic's named events."""

from collections.abc import MutableMapping, Sequence
from typing import Any

from ore.artifact import (
    Artifact,
    BlockEnd,
    ProviderData,
    Reasoning,
    ReasoningDelta,
    ServerTool,
    Text,
    TextDelta,
    ToolCall,
    ToolCallDelta,
)
from ore.ext.mock.asked import Asked
from ore.ext.mock.named_event import named_event

__all__ = ["Events"]


class Events:
    """Writes one answer: which blocks are open, and where each stands, is remembered.

    A block ends before another begins, as the vendor has it; so fragments of
    different calls have to come one call after the other.

    Args:
        asked: The request.
        message: The message as it begins, without content.
        issued: Gets each signature, with the thinking that it signs.
    """

    def __init__(self, asked: Asked, message: dict[str, Any], issued: MutableMapping[str, str]) -> None:
        self._asked = asked
        self._message = message
        self._issued = issued
        self._began = False
        self._count = 0
        self._kind = ""
        self._thinking: list[str] = []
        self._call: int | None = None

    def of(self, batch: Sequence[Artifact]) -> list[bytes]:
        """The events of what arrives together; the first ones begin the message."""
        events = self._begin()
        for artifact in batch:
            events += self._of(artifact)
        return events

    def end(self, reason: str, usage: dict[str, Any]) -> list[bytes]:
        """What is open ends, then the message; its usage counts from the beginning."""
        delta = {"stop_reason": reason, "stop_sequence": None}
        figures = {key: value for key, value in usage.items() if key != "service_tier"}
        return [
            *self._begin(),
            *self._close(),
            named_event("message_delta", delta=delta, usage=figures),
            named_event("message_stop"),
        ]

    def _begin(self) -> list[bytes]:
        if self._began:
            return []
        self._began = True
        usage = {**self._message["usage"], "output_tokens": 1}
        return [named_event("message_start", message={**self._message, "usage": usage})]

    def _of(self, artifact: Artifact) -> list[bytes]:
        match artifact:
            case TextDelta(content=content):
                return [*self._text(), self._delta("text_delta", text=content)]
            case ReasoningDelta(content=content):
                return self._thought(content)
            case ToolCallDelta():
                return self._fragment(artifact)
            case Text(content=content):
                return [*self._close(), *self._text(), self._delta("text_delta", text=content), *self._close()]
            case Reasoning(content=content, provider_data=data):
                return [*self._close(), *self._reasoned(content, data or {})]
            case ToolCall(id=id, name=name, arguments=arguments):
                whole = ToolCallDelta(index=-1, id=id, name=name, arguments=arguments)
                return [*self._close(), *self._fragment(whole), *self._close()]
            case ServerTool(provider_data=data):
                return [*self._close(), *self._start("server", (data or {}).get("block") or {}), *self._close()]
            case BlockEnd(provider_data=data):
                return self._close((data or {}).get("signature"))
            case _:
                return []

    def _text(self) -> list[bytes]:
        if self._kind == "text":
            return []
        return [*self._close(), *self._start("text", {"type": "text", "text": ""})]

    def _thought(self, content: str) -> list[bytes]:
        events: list[bytes] = []
        if self._kind != "thinking":
            block = {"type": "thinking", "thinking": "", "signature": ""}
            events = [*self._close(), *self._start("thinking", block)]
        self._thinking.append(content)
        return [*events, self._delta("thinking_delta", thinking=content)]

    def _reasoned(self, content: str, data: ProviderData) -> list[bytes]:
        """Thinking that is complete; redacted where its data says so."""
        if "redacted" in data:
            self._issued[data["redacted"]] = ""
            block = {"type": "redacted_thinking", "data": data["redacted"]}
            return [*self._start("redacted", block), *self._close()]
        return [*self._thought(content), *self._close(data.get("signature"))]

    def _fragment(self, delta: ToolCallDelta) -> list[bytes]:
        events: list[bytes] = []
        if self._kind != "tool_use" or self._call != delta.index:
            id = delta.id or self._asked.id("toolu_", self._count)
            block = {"type": "tool_use", "id": id, "name": delta.name, "input": {}}
            events = [*self._close(), *self._start("tool_use", block), self._delta("input_json_delta", partial_json="")]
            self._call = delta.index
        if delta.arguments:
            events.append(self._delta("input_json_delta", partial_json=delta.arguments))
        return events

    def _start(self, kind: str, block: dict[str, Any]) -> list[bytes]:
        """Begin a block; a sign of life follows the first one, as the vendor sends it."""
        events = [named_event("content_block_start", index=self._count, content_block=block)]
        if not self._count:
            events.append(named_event("ping"))
        self._kind, self._count = kind, self._count + 1
        return events

    def _delta(self, kind: str, **fields: Any) -> bytes:
        return named_event("content_block_delta", index=self._count - 1, delta={"type": kind, **fields})

    def _close(self, signature: str | None = None) -> list[bytes]:
        """End what is open; thinking is signed first."""
        if not self._kind:
            return []
        events = []
        if self._kind == "thinking":
            signature = signature or self._asked.id("sig", self._count)
            self._issued[signature] = "".join(self._thinking)
            self._thinking = []
            events.append(self._delta("signature_delta", signature=signature))
        self._kind = ""
        return [*events, named_event("content_block_stop", index=self._count - 1)]
