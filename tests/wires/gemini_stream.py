"""Chunks of Gemini in short, and what a decoder makes of them."""

import json
from collections.abc import Sequence
from typing import Any

from ore.ext.wires.gemini.decoder import GeminiDecoder
from wires.corpus import Outcome, bytewise, decode

__all__ = ["ISSUER", "answer", "chunk", "event", "read"]

ISSUER = {"provider": "vendor", "model": "model"}


def chunk(*parts: Any, finish: Any = None, **more: Any) -> dict[str, Any]:
    """A chunk of parts; a text stands for itself."""
    shown = [{"text": part} if isinstance(part, str) else part for part in parts]
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": shown}, "index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
    inside = {name: more.pop(name) for name in ("groundingMetadata", "citationMetadata") if name in more}
    return {"candidates": [candidate | inside], **more}


def event(value: Any) -> bytes:
    """A chunk as it is sent."""
    return b"data: %b\r\n\r\n" % json.dumps(value, ensure_ascii=False).encode()


def read(*chunks: Any, answer_tool: str | None = None, names: dict[str, str] | None = None) -> Outcome:
    """What becomes of chunks; byte by byte it is the same."""

    def decoder() -> GeminiDecoder:
        return GeminiDecoder(provider="vendor", model="model", answer_tool=answer_tool, names=names)

    body = b"".join(map(event, chunks))
    outcome = decode(decoder(), [body])
    again = decode(decoder(), bytewise(body))
    assert list(map(type, again.stream)) == list(map(type, outcome.stream))
    assert type(again.error) is type(outcome.error)
    return outcome


def answer(*chunks: Any, **more: Any) -> Sequence[Any]:
    """The complete artifacts of an answer that ended well, but for its reason."""
    outcome = read(*chunks, chunk(finish="STOP"), **more)
    assert outcome.error is None
    return outcome.artifacts[:-1]
