"""`estimated_tokens`: about how long a conversation is."""

from collections.abc import Iterable
from typing import Final

from ore.artifact import Artifact, Media, Reasoning, ToolCall, ToolResult, to_json
from ore.ext.catalog.target import Target
from ore.ledger import Turn
from ore.tool import Tool

__all__ = ["estimated_tokens"]

_BYTES: Final = 4
"""Bytes of UTF-8 in a token. OpenAI and Google both count about four
characters of English ("Counting tokens", "Count tokens", read 2026-11); by
bytes other scripts come to more tokens a character, as they do."""

_IMAGE_TOKENS: Final = 1_600
"""A picture at Anthropic's largest size ("Vision", read 2026-11)."""

_MEDIA_TOKENS: Final = 3_000
"""Any other file, whose length nothing here can tell; a page of PDF at the most (Anthropic, "PDF support")."""

_TURN_TOKENS: Final = 4
"""What frames a message."""


def estimated_tokens(turns: Iterable[Turn], tools: Iterable[Tool], target: Target) -> int:
    """Tokens that the prompt will have at `target`, by a rule of thumb: not for bills, and off by a fifth easily."""
    spoken = sum(_TURN_TOKENS + sum(_tokens(artifact, target) for artifact in turn.artifacts) for turn in turns)
    offered = sum(_text(tool.name) + _text(tool.description) + len(to_json(tool.schema)) // _BYTES for tool in tools)
    return spoken + offered


def _tokens(artifact: Artifact, target: Target) -> int:
    if isinstance(artifact, Media):
        return _media(artifact) if target.takes(artifact) else 0
    if isinstance(artifact, Reasoning):
        return _text(artifact.content) if target.issued(artifact.provider_data) else 0
    if isinstance(artifact, ToolCall):
        return _text(artifact.name) + _text(artifact.arguments)
    if isinstance(artifact, ToolResult):
        return _text(artifact.content) + sum(_tokens(media, target) for media in artifact.media or ())
    return _text(artifact.for_model())


def _media(media: Media) -> int:
    return _IMAGE_TOKENS if media.kind == "image" else _MEDIA_TOKENS


def _text(text: str) -> int:
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-size // _BYTES)
