"""What is read of a streamed chat completion, and nothing else of it.

Fields by OpenAI's "Chat completion chunk" (API reference, read 2026-11), and
by what compatible servers were recorded to send beside them: `reasoning_content`
(DeepSeek, Z.ai), `reasoning` and `reasoning_details` (OpenRouter, Groq, vLLM),
`content` as a list of parts (Mistral), `citations` (Perplexity), `null` and
absent fields anywhere.

Whatever does not fit these types is read once more by `lenient_chunk`, which
takes what it can use.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

import msgspec

__all__ = ["CallPart", "Choice", "Chunk", "Counts", "Details", "Function", "Piece", "decode_chunk", "lenient_chunk"]


class Function(msgspec.Struct, gc=False):
    """A fragment of what is called."""

    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class CallPart(msgspec.Struct, gc=False):
    """A fragment of one call; an absent index is another fact than 0."""

    index: int | None = None
    id: str | None = None
    function: Function | None = None


class Piece(msgspec.Struct, gc=False):
    """`delta`, or the whole `message` of an answer that was not streamed."""

    content: str | list[Any] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    reasoning_details: list[Any] | None = None
    refusal: str | None = None
    tool_calls: list[CallPart] | None = None
    function_call: Function | None = None
    annotations: list[Any] | None = None


class Choice(msgspec.Struct, gc=False):
    """One of the answers; only the one with index 0 is read."""

    index: int | None = 0
    delta: Piece | None = None
    finish_reason: str | None = None


class Details(msgspec.Struct, gc=False):
    """Parts of a count."""

    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None


class Counts(msgspec.Struct, gc=False):
    """`usage`."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None
    prompt_tokens_details: Details | None = None
    completion_tokens_details: Details | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    prompt_cache_hit_tokens: int | None = None


class Chunk(msgspec.Struct, gc=False):
    """One event of the stream."""

    choices: list[Choice] | None = None
    usage: Counts | None = None
    error: Any = None
    citations: list[Any] | None = None


decode_chunk: Final = msgspec.json.Decoder(Chunk).decode
"""Reads one event.

Raises:
    msgspec.ValidationError: A field has another type.
    msgspec.DecodeError: It is no JSON, or holds half a surrogate pair.
"""


def lenient_chunk(data: bytes, *, whole: bool = False, is_error: bool = False) -> Chunk | None:
    """Read an event that does not fit: fields of other types are left out.

    Args:
        data: The event.
        whole: It is an answer that was not streamed: `message` stands for `delta`.
        is_error: It is one, whatever stands inside.

    Returns:
        `None` when it is no JSON object.
    """
    try:
        found = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    chunk = _chunk(found, "message" if whole else "delta")
    if is_error and not chunk.error:
        chunk.error = found
    return chunk


def _chunk(found: Mapping[str, Any], key: str) -> Chunk:
    error = found.get("error") or None
    if error is None and (found.get("object") == "error" or found.get("type") == "error"):
        error = found  # as vLLM did
    return Chunk(
        choices=[_choice(item, key) for item in _list(found.get("choices")) or () if isinstance(item, dict)],
        usage=_converted(found.get("usage"), Counts),
        error=error,
        citations=_list(found.get("citations")),
    )


def _choice(found: Mapping[str, Any], key: str) -> Choice:
    index, reason = found.get("index"), found.get("finish_reason")
    piece = found.get(key)
    return Choice(
        index=_index(index),
        delta=_piece(piece) if isinstance(piece, dict) else None,
        finish_reason=reason if isinstance(reason, str) else None,
    )


def _piece(found: Mapping[str, Any]) -> Piece:
    content = found.get("content")
    return Piece(
        content=content if isinstance(content, str | list) else None,
        reasoning_content=_text(found.get("reasoning_content")),
        reasoning=_text(found.get("reasoning")),
        reasoning_details=_list(found.get("reasoning_details")),
        refusal=_text(found.get("refusal")),
        tool_calls=[_call(item) for item in _list(found.get("tool_calls")) or () if isinstance(item, dict)],
        function_call=_function(found.get("function_call")),
        annotations=_list(found.get("annotations")),
    )


def _call(found: Mapping[str, Any]) -> CallPart:
    id = found.get("id")
    return CallPart(
        index=_index(found.get("index")),
        id=str(id) if isinstance(id, str | int) else None,
        function=_function(found.get("function")),
    )


def _function(found: Any) -> Function | None:
    if not isinstance(found, dict):
        return None
    arguments = found.get("arguments")
    return Function(name=_text(found.get("name")), arguments=arguments if isinstance(arguments, str | dict) else None)


def _converted(found: Any, kind: type[Counts]) -> Counts | None:
    if not isinstance(found, dict):
        return None
    kept = {name: value for name, value in found.items() if isinstance(value, int | dict)}
    try:
        return msgspec.convert(kept, kind, strict=False)
    except msgspec.ValidationError:
        plain = {name: value for name, value in kept.items() if isinstance(value, int)}
        return msgspec.convert(plain, kind)


def _index(value: Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _list(value: Any) -> list[Any] | None:
    return value if isinstance(value, list) else None
