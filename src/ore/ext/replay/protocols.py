"""Which protocol an address speaks, and its wire."""

from collections.abc import Mapping
from importlib import import_module
from typing import Final
from urllib.parse import urlsplit

from ore.ext.wires.wire import Wire

__all__ = ["ENDINGS", "protocol_of", "wire_of"]

ENDINGS: Final[Mapping[str, str]] = {
    "openai-chat": "sse",
    "openai-responses": "sse",
    "anthropic": "sse",
    "gemini": "sse",
    "ollama": "ndjson",
}
"""The protocols, and what files with their answers end in."""

_PATHS: Final = (
    ("chat/completions", "openai-chat"),
    ("/responses", "openai-responses"),
    ("/messages", "anthropic"),
    ("/api/chat", "ollama"),
    (":streamGenerateContent", "gemini"),
)

_WIRES: Final[Mapping[str, tuple[str, str]]] = {
    "openai-chat": ("ore.ext.wires.openai_chat", "OpenAIChat"),
    "openai-responses": ("ore.ext.wires.openai_responses", "OpenAIResponses"),
    "anthropic": ("ore.ext.wires.anthropic", "AnthropicMessages"),
    "gemini": ("ore.ext.wires.gemini", "Gemini"),
    "ollama": ("ore.ext.wires.ollama", "Ollama"),
}


def protocol_of(url: str) -> str | None:
    """The protocol of a request, by its path; `None` for one that nobody knows."""
    path = urlsplit(url).path
    return next((protocol for ending, protocol in _PATHS if path.endswith(ending)), None)


def wire_of(protocol: str) -> Wire:
    """The wire of a protocol.

    Raises:
        KeyError: There is none of that name.
    """
    module, name = _WIRES[protocol]
    wire: Wire = getattr(import_module(module), name)()
    return wire
