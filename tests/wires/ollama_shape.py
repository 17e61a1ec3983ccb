"""What Ollama's server refuses about a request, or silently makes worse, checked without it.

Written from "Generate a chat message" of its documentation (read 2026-11).
"""

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["check_ollama"]


def check_ollama(body: bytes) -> Mapping[str, Any]:
    """Assert that the server would take a request, and give it."""
    request: Mapping[str, Any] = json.loads(body)
    json.dumps(request, ensure_ascii=False).encode()  # no half characters
    assert request["model"]
    assert request["stream"] is True
    due: list[tuple[str, str]] = []
    assert request["messages"]
    for message in request["messages"]:
        _check_message(message)
        if message["role"] == "tool":
            assert due.pop(0) == (message["tool_name"], message["tool_call_id"])
            continue
        assert not due
        due = [(call["function"]["name"], call["id"]) for call in message.get("tool_calls", ())]
    assert not due
    return request


def _check_message(message: Mapping[str, Any]) -> None:
    role = message["role"]
    assert role in ("system", "user", "assistant", "tool")
    assert isinstance(message["content"], str)
    assert message["content"].strip() or role == "tool" or message.get("tool_calls") or message.get("images")
    assert not ("thinking" in message or "tool_calls" in message) or role == "assistant"
    _check_images(message.get("images", ()))
    for call in message.get("tool_calls", ()):
        assert set(call) == {"id", "function"}
        assert call["function"]["name"]
        assert isinstance(call["function"]["arguments"], dict)


def _check_images(images: Sequence[str]) -> None:
    for image in images:
        assert base64.b64decode(image, validate=True)
