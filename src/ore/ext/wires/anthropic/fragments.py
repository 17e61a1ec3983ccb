"""What most events of Anthropic's stream are: one fragment of what is open, and nothing else; see `Run`."""

from collections.abc import Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final, Literal

import msgspec

from ore.artifact import Artifact, ReasoningDelta, TextDelta, ToolCallDelta
from ore.ext.wires.bursts import Run

__all__ = ["argued", "said", "thought"]

_HEAD: Final = b"event: content_block_delta\ndata: "
_NoText = Literal["", None]
_index: Final = attrgetter("index")


class _Event(msgspec.Struct, gc=False, kw_only=True):
    index: int
    error: None = None


class _Words(msgspec.Struct, gc=False):
    text: str


class _Thought(msgspec.Struct, gc=False, kw_only=True):
    thinking: str
    text: _NoText = None
    partial_json: _NoText = None
    signature: _NoText = None


class _Arguments(msgspec.Struct, gc=False, kw_only=True):
    partial_json: str
    text: _NoText = None


class _Said(_Event, gc=False, kw_only=True):
    delta: _Words


class _Thinks(_Event, gc=False, kw_only=True):
    delta: _Thought


class _Argues(_Event, gc=False, kw_only=True):
    delta: _Arguments


_decode_said: Final = msgspec.json.Decoder(_Said).decode
_decode_thought: Final = msgspec.json.Decoder(_Thinks).decode
_decode_argued: Final = msgspec.json.Decoder(_Argues).decode


@lru_cache(64)
def said(index: int) -> Run:
    """Fragments of the text that is open there."""

    def read(pieces: Sequence[bytes]) -> Sequence[Artifact]:
        found = [*map(_decode_said, pieces)]
        _check(found, index)
        return [TextDelta(content=words) for event in found if (words := event.delta.text)]

    return Run(_HEAD, read)


def thought(index: int, shown: list[str]) -> Run:
    """Fragments of the thinking that is open there; `shown` gets its words too."""

    def read(pieces: Sequence[bytes]) -> Sequence[Artifact]:
        found = [*map(_decode_thought, pieces)]
        _check(found, index)
        words = [more for event in found if (more := event.delta.thinking)]
        shown.extend(words)
        return [ReasoningDelta(content=more) for more in words]

    return Run(_HEAD, read)


@lru_cache(64)
def argued(index: int, call: int) -> Run:
    """Fragments of the arguments of the call that is open there."""

    def read(pieces: Sequence[bytes]) -> Sequence[Artifact]:
        found = [*map(_decode_argued, pieces)]
        _check(found, index)
        return [ToolCallDelta(index=call, arguments=more) for event in found if (more := event.delta.partial_json)]

    return Run(_HEAD, read)


def _check(found: Sequence[Any], index: int) -> None:
    if {*map(_index, found)} != {index}:
        raise msgspec.ValidationError("expected fragments of one block, got others")
