"""What most events of a streamed chat completion are: one fragment of what is open, and nothing else.

A type here refuses whatever else an event may hold that matters; see `Run`.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal

import msgspec

from ore.artifact import ReasoningDelta, TextDelta
from ore.ext.wires.bursts import Run

__all__ = ["RUNS"]

_NoText = Literal["", None]
_NoList = Annotated[list[Any], msgspec.Meta(max_length=0)] | None


class _Piece(msgspec.Struct, gc=False, kw_only=True):
    reasoning_details: _NoList = None
    refusal: _NoText = None
    tool_calls: _NoList = None
    function_call: None = None
    annotations: _NoList = None


class _Words(_Piece, gc=False, kw_only=True):
    content: str
    reasoning_content: _NoText = None
    reasoning: _NoText = None


class _Thoughts(_Piece, gc=False, kw_only=True):
    content: _NoText = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class _Choice(msgspec.Struct, gc=False, kw_only=True):
    index: Literal[0] = 0
    finish_reason: None = None


class _Said(_Choice, gc=False, kw_only=True):
    delta: _Words


class _Thought(_Choice, gc=False, kw_only=True):
    delta: _Thoughts


class _Chunk(msgspec.Struct, gc=False, kw_only=True):
    usage: None = None
    error: None = None
    citations: _NoList = None


class _SaidChunk(_Chunk, gc=False, kw_only=True):
    choices: tuple[_Said]


class _ThoughtChunk(_Chunk, gc=False, kw_only=True):
    choices: tuple[_Thought]


_decode_said: Final = msgspec.json.Decoder(_SaidChunk).decode
_decode_thought: Final = msgspec.json.Decoder(_ThoughtChunk).decode


def _words(pieces: Sequence[bytes]) -> Sequence[TextDelta]:
    chunks = [*map(_decode_said, pieces)]
    return [TextDelta(content=words) for chunk in chunks if (words := chunk.choices[0].delta.content)]


def _thoughts(pieces: Sequence[bytes]) -> Sequence[ReasoningDelta]:
    found = [chunk.choices[0].delta for chunk in map(_decode_thought, pieces)]
    return [ReasoningDelta(content=words) for piece in found if (words := piece.reasoning_content or piece.reasoning)]


RUNS: Final[Mapping[str, Run]] = {
    "text": Run(b"data: ", _words),
    "reasoning": Run(b"data: ", _thoughts),
}
"""By what is open."""
