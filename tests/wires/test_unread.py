"""An answer whose words stand where its protocol has none is an error; one without words is an answer."""

import json
from typing import Any

import pytest

from ore.artifact import StopReason
from ore.errors import ProtocolError
from ore.ext.replay.protocols import decoder_of
from wires.corpus import decode

SECRET = "Zeta and words that nobody may see"


def events(*found: Any) -> bytes:
    return b"".join(b"data: %b\n\n" % json.dumps(one).encode() for one in found)


def lines(*found: Any) -> bytes:
    return b"".join(b"%b\n" % json.dumps(one).encode() for one in found)


def chat(**choice: Any) -> bytes:
    return events({"choices": [{"index": 0, "finish_reason": "stop", **choice}]}) + b"data: [DONE]\n\n"


def messages(*found: Any, content: Any = ()) -> bytes:
    begin = {"type": "message_start", "message": {"role": "assistant", "content": list(content)}}
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}}
    return events(begin, *found, end, {"type": "message_stop"})


def response(*found: Any, **more: Any) -> bytes:
    asked = {"instructions": SECRET, "tools": [{"name": "f", "description": SECRET}], "text": {"format": {}}}
    whole = {"status": "completed", "output": [], **asked, **more}
    return events(
        {"type": "response.created", "response": whole}, *found, {"type": "response.completed"} | {"response": whole}
    )


def gemini(**candidate: Any) -> bytes:
    return events({"candidates": [{"finishReason": "STOP", **candidate}], "usageMetadata": {"totalTokenCount": 3}})


TEXT = {"type": "text", "text": SECRET}
CALL = {"function": {"name": SECRET, "arguments": "{}"}}

UNREAD = {
    "chat-message": ("openai-chat", chat(message={"role": "assistant", "content": SECRET}), "choices.message.content"),
    "chat-text": ("openai-chat", chat(text=SECRET), "choices.text"),
    "chat-object": ("openai-chat", chat(delta={"content": {"text": SECRET}}), "choices.delta.content.text"),
    "chat-call": ("openai-chat", chat(message={"tool_calls": [CALL]}), "choices.message.tool_calls.function"),
    "chat-whole": (
        "openai-chat",
        json.dumps({"choices": [{"text": SECRET, "index": 0, "finish_reason": "stop"}]}).encode(),
        "choices.text",
    ),
    "anthropic-message": ("anthropic", messages(content=[TEXT]), "message.content.text"),
    "anthropic-event": ("anthropic", messages({"type": "completion", "completion": SECRET}), "completion"),
    "anthropic-delta": (
        "anthropic",
        messages(
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "content": SECRET}},
        ),
        "delta.content",
    ),
    "responses-event": ("openai-responses", response({"type": "response.text.delta", "delta": SECRET}), "delta"),
    "responses-shape": ("openai-responses", response(output={"text": SECRET}), "response.output.text"),
    "responses-whole": (
        "openai-responses",
        json.dumps({"object": "response", "status": "completed", "output": [], "output_text": SECRET}).encode(),
        "output_text",
    ),
    "gemini-text": ("gemini", gemini(text=SECRET), "candidates.text"),
    "gemini-other": (
        "gemini",
        gemini() + gemini(index=1, content={"parts": [{"text": SECRET}]}),
        "candidates.content.parts.text",
    ),
    "ollama-text": ("ollama", lines({"message": {"role": "assistant", "text": SECRET}, "done": True}), "message.text"),
    "ollama-delta": (
        "ollama",
        lines({"delta": {"content": SECRET}}, {"done": True, "done_reason": "stop"}),
        "delta.content",
    ),
}

EMPTY = {
    "chat": ("openai-chat", chat(delta={"role": "assistant", "content": ""}, logprobs={"content": [{"token": "a"}]})),
    "chat-nothing": ("openai-chat", chat()),
    "anthropic": (
        "anthropic",
        messages({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
    ),
    "responses": ("openai-responses", response()),
    "responses-item": (
        "openai-responses",
        response({"type": "response.output_item.done", "output_index": 0, "item": {"type": "message", "content": []}}),
    ),
    "gemini": ("gemini", gemini(content={"role": "model", "parts": [{"text": ""}]})),
    "gemini-nothing": ("gemini", gemini(safetyRatings=[{"category": "HARM_CATEGORY_HATE_SPEECH"}])),
    "ollama": ("ollama", lines({"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"})),
}  # fmt: skip


@pytest.mark.parametrize(("protocol", "body", "place"), UNREAD.values(), ids=UNREAD)
def test_words_where_nobody_reads_them_are_an_error_that_names_the_place(
    protocol: str, body: bytes, place: str
) -> None:
    """And shows none of them."""
    outcome = decode(decoder_of(protocol), [body])
    assert isinstance(outcome.error, ProtocolError)
    assert f" {place}," in str(outcome.error)
    assert not any(word in str(outcome.error) for word in ("Zeta", "nobody"))


@pytest.mark.parametrize(("protocol", "body"), EMPTY.values(), ids=EMPTY)
def test_a_model_may_say_nothing(protocol: str, body: bytes) -> None:
    """What it was asked stands in some answers, and is none."""
    outcome = decode(decoder_of(protocol), [body])
    assert outcome.error is None
    assert StopReason(reason="stop") in outcome.artifacts


@pytest.mark.parametrize(("protocol", "body", "place"), UNREAD.values(), ids=UNREAD)
def test_however_such_an_answer_is_cut_the_error_is_the_same(protocol: str, body: bytes, place: str) -> None:
    outcome = decode(decoder_of(protocol), [body[at : at + 7] for at in range(0, len(body), 7)])
    assert f" {place}," in str(outcome.error)
