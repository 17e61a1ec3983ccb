"""What is read of an answer: chunks of Gemini's stream, with the fields that matter here.

By "GenerateContentResponse", "Content" and "Part" of the Gemini API reference,
and by `FunctionCall` and `PartialArg` of Google's Gen AI SDKs (read 2026-11):
only the cloud's own endpoint streams arguments in parts.
"""

import json
from typing import Any, Final

import msgspec

from ore.artifact import to_json

__all__ = [
    "NOTHING",
    "Blob",
    "Call",
    "Candidate",
    "Chunk",
    "Counts",
    "Part",
    "PartialArg",
    "chunks_of",
    "decode_chunk",
    "lenient_chunk",
    "raw_parts",
]

NOTHING: Final = msgspec.Raw(b"")
"""What stands for a field that is not there."""


class PartialArg(msgspec.Struct, rename="camel", gc=False):
    """A piece of one value inside of a call's arguments."""

    json_path: str = ""
    string_value: str | None = None
    number_value: msgspec.Raw = NOTHING
    bool_value: bool | None = None
    will_continue: bool | None = None


class Call(msgspec.Struct, rename="camel", gc=False):
    """A call, or a piece of one that continues."""

    id: str | None = None
    name: str | None = None
    args: msgspec.Raw = NOTHING
    partial_args: list[PartialArg] | None = None
    will_continue: bool | None = None


class Blob(msgspec.Struct, rename="camel", gc=False):
    """Bytes in base64, or where they stand."""

    mime_type: str | None = None
    data: str | None = None
    file_uri: str | None = None


class Part(msgspec.Struct, rename="camel", gc=False):
    """One part; of other kinds than these it is all `None`."""

    text: str | None = None
    thought: bool | None = None
    thought_signature: str | None = None
    function_call: Call | None = None
    inline_data: Blob | None = None
    file_data: Blob | None = None


class Content(msgspec.Struct, gc=False):
    """What a candidate says next."""

    parts: list[Part] | None = None


class Candidate(msgspec.Struct, rename="camel", gc=False):
    """One of the answers; only the one with index 0 is read."""

    index: int | None = None
    content: Content | None = None
    finish_reason: str | None = None
    grounding_metadata: msgspec.Raw = NOTHING
    citation_metadata: msgspec.Raw = NOTHING
    url_context_metadata: msgspec.Raw = NOTHING


class Counts(msgspec.Struct, rename="camel", gc=False):
    """Tokens so far; every chunk has them anew."""

    prompt_token_count: int | None = None
    cached_content_token_count: int | None = None
    candidates_token_count: int | None = None
    thoughts_token_count: int | None = None
    tool_use_prompt_token_count: int | None = None
    total_token_count: int | None = None


class Feedback(msgspec.Struct, rename="camel", gc=False):
    """What the vendor says to the prompt."""

    block_reason: str | None = None


class Chunk(msgspec.Struct, rename="camel", gc=False):
    """One event of the stream."""

    candidates: list[Candidate] | None = None
    usage_metadata: Counts | None = None
    prompt_feedback: Feedback | None = None
    error: Any = None


class _RawContent(msgspec.Struct, gc=False):
    parts: list[msgspec.Raw] | None = None


class _RawCandidate(msgspec.Struct, gc=False):
    index: int | None = None
    content: _RawContent | None = None


class _RawChunk(msgspec.Struct, gc=False):
    candidates: list[_RawCandidate] | None = None


decode_chunk: Final = msgspec.json.Decoder(Chunk).decode
_decode_list: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode

_decode_raw: Final = msgspec.json.Decoder(_RawChunk).decode


def lenient_chunk(data: bytes) -> tuple[Chunk, bytes] | None:
    """Read a chunk that holds half a character, or bytes that are no character.

    Such a half stays in the text of a part, where its other half may follow;
    elsewhere it becomes U+FFFD.

    Returns:
        The chunk, and its bytes without halves; `None` when it is no chunk all the same.
    """
    try:
        found = json.loads(data.decode("utf-8", "replace"))
        sound = to_json(found)
        chunk = decode_chunk(sound)
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors too
        return None
    for candidate, shown in zip(chunk.candidates or (), found.get("candidates") or (), strict=True):
        parts = candidate.content.parts if candidate.content is not None else None
        for part, words in zip(parts or (), (shown.get("content") or {}).get("parts") or (), strict=True):
            part.text = words.get("text")
    return chunk, sound


def chunks_of(body: bytes) -> list[msgspec.Raw]:
    """The chunks of a body that is one list, which a server sends that knows nothing of `alt=sse`; none of another."""
    try:
        return _decode_list(body)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:  # half a character, or bytes that are none
        return _decode_list(to_json(json.loads(body.decode("utf-8", "replace"))))
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors too
        return []


def raw_parts(data: bytes) -> list[msgspec.Raw]:
    """The parts of a chunk as they came, for kinds that nobody here knows."""
    for candidate in _decode_raw(data).candidates or ():
        if not candidate.index and candidate.content is not None:
            return candidate.content.parts or []
    return []
