"""Answers as vendors send them, in words of our own."""

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ore.artifact import Reason
from ore.testing.contracts.provider import Answer
from providers.loopback import EVENTS, Answering, Exchange
from wires import responses_answer as item
from wires.gemini_stream import chunk, event

JSON = {"content-type": "application/json"}

_CHAT_REASONS: Mapping[Reason, str] = {"stop": "stop", "length": "length", "tool_use": "tool_calls"}
_CLAUDE_REASONS: Mapping[Reason, str] = {"stop": "end_turn", "length": "max_tokens", "tool_use": "tool_use"}
_GEMINI_REASONS: Mapping[Reason, str] = {"stop": "STOP", "length": "MAX_TOKENS", "tool_use": "STOP"}


def signature_of(thought: str) -> str:
    """What a vendor signs a thought with: nothing that anybody could read in it."""
    return base64.b64encode(f"signed {thought}".encode()[::-1]).decode()


def chat(answer: Answer, thought: str = "") -> Sequence[bytes]:
    """An answer as chat completions stream it, without its end where that is wanted."""
    events = [_chunk({"role": "assistant", "content": ""})]
    if thought:
        detail = {"type": "reasoning.text", "text": thought, "signature": signature_of(thought), "index": 0}
        events.append(_chunk({"reasoning": thought, "reasoning_details": [detail]}))
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


def claude(answer: Answer, thought: str = "") -> Sequence[bytes]:
    """An answer as Anthropic's messages stream it, without its end where that is wanted."""
    usage = {"input_tokens": answer.prompt_tokens, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
    events = [_event("message_start", message=message), _event("ping")]
    place = 0
    if thought:
        begun = {"type": "thinking", "thinking": "", "signature": ""}
        events += [
            _event("content_block_start", index=0, content_block=begun),
            _event("content_block_delta", index=0, delta={"type": "thinking_delta", "thinking": thought}),
            _event(
                "content_block_delta", index=0, delta={"type": "signature_delta", "signature": signature_of(thought)}
            ),
            _event("content_block_stop", index=0),
        ]
        place = 1
    if answer.call is not None:
        block: dict[str, Any] = {"type": "tool_use", "id": answer.call.id, "name": answer.call.name, "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in _pieces(answer.call.arguments)]
    else:
        block = {"type": "text", "text": ""}
        deltas = [{"type": "text_delta", "text": piece} for piece in answer.text]
    events.append(_event("content_block_start", index=place, content_block=block))
    events += [_event("content_block_delta", index=place, delta=delta) for delta in deltas]
    if answer.end == "whole":
        events.append(_event("content_block_stop", index=place))
        delta = {"stop_reason": _CLAUDE_REASONS[answer.reason], "stop_sequence": None}
        events.append(_event("message_delta", delta=delta, usage={"output_tokens": answer.completion_tokens}))
        events.append(_event("message_stop"))
    return events


def responses(answer: Answer, thought: str = "") -> Sequence[bytes]:
    """An answer as OpenAI's Responses stream it, without its end where that is wanted."""
    events = [item.created()]
    id = thought.encode().hex() or "1"
    if thought:
        events += item.thought(0, item.thinking(f"rs_{id}", thought, encrypted=signature_of(thought)), [thought])
    place = 1 if thought else 0
    if answer.call is not None:
        call = item.function_call(f"fc_{id}", answer.call.id, answer.call.name, answer.call.arguments)
        rest = item.called(place, call, *_pieces(answer.call.arguments))
    else:
        rest = item.said(place, item.message(f"msg_{id}", "".join(answer.text)), *answer.text)
    usage = {
        "input_tokens": answer.prompt_tokens,
        "output_tokens": answer.completion_tokens,
        "total_tokens": answer.prompt_tokens + answer.completion_tokens,
    }
    if answer.end != "whole":
        events += rest[:-1]
    elif answer.reason == "length":
        ended = item.incomplete("max_output_tokens")
        events += [*rest, {**ended, "response": {**ended["response"], "usage": usage}}]
    else:
        events += [*rest, item.completed(usage=usage)]
    return [item.sse(one) for one in events]


def gemini(answer: Answer, thought: str = "") -> Sequence[bytes]:
    """An answer as Gemini streams it, without its end where that is wanted."""
    events = [event(chunk({"text": thought, "thought": True}))] if thought else []
    signed = {"thoughtSignature": signature_of(thought)} if thought else {}
    if answer.call is not None:
        called = {"name": answer.call.name, "args": json.loads(answer.call.arguments)}
        events.append(event(chunk({"functionCall": called, **signed})))
    events += [
        event(chunk({"text": piece, **(signed if not place else {})})) for place, piece in enumerate(answer.text)
    ]
    if answer.end == "whole":
        counts = {"promptTokenCount": answer.prompt_tokens, "candidatesTokenCount": answer.completion_tokens}
        total = answer.prompt_tokens + answer.completion_tokens
        ended = chunk("", finish=_GEMINI_REASONS[answer.reason], usageMetadata={**counts, "totalTokenCount": total})
        events.append(event(ended))
    return events


def ollama(answer: Answer, thought: str = "") -> Sequence[bytes]:
    """An answer as Ollama streams it, without its end where that is wanted."""
    lines = [_line(thinking=thought)] if thought else []
    lines += [_line(piece) for piece in answer.text]
    if answer.call is not None:
        called = {"name": answer.call.name, "arguments": json.loads(answer.call.arguments)}
        lines.append(_line(tool_calls=[{"id": answer.call.id, "function": called}]))
    if answer.end == "whole":
        reason = "length" if answer.reason == "length" else "stop"
        counts = {"prompt_eval_count": answer.prompt_tokens, "eval_count": answer.completion_tokens}
        lines.append({**_line(), "done": True, "done_reason": reason, **counts})
    return [json.dumps(line).encode() + b"\n" for line in lines]


@dataclass(frozen=True, slots=True)
class Speech:
    """How a vendor answers.

    Attributes:
        stream: The pieces of an answer, behind what was thought before it.
        overflow: What it says with status 400 of a prompt that is too long.
    """

    stream: Callable[..., Sequence[bytes]]
    overflow: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=lambda: EVENTS)


_TOO_LONG = {"message": "too long", "type": "invalid_request_error", "code": "context_length_exceeded"}
_PROMPT = {"type": "invalid_request_error", "message": "prompt is too long: 300 tokens > 200 maximum"}
_COUNT = "The input token count (300) exceeds the maximum number of tokens allowed (200)."

CHAT = Speech(chat, {"error": _TOO_LONG})
CLAUDE = Speech(claude, {"type": "error", "error": _PROMPT})
RESPONSES = Speech(responses, {"error": _TOO_LONG})
GEMINI = Speech(gemini, {"error": {"code": 400, "message": _COUNT, "status": "INVALID_ARGUMENT"}})
OLLAMA = Speech(
    ollama, {"error": "the input length exceeds the context length"}, {"content-type": "application/x-ndjson"}
)


def answering(answers: Sequence[Answer], speech: Speech = CHAT) -> Answering:
    """Answers requests in order, each as its answer says."""
    left = iter(answers)

    async def one(exchange: Exchange) -> None:
        answer = next(left)
        if answer.end == "overflows":
            exchange.whole(json.dumps(speech.overflow).encode(), status=400, headers=JSON)
            return
        exchange.head(headers=speech.headers)
        exchange.send(*speech.stream(answer))
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


def _line(content: str = "", **message: Any) -> dict[str, Any]:
    return {"model": "m", "created_at": "now", "message": {"role": "assistant", "content": content, **message}}
