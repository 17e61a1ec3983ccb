"""`OpenAIChat`, played: chat completions, whole and as a stream.

Objects and chunks by "The chat completion object" and "The chat completion
chunk object" of the vendor's API reference (read 2026-11). Thinking comes in
`reasoning_content`, as servers that speak as OpenAI does send it; OpenAI
itself shows none here.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from ore.artifact import Artifact, Reason, Reasoning, ReasoningDelta, Text, TextDelta, ToolCall, ToolCallDelta, Usage
from ore.ext.mock.asked import Asked
from ore.ext.mock.openai_errors import error_body
from ore.ext.mock.playing import Break, Step, folded, reason_of, usage_of
from ore.ext.providers.script import Failure, Item
from ore.testing.shapes import check_openai_chat

__all__ = ["OpenAIChat"]

CREATED: Final = 1_767_225_600
"""2026-01-01: a played answer is the same each time, so its time is."""

_REASONS: Final[Mapping[Reason, str]] = {
    "stop": "stop",
    "length": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
    "other": "stop",
}


_STREAMED: Final = ("reasoning_content",)
"""What a script may have it stream though the vendor does not: whoever got it may send it back."""


class OpenAIChat:
    """`POST /v1/chat/completions`.

    Args:
        extra_fields: Fields that are taken beside the vendor's.
    """

    paths = ("/v1/chat/completions", "/chat/completions")

    def __init__(self, extra_fields: Collection[str] = ()) -> None:
        self._extra_fields = (*extra_fields, *_STREAMED)

    def check(self, body: bytes) -> None:
        """Refuse what the vendor would."""
        check_openai_chat(body, extra=self._extra_fields)

    def stream(self, items: Sequence[Item], asked: Asked) -> Sequence[Step]:
        """Chunks, the usage where it is asked for, and `[DONE]`; nothing of them behind a failure."""
        chunks = _Chunks(asked)
        steps: list[Step] = []
        for item in items:
            if isinstance(item, Failure):
                return [*steps, Break(item, _event(error_body(item)))]
            steps.append(b"".join(chunks.of(item)) if isinstance(item, Sequence) else item)
        steps.append(b"".join(chunks.end(reason_of(items), usage_of(items, asked))))
        return steps

    def whole(self, items: Sequence[Item], asked: Asked) -> Mapping[str, Any]:
        """A chat completion with one choice."""
        artifacts = folded(items)
        calls = [artifact for artifact in artifacts if isinstance(artifact, ToolCall)]
        message: dict[str, Any] = {"role": "assistant", "content": _joined(artifacts, Text), "refusal": None}
        message["annotations"] = []
        thinking = _joined(artifacts, Reasoning)
        if thinking is not None:
            message["reasoning_content"] = thinking
        if calls:
            message["tool_calls"] = [_call(call, place, asked) for place, call in enumerate(calls)]
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _REASONS[reason_of(items)]}
        usage = _usage(usage_of(items, asked))
        return {**_head(asked, "chat.completion"), "choices": [choice], "usage": usage}


class _Chunks:
    """Writes one answer; which calls it began is remembered."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._has_usage = (asked.body.get("stream_options") or {}).get("include_usage") is True
        self._began = False
        self._calls: set[int] = set()

    def of(self, batch: Sequence[Artifact]) -> list[bytes]:
        """The chunks of what arrives together; the first ones say who speaks."""
        deltas = [delta for artifact in batch for delta in self._deltas(artifact)]
        return [*self._begin(), *[self._chunk(delta) for delta in deltas]]

    def end(self, reason: Reason, usage: Usage) -> list[bytes]:
        """The last chunks, and the mark of the end."""
        chunks = [*self._begin(), self._chunk({}, _REASONS[reason])]
        if self._has_usage:
            head = _head(self._asked, "chat.completion.chunk")
            chunks.append(_event({**head, "choices": [], "usage": _usage(usage)}))
        return [*chunks, b"data: [DONE]\n\n"]

    def _begin(self) -> list[bytes]:
        if self._began:
            return []
        self._began = True
        return [self._chunk({"role": "assistant", "content": "", "refusal": None})]

    def _deltas(self, artifact: Artifact) -> list[dict[str, Any]]:
        match artifact:
            case TextDelta(content=content) | Text(content=content):
                return [{"content": content}]
            case ReasoningDelta(content=content) | Reasoning(content=content):
                return [{"reasoning_content": content}] if content else []
            case ToolCallDelta():
                return [{"tool_calls": [self._fragment(artifact)]}]
            case ToolCall():
                place = max(self._calls, default=-1) + 1
                self._calls.add(place)
                return [{"tool_calls": [{"index": place, **_call(artifact, place, self._asked)}]}]
            case _:
                return []

    def _fragment(self, delta: ToolCallDelta) -> dict[str, Any]:
        """The first fragment of a call names it; the later ones only carry arguments."""
        function = {"name": delta.name, "arguments": delta.arguments}
        if delta.index in self._calls:
            del function["name"]
            return {"index": delta.index, "function": function}
        self._calls.add(delta.index)
        id = delta.id or self._asked.id("call_", delta.index)
        return {"index": delta.index, "id": id, "type": "function", "function": function}

    def _chunk(self, delta: Mapping[str, Any], reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        chunk = {**_head(self._asked, "chat.completion.chunk"), "choices": [choice]}
        return _event(chunk | {"usage": None} if self._has_usage else chunk)


def _head(asked: Asked, kind: str) -> dict[str, Any]:
    return {
        "id": asked.id("chatcmpl-"),
        "object": kind,
        "created": CREATED,
        "model": asked.model,
        "service_tier": "default",
        "system_fingerprint": "fp_mock",
    }


def _call(call: ToolCall, place: int, asked: Asked) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id or asked.id("call_", place), "type": "function", "function": function}


def _joined(artifacts: Sequence[Artifact], kind: type[Text] | type[Reasoning]) -> str | None:
    found = [artifact.content for artifact in artifacts if isinstance(artifact, kind)]
    return "".join(found) if found else None


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read_tokens, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens, "audio_tokens": 0},
    }


def _event(value: Mapping[str, Any]) -> bytes:
    return b"data: %s\n\n" % json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
