"""Answers as vendors send them, in words of our own."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ore.artifact import Reason
from ore.testing.contracts.provider import Answer
from providers.loopback import EVENTS, Answering, Exchange

JSON = {"content-type": "application/json"}

_CHAT_REASONS: Mapping[Reason, str] = {"stop": "stop", "length": "length", "tool_use": "tool_calls"}
_CLAUDE_REASONS: Mapping[Reason, str] = {"stop": "end_turn", "length": "max_tokens", "tool_use": "tool_use"}


def chat(answer: Answer) -> Sequence[bytes]:
    """An answer as chat completions stream it, without its end where that is wanted."""
    events = [_chunk({"role": "assistant", "content": ""})]
    events += [_chunk({"content": piece}) for piece in answer.text]
    if answer.call is not None:
        function = {"name": answer.call.name, "arguments": ""}
        events.append(
            _chunk({"tool_calls": [{"index": 0, "id": answer.call.id, "type": "function", "function": function}]})
        )
        events += [
            _chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
            for piece in _pieces(answer.call.arguments)
        ]
    if answer.end == "whole":
        usage = {
            "prompt_tokens": answer.prompt_tokens,
            "completion_tokens": answer.completion_tokens,
            "total_tokens": answer.prompt_tokens + answer.completion_tokens,
        }
        events += [_chunk({}, _CHAT_REASONS[answer.reason]), _data({"id": "c", "choices": [], "usage": usage})]
        events.append(b"data: [DONE]\n\n")
    return events


def claude(answer: Answer) -> Sequence[bytes]:
    """An answer as Anthropic's messages stream it, without its end where that is wanted."""
    usage = {"input_tokens": answer.prompt_tokens, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
    events = [_event("message_start", message=message), _event("ping")]
    if answer.call is not None:
        block: dict[str, Any] = {"type": "tool_use", "id": answer.call.id, "name": answer.call.name, "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in _pieces(answer.call.arguments)]
    else:
        block = {"type": "text", "text": ""}
        deltas = [{"type": "text_delta", "text": piece} for piece in answer.text]
    events.append(_event("content_block_start", index=0, content_block=block))
    events += [_event("content_block_delta", index=0, delta=delta) for delta in deltas]
    if answer.end == "whole":
        events.append(_event("content_block_stop", index=0))
        delta = {"stop_reason": _CLAUDE_REASONS[answer.reason], "stop_sequence": None}
        events.append(_event("message_delta", delta=delta, usage={"output_tokens": answer.completion_tokens}))
        events.append(_event("message_stop"))
    return events


CHAT_OVERFLOW = {"error": {"message": "too long", "type": "invalid_request_error", "code": "context_length_exceeded"}}
CLAUDE_OVERFLOW = {
    "type": "error",
    "error": {"type": "invalid_request_error", "message": "prompt is too long: 300 tokens > 200 maximum"},
}


def answering(answers: Sequence[Answer], *, as_claude: bool) -> Answering:
    """Answers requests in order, each as its answer says."""
    left = iter(answers)

    async def one(exchange: Exchange) -> None:
        answer = next(left)
        if answer.end == "overflows":
            overflow = json.dumps(CLAUDE_OVERFLOW if as_claude else CHAT_OVERFLOW).encode()
            exchange.whole(overflow, status=400, headers=JSON)
            return
        exchange.head(headers=EVENTS)
        exchange.send(*(claude(answer) if as_claude else chat(answer)))
        if answer.end == "hangs":
            await exchange.gone.wait()
        exchange.end()

    return one


def _pieces(text: str) -> Sequence[str]:
    return [text[start : start + 5] for start in range(0, len(text), 5)]


def _chunk(delta: Mapping[str, Any], reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return _data({"id": "c", "object": "chat.completion.chunk", "choices": [choice]})


def _data(value: Any) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


def _event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\n".encode() + _data({"type": kind, **fields})
