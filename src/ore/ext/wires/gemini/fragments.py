"""What most chunks of Gemini's stream are: one fragment of what is open, and the tokens so far; see `Run`."""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Final, Literal

import msgspec

from ore.artifact import Artifact, ReasoningDelta, TextDelta
from ore.ext.wires.bursts import Run
from ore.ext.wires.gemini.structs import Counts

__all__ = ["runs"]


class _Part(msgspec.Struct, rename="camel", gc=False, kw_only=True):
    text: str
    thought: bool | None = None
    thought_signature: None = None
    function_call: None = None


class _Content(msgspec.Struct, gc=False):
    parts: tuple[_Part]


class _Candidate(msgspec.Struct, rename="camel", gc=False, kw_only=True):
    content: _Content
    index: Literal[0, None] = None
    finish_reason: None = None
    grounding_metadata: None = None
    citation_metadata: None = None
    url_context_metadata: None = None


class _Chunk(msgspec.Struct, rename="camel", gc=False, kw_only=True):
    candidates: tuple[_Candidate]
    usage_metadata: Counts | None = None
    prompt_feedback: None = None
    error: None = None


_decode: Final = msgspec.json.Decoder(_Chunk).decode
_is_thought: Final = attrgetter("thought")


def runs(counted: Callable[[Counts], None]) -> Mapping[str, Run]:
    """How chunks look that go on what is open, by what that is.

    Args:
        counted: Gets the last tokens of some chunks; they are no sums.
    """

    def read(pieces: Sequence[bytes], is_thought: bool) -> Sequence[str]:
        found = [*map(_decode, pieces)]
        parts = [chunk.candidates[0].content.parts[0] for chunk in found]
        if {*map(_is_thought, parts)} - ({True} if is_thought else {False, None}):
            raise msgspec.ValidationError("expected fragments of one block, got others")
        counts = _last(found)
        if counts is not None:
            counted(counts)
        return [words for part in parts if (words := part.text)]

    def words(pieces: Sequence[bytes]) -> Sequence[Artifact]:
        return [TextDelta(content=more) for more in read(pieces, False)]

    def thoughts(pieces: Sequence[bytes]) -> Sequence[Artifact]:
        return [ReasoningDelta(content=more) for more in read(pieces, True)]

    return {"text": Run(b"data: ", words), "reasoning": Run(b"data: ", thoughts)}


def _last(found: Sequence[_Chunk]) -> Counts | None:
    for chunk in reversed(found):
        counts = chunk.usage_metadata
        if counts is not None and counts.prompt_token_count is not None:
            return counts
    return None
