"""Streamed chat completions for tests, in few words."""

from collections.abc import Sequence
from typing import Any

import msgspec

from ore.artifact import ToolCall
from ore.ext.wires.openai_chat.decoder import ChatDecoder
from wires.corpus import Outcome, decode

DONE = b"data: [DONE]\n\n"

COUNTS = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}


def event(delta: dict[str, Any] | None = None, *, finish: str | None = None, **fields: Any) -> bytes:
    """One event with one choice; fields stand beside its choices."""
    choice = {"index": 0, "delta": delta or {}, "finish_reason": finish}
    return raw({"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [choice], **fields})


def raw(value: Any) -> bytes:
    """One event of any JSON."""
    return b"data: " + msgspec.json.encode(value) + b"\n\n"


def text(content: str) -> bytes:
    """An event that says something."""
    return event({"content": content})


def call(*entries: dict[str, Any]) -> bytes:
    """An event with fragments of calls, each as `entry` makes it."""
    return event({"tool_calls": list(entries)})


def entry(arguments: str | None = None, *, name: str | None = None, **fields: Any) -> dict[str, Any]:
    """A fragment of a call; `index` and `id` are there only when given."""
    function = {"name": name, "arguments": arguments}
    return {**fields, "function": {key: value for key, value in function.items() if value is not None}}


def stop(reason: str = "stop", **fields: Any) -> bytes:
    """The event that says why it stopped."""
    return event(finish=reason, **fields)


def usage(**counts: Any) -> bytes:
    """The event that says what it cost."""
    return raw({"choices": [], "usage": counts or COUNTS})


def read(*events: bytes, output: str | None = None) -> Outcome:
    """What a decoder makes of a body."""
    return decode(ChatDecoder("vendor", "model", output), [b"".join(events)])


def calls_in(outcome: Outcome) -> Sequence[tuple[str, str, str]]:
    """Id, name and arguments of each call."""
    return [(found.id, found.name, found.arguments) for found in outcome.of(ToolCall)]
