"""Answers of any content as each vendor streams them, whole or cut anywhere."""

import base64
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from wires import responses_answer as item

__all__ = ["PNG", "SPEAKERS", "Issued", "Part", "answers"]

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(20))).decode()

WORDS = st.sampled_from(["", " ", "\n", "a", "b ", "é 👋", "<system>", "a\n\nb"])
IDS = st.sampled_from(["", "0", "0", "c1", "a.b", "toolu_01", "call_0123456789abcdef", "x" * 70])
NAMES = st.sampled_from(["look", "look", "no such", "", "1st.name/of it", "n" * 70])
ARGUMENTS = st.sampled_from(
    ["", "{}", '{"place": "roof"}', '{"place": "r', "[1]", '{"id": "0", "deep": {"a": [null]}}']
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A piece of an answer, in no vendor's words.

    Attributes:
        kind: `text`, `refusal`, `thought`, `hidden` (thinking that nobody may read), `call`, `server`, `image`.
        words: Of a text, a refusal, or a thought.
        is_signed: Whether the vendor signs it.
    """

    kind: str
    words: str = ""
    is_signed: bool = False
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(slots=True)
class Issued:
    """What a vendor gave out, to be known again when it comes back.

    Attributes:
        signatures: Each with the thought that it signs.
        items: Of Responses, of each answer in order.
    """

    vendor: str
    signatures: dict[str, str] = field(default_factory=dict)
    items: list[list[dict[str, Any]]] = field(default_factory=list)
    count: int = 0

    def sign(self, words: str) -> str:
        """A signature like no other."""
        self.count += 1
        made = base64.b64encode(f"{self.vendor} {self.count}".encode()).decode()
        self.signatures[made] = words
        return made

    def number(self) -> str:
        """Another one for each item."""
        self.count += 1
        return f"{self.count:024x}"


def answers() -> st.SearchStrategy[tuple[Sequence[Part], float, str]]:
    """Parts, how much of the answer comes (1 is all), and why it ends: `stop`, `length` or `refusal`."""
    text = st.builds(Part, kind=st.sampled_from(["text", "text", "refusal"]), words=WORDS, is_signed=st.booleans())
    thought = st.builds(Part, kind=st.just("thought"), words=WORDS, is_signed=st.booleans())
    call = st.builds(Part, kind=st.just("call"), id=IDS, name=NAMES, arguments=ARGUMENTS, is_signed=st.booleans())
    others = st.builds(Part, kind=st.sampled_from(["hidden", "server", "image"]), is_signed=st.booleans())
    parts = st.lists(text | thought | call | others, min_size=1, max_size=5)
    whole = st.just(1.0) | st.just(1.0) | st.floats(0, 1)
    return st.tuples(parts, whole, st.sampled_from(["stop", "stop", "length", "refusal"]))


Speak = Callable[[Sequence[Part], str, Issued], Iterator[bytes]]
"""The frames of an answer."""


# ── Chat completions ─────────────────────────────────────────────────────────

_CHAT = {"stop": "stop", "length": "length", "refusal": "content_filter"}


def chat(parts: Sequence[Part], reason: str, issued: Issued) -> Iterator[bytes]:
    """As gateways stream it, thinking with its details."""
    calls = 0
    for part in parts:
        if part.kind in ("text", "refusal"):
            yield _choice({"content" if part.kind == "text" else "refusal": part.words})
        elif part.kind in ("thought", "hidden"):
            detail: dict[str, Any] = {"type": "reasoning.text", "text": part.words, "index": 0}
            if part.is_signed or part.kind == "hidden":
                detail["signature"] = issued.sign(part.words)
            yield _choice({"reasoning": part.words, "reasoning_details": [detail]})
        elif part.kind == "call":
            function = {"name": part.name, "arguments": part.arguments}
            yield _choice({"tool_calls": [{"index": calls, "id": part.id, "type": "function", "function": function}]})
            calls += 1
        elif part.kind == "image":
            url = {"url": f"data:image/png;base64,{PNG}"}
            yield _choice({"images": [{"type": "image_url", "image_url": url}]})
    yield _choice({}, "tool_calls" if calls and reason == "stop" else _CHAT[reason])
    yield b"data: [DONE]\n\n"


def _choice(delta: Mapping[str, Any], finish: str | None = None) -> bytes:
    return _data({"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


# ── Anthropic ────────────────────────────────────────────────────────────────

_CLAUDE = {"stop": "end_turn", "length": "max_tokens", "refusal": "refusal"}


def claude(parts: Sequence[Part], reason: str, issued: Issued) -> Iterator[bytes]:
    """Each part a block; what the vendor runs, two."""
    yield _event("message_start", message={"id": "m", "role": "assistant", "content": [], "usage": {"input_tokens": 1}})
    blocks = [block for part in parts for block in _blocks(part, issued)]
    for index, (block, deltas) in enumerate(blocks):
        yield _event("content_block_start", index=index, content_block=block)
        yield from (_event("content_block_delta", index=index, delta=delta) for delta in deltas)
        yield _event("content_block_stop", index=index)
    calls = any(part.kind == "call" for part in parts) and reason == "stop"
    delta = {"stop_reason": "tool_use" if calls else _CLAUDE[reason]}
    yield _event("message_delta", delta=delta, usage={"output_tokens": 2})
    yield _event("message_stop")


def _blocks(part: Part, issued: Issued) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    match part.kind:
        case "text" | "refusal":
            yield {"type": "text", "text": ""}, [{"type": "text_delta", "text": part.words}]
        case "thought":
            deltas = [{"type": "thinking_delta", "thinking": part.words}]
            if part.is_signed:
                deltas.append({"type": "signature_delta", "signature": issued.sign(part.words)})
            yield {"type": "thinking", "thinking": "", "signature": ""}, deltas
        case "hidden":
            yield {"type": "redacted_thinking", "data": issued.sign("")}, []
        case "call":
            block = {"type": "tool_use", "id": part.id, "name": part.name, "input": {}}
            yield block, [{"type": "input_json_delta", "partial_json": part.arguments}]
        case "server":
            id = f"srvtoolu_{issued.number()}"
            yield {"type": "server_tool_use", "id": id, "name": "web_search", "input": {}}, []
            yield {"type": "web_search_tool_result", "tool_use_id": id, "content": []}, []


# ── OpenAI's Responses ───────────────────────────────────────────────────────


def responses(parts: Sequence[Part], reason: str, issued: Issued) -> Iterator[bytes]:
    """Each part an item."""
    items = [_item(part, issued) for part in parts]
    issued.items.append(items)
    yield item.sse(item.created())
    for index, (part, made) in enumerate(zip(parts, items, strict=True)):
        match part.kind:
            case "text":
                events = item.said(index, made, part.words)
            case "thought":
                events = item.thought(index, made, [part.words])
            case "call":
                events = item.called(index, made, part.arguments)
            case _:
                events = [item.added(index, made), item.done(index, made)]
        yield from map(item.sse, events)
    cut = {"length": "max_output_tokens", "refusal": "content_filter"}.get(reason)
    yield item.sse(item.incomplete(cut) if cut else item.completed(output=items))


def _item(part: Part, issued: Issued) -> dict[str, Any]:
    id = issued.number()
    match part.kind:
        case "text":
            return item.message(f"msg_{id}", part.words)
        case "refusal":
            return item.message(f"msg_{id}") | {"content": [{"type": "refusal", "refusal": part.words}]}
        case "thought" | "hidden":
            return item.thinking(f"rs_{id}", *([part.words] if part.words else []), encrypted=issued.sign(part.words))
        case "call":
            return item.function_call(f"fc_{id}", part.id or f"call_{id}", part.name, part.arguments)
        case "server":
            return {"type": "web_search_call", "id": f"ws_{id}", "status": "completed"}
        case _:
            return {"type": "image_generation_call", "id": f"ig_{id}", "status": "completed", "result": PNG}


# ── Gemini ───────────────────────────────────────────────────────────────────

_GEMINI = {"stop": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY"}


def gemini(parts: Sequence[Part], reason: str, issued: Issued) -> Iterator[bytes]:
    """Each part a chunk."""
    for part in parts:
        for shown in _gemini_parts(part):
            signed = {"thoughtSignature": issued.sign(part.words)} if part.is_signed else {}
            yield _data({"candidates": [{"content": {"role": "model", "parts": [{**shown, **signed}]}}]})
    yield _data({"candidates": [{"finishReason": _GEMINI[reason]}], "usageMetadata": {"promptTokenCount": 1}})


def _gemini_parts(part: Part) -> Iterator[dict[str, Any]]:
    match part.kind:
        case "text" | "refusal":
            yield {"text": part.words}
        case "thought" | "hidden":
            yield {"text": part.words, "thought": True}
        case "call":
            arguments = _read(part.arguments)
            named = {"id": part.id} if part.id else {}
            yield {
                "functionCall": {**named, "name": part.name, "args": arguments if isinstance(arguments, dict) else {}}
            }
        case "server":
            yield {"executableCode": {"language": "PYTHON", "code": "1"}}
            yield {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}
        case _:
            yield {"inlineData": {"mimeType": "image/png", "data": PNG}}


# ── Ollama ───────────────────────────────────────────────────────────────────


def ollama(parts: Sequence[Part], reason: str, issued: Issued) -> Iterator[bytes]:
    """Each part a line."""
    for part in parts:
        match part.kind:
            case "text" | "refusal":
                yield _line({"content": part.words})
            case "thought" | "hidden":
                yield _line({"content": "", "thinking": part.words})
            case "call":
                function = {"name": part.name, "arguments": _read(part.arguments)}
                yield _line({"content": "", "tool_calls": [{"id": part.id, "function": function}]})
            case "image":
                yield _line({"content": "", "images": [PNG]})
    yield _line({"content": ""}, done=True, done_reason="length" if reason == "length" else "stop")


def _line(message: Mapping[str, Any], **more: Any) -> bytes:
    return json.dumps({"model": "m", "message": message, "done": False, **more}).encode() + b"\n"


def _read(arguments: str) -> Any:
    """Arguments as an object, or as they are where they are none."""
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def _data(value: Any) -> bytes:
    return b"data: %b\n\n" % json.dumps(value).encode()


def _event(kind: str, **fields: Any) -> bytes:
    return b"event: %b\n%b" % (kind.encode(), _data({"type": kind, **fields}))


SPEAKERS: Mapping[str, Speak] = {
    "openai": chat,
    "openrouter": chat,
    "openai-responses": responses,
    "azure": responses,
    "anthropic": claude,
    "minimax": claude,
    "google": gemini,
    "ollama": ollama,
}
"""How each vendor speaks."""
