"""What is read of an answer: lines of Ollama's stream, with the fields that matter here.

By "Generate a chat message", "Generate a response" and "Errors" of Ollama's
documentation (read 2026-11). The lines of both kinds of answers are read: one
has a `message`, the other a `response`.
"""

import json
from typing import Any, Final

import msgspec

from ore.artifact import to_json

__all__ = ["Call", "Line", "Message", "decode_line", "lenient_line"]

_NOTHING: Final = msgspec.Raw(b"")


class Function(msgspec.Struct, gc=False):
    """What is called; its arguments come whole."""

    name: str | None = None
    arguments: msgspec.Raw = _NOTHING


class Call(msgspec.Struct, gc=False):
    """A call; servers before 0.12.10 give it no id."""

    id: str | None = None
    function: Function | None = None


class Message(msgspec.Struct, gc=False):
    """What the model says next."""

    content: str | None = None
    thinking: str | None = None
    tool_calls: list[Call] | None = None
    images: list[str] | None = None


class Line(msgspec.Struct, gc=False):
    """One line; the counters stand in the last one."""

    message: Message | None = None
    response: str | None = None
    thinking: str | None = None
    done: bool | None = None
    done_reason: str | None = None
    prompt_eval_count: int | None = None
    eval_count: int | None = None
    error: Any = None


decode_line: Final = msgspec.json.Decoder(Line).decode


def lenient_line(data: bytes) -> Line | None:
    """Read a line that holds half a character, or bytes that are no character.

    Such a half stays in what is said and thought, where its other half may
    follow; elsewhere it becomes U+FFFD.

    Returns:
        `None` when it is no line all the same.
    """
    try:
        found = json.loads(data.decode("utf-8", "replace"))
        line = decode_line(to_json(found))
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors too
        return None
    line.response, line.thinking = found.get("response"), found.get("thinking")
    if line.message is not None:
        line.message.content = found["message"].get("content")
        line.message.thinking = found["message"].get("thinking")
    return line
