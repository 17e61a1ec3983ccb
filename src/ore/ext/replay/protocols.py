"""Which protocol an address speaks, and who reads its answers."""

from collections.abc import Mapping
from importlib import import_module
from typing import Final
from urllib.parse import urlsplit

from ore.ext.wires.wire import Ask, Decoder, Wire
from ore.models import Spec

__all__ = ["ENDINGS", "decoder_of", "protocol_of"]

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

_WIRES: Final[Mapping[str, tuple[str, str, str]]] = {
    "openai-chat": ("ore.ext.wires.openai_chat", "OpenAIChat", "openai"),
    "openai-responses": ("ore.ext.wires.openai_responses", "OpenAIResponses", "openai-responses"),
    "anthropic": ("ore.ext.wires.anthropic", "AnthropicMessages", "anthropic"),
    "gemini": ("ore.ext.wires.gemini", "Gemini", "google"),
    "ollama": ("ore.ext.wires.ollama", "Ollama", "ollama"),
}
"""Module and class of each wire, and who speaks it."""

_UNKNOWN: Final = "unknown"
"""The model in the tags of opaque data: a body does not always say which it was."""


def protocol_of(url: str) -> str | None:
    """The protocol of a request, by its path; `None` for one that nobody knows."""
    path = urlsplit(url).path
    return next((protocol for ending, protocol in _PATHS if path.endswith(ending)), None)


def decoder_of(protocol: str) -> Decoder:
    """Who reads an answer of a protocol, whatever was asked.

    Raises:
        KeyError: There is none of that name.
    """
    module, name, provider = _WIRES[protocol]
    wire: Wire = getattr(import_module(module), name)()
    return wire.decoder(Ask(turns=(), spec=Spec(name=_UNKNOWN), provider=provider))
