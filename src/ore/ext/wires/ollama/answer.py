"""`Answer`: what the lines of one answer amount to, one after the other."""

import base64
import binascii
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from ore.artifact import (
    Artifact,
    BlockEnd,
    Image,
    Reason,
    ReasoningDelta,
    StopReason,
    TextDelta,
    ToolCall,
    Usage,
)
from ore.errors import ProtocolError, ProviderError
from ore.ext.wires.halves import Halves
from ore.ext.wires.media import sniffed
from ore.ext.wires.ollama.failure import stream_failure
from ore.ext.wires.ollama.structs import Call, Line, Message
from ore.ext.wires.unread import Unread

__all__ = ["Answer"]

_NOTHING: Final[Sequence[Artifact]] = ()

_REASONS: Final[Mapping[str, Reason]] = {"": "stop", "stop": "stop", "length": "length"}
"""Others, such as `load`, say that nothing was asked."""


class Answer:
    """The state of one answer.

    Calls get an id where the server gives none, another for each. Thinking is
    tagged with who thought it, once it is all there: only to that model it
    goes back.

    Args:
        provider: Who answers.
        model: Which model.
        answer_tool: The tool whose call is the answer's text; `None` without one.
    """

    def __init__(self, provider: str, model: str, answer_tool: str | None) -> None:
        self._provider = provider
        self._issuer: Final = {"provider": provider, "model": model}
        self._answer_tool = answer_tool
        self._is_thinking = False
        self._halves = Halves()
        self._begun = False
        self._has_calls = False
        self._has_spoken = False
        self._unread = Unread(provider)
        self.open = ""
        """What nothing but is open, `text` or `thinking`, so that more of it simply goes on it."""
        self.ended = False
        """Whether the last line was there."""
        self.told: Any = None
        """What the server itself says of a failure inside the answer; see `told`."""
        self.fault: ProviderError | None = None
        """What went wrong, once what came before it was yielded."""

    def take(self, line: Line, data: bytes) -> Sequence[Artifact]:
        """What a line says; nothing once the answer has ended.

        Args:
            data: Its bytes, for errors.
        """
        if self.ended:
            return _NOTHING
        self._begun = True
        if line.error is not None:
            self.told = line.error
            self.fault = stream_failure(self._provider, line.error)
            return _NOTHING
        message = line.message or Message(content=line.response, thinking=line.thinking)
        out: list[Artifact] = []
        if message.thinking:
            out += self._think(message.thinking)
        if message.content:
            out += self._say(message.content)
        for call in message.tool_calls or ():
            out += [*self._thought(), *self._said(), *self._call(call)]
        for image in message.images or ():
            out += [*self._thought(), *self._said(), *self._image(image)]
        if not self._has_spoken:
            self._unread.add(data)
            self._has_spoken = bool(out)
        return [*out, *self._end(line)] if line.done and self.fault is None else out

    def break_off(self, got: str) -> None:
        """The answer breaks the protocol; nothing more is read of it."""
        self.fault = ProtocolError(
            f"expected lines of JSON as Ollama sends them, got {got}; is the base URL that of an Ollama server?",
            provider=self._provider,
        )

    def close(self) -> None:
        """No line comes any more; `fault` tells when the answer had not ended."""
        if self.ended or self.fault is not None:
            return
        said = "the answer broke off: its last line never came; what came of it is kept"
        empty = "expected an answer, got an empty one; try again"
        self.fault = ProtocolError(said if self._begun else empty, provider=self._provider)

    def _think(self, words: str) -> Sequence[Artifact]:
        said = self._said()
        self._is_thinking = True
        words = self._halves.join("thinking", words)
        self.open = "" if self._halves else "thinking"
        return [*said, ReasoningDelta(content=words)] if words else said

    def _say(self, words: str) -> Sequence[Artifact]:
        thought = self._thought()
        words = self._halves.join("text", words)
        self.open = "" if self._halves else "text"
        return [*thought, TextDelta(content=words)] if words else thought

    def _said(self) -> Sequence[Artifact]:
        """What is left of text that goes on no more: half a character whose other half did not come."""
        self.open = ""
        rest = self._halves.rest("text")
        return [TextDelta(content=rest)] if rest else _NOTHING

    def _thought(self) -> Sequence[Artifact]:
        """The end of thinking that is all there."""
        self.open = ""
        if not self._is_thinking:
            return _NOTHING
        self._is_thinking = False
        rest = self._halves.rest("thinking")
        end = BlockEnd(provider_data=dict(self._issuer))
        return [ReasoningDelta(content=rest), end] if rest else [end]

    def _call(self, call: Call) -> Sequence[Artifact]:
        function = call.function
        if function is None or not function.name:
            return _NOTHING
        arguments = _text(bytes(function.arguments))
        if function.name == self._answer_tool:
            return [TextDelta(content=arguments)]
        self._has_calls = True
        return [ToolCall(id=call.id or f"call_{secrets.token_hex(8)}", name=function.name, arguments=arguments)]

    def _image(self, encoded: str) -> Sequence[Artifact]:
        try:
            data = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError):
            self.break_off("an image that is no base64")
            return _NOTHING
        return [Image(media_type=sniffed(data) or None, data=data, size_bytes=len(data))]

    def _end(self, line: Line) -> Sequence[Artifact]:
        reason = _REASONS.get(line.done_reason or "", "other")
        rest = [*self._said(), *(_NOTHING if reason == "length" else self._thought())]
        self.fault = None if rest or self._has_spoken else self._unread.fault()
        self.ended = self.fault is None
        if reason == "stop" and self._has_calls:
            reason = "tool_use"
        prompt, completion = line.prompt_eval_count, line.eval_count
        if prompt is None and completion is None:
            return [*rest, StopReason(reason=reason)]
        total = None if prompt is None or completion is None else prompt + completion
        usage = Usage(prompt_tokens=prompt, completion_tokens=completion, total_tokens=total)
        return [*rest, StopReason(reason=reason), usage]


def _text(raw: bytes) -> str:
    """Arguments as the text of an object; some servers send that text itself."""
    if raw in (b"", b"null"):
        return "{}"
    if raw.startswith(b'"'):
        return msgspec.json.decode(raw, type=str) or "{}"
    return raw.decode()
