"""`Unread`: words in an answer that nobody here reads, of an answer that is empty otherwise.

A model may say nothing, and then says why it stopped: that is an answer. One
whose words stand where the protocol has none, such as `message` in place of
`delta`, would look just like it.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from ore.errors import ProtocolError

__all__ = ["Unread"]

_EVENTS: Final = 32
"""Events that are looked at: an empty answer has a handful."""

_WORDS: Final = frozenset((
    *("arguments", "completion", "content", "delta", "generated_text", "message", "output_text", "parts"),
    *("reasoning", "reasoning_content", "reasoning_text", "refusal", "response", "text", "thinking"),
))  # fmt: skip
"""Where vendors put what a model says."""

_CALLS: Final = frozenset(("function", "functionCall", "function_call"))
"""Where they put whom it calls, under `name`."""

_ASIDE: Final = frozenset(("error", "input", "instructions", "logprobs", "metadata", "prompt", "tools", "usage"))
"""What was asked, and what is said about an answer; nothing of it is one."""

_DEPTH: Final = 24


class Unread:
    """The events of an answer that has said nothing so far.

    Args:
        provider: Who answers.
    """

    __slots__ = ("_events", "_provider")

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self._events: list[bytes] = []

    def add(self, data: bytes) -> None:
        """Remember an event that said nothing."""
        if len(self._events) < _EVENTS:
            self._events.append(data)

    def fault(self) -> ProtocolError | None:
        """The error of an answer that ended and said nothing; `None` when there are no words in it."""
        place = next((place for data in self._events if (place := _place(data))), "")
        if not place:
            return None
        said = f"expected what the model says where its protocol has it, got it only in {place}, which is not read; "
        return ProtocolError(f"{said}does the server speak another protocol?", provider=self._provider)


def _place(data: bytes) -> str:
    """The field with words in it; empty when there is none."""
    try:
        found = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return ""
    return _words_in(found, "", "", 0)


def _words_in(found: Any, name: str, place: str, depth: int) -> str:
    """Where words stand; a place is made of names that are known, since others may be words themselves."""
    if depth > _DEPTH:
        return ""
    if isinstance(found, str):
        return place if name in _WORDS and found.strip() else ""
    if isinstance(found, list):
        inner = [(name, one) for one in found]
    elif isinstance(found, Mapping):
        if name in _CALLS and isinstance(found.get("name"), str) and found["name"]:
            return place
        inner = [(key, one) for key, one in found.items() if key not in _ASIDE]
    else:
        return ""
    tried = (_words_in(one, key, _joined(place, key, name), depth + 1) for key, one in inner)
    return next((where for where in tried if where), "")


def _joined(place: str, key: str, name: str) -> str:
    is_told = key in _WORDS or key in _CALLS or key in ("choices", "candidates", "output", "tool_calls")
    if not is_told or place == key or place.endswith(f".{key}"):
        return place
    return f"{place}.{key}" if place else key
