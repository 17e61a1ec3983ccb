"""What most events of a streamed response are: one fragment of what is open, and nothing else; see `Run`."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from operator import attrgetter
from typing import Any, Final, Literal

import msgspec

from ore.artifact import Artifact, ReasoningDelta, TextDelta, ToolCallDelta
from ore.ext.wires.bursts import Run
from ore.ext.wires.openai_responses.items import Fragment

__all__ = ["ARGUMENTS", "INPUT", "SUMMARY", "TEXT", "THINKING", "run_of"]

TEXT: Final = "response.output_text.delta"
SUMMARY: Final = "response.reasoning_summary_text.delta"
THINKING: Final = "response.reasoning_text.delta"
ARGUMENTS: Final = "response.function_call_arguments.delta"
INPUT: Final = "response.custom_tool_call_input.delta"


class _Fragment(msgspec.Struct, gc=False, kw_only=True):
    delta: str
    output_index: int


class _Text(_Fragment, gc=False, kw_only=True):
    type: Literal["response.output_text.delta"]
    content_index: int | None = None


class _Summary(_Fragment, gc=False, kw_only=True):
    type: Literal["response.reasoning_summary_text.delta"]
    summary_index: int | None = None


class _Thinking(_Fragment, gc=False, kw_only=True):
    type: Literal["response.reasoning_text.delta"]
    content_index: int | None = None


class _Arguments(_Fragment, gc=False, kw_only=True):
    type: Literal["response.function_call_arguments.delta"]


class _Input(_Fragment, gc=False, kw_only=True):
    type: Literal["response.custom_tool_call_input.delta"]


_KINDS: Final[Mapping[str, tuple[type[_Fragment], str]]] = {
    TEXT: (_Text, "content_index"),
    SUMMARY: (_Summary, "summary_index"),
    THINKING: (_Thinking, "content_index"),
    ARGUMENTS: (_Arguments, ""),
    INPUT: (_Input, ""),
}
"""What each kind decodes to, and the field that says which part of its item it belongs to."""


def run_of(kind: str, item: int, part: int | None, call: int, heard: list[Fragment]) -> Run | None:
    """Events of one kind that go on one part of an item.

    Args:
        kind: The type of the events.
        item: Their `output_index`.
        part: Their index in the item, as it stands in them.
        call: The number of the call that they belong to, of arguments.
        heard: Gets the fragments too.
    """
    if kind not in _KINDS:
        return None
    decode, field = _decoder(kind)
    place: Any = (item, part) if field else item
    place_of: attrgetter[Any] = attrgetter("output_index", field) if field else attrgetter("output_index")
    make = _MAKERS.get(kind) or partial(_arguments, call)

    def read(pieces: Sequence[bytes]) -> Sequence[Artifact]:
        nonlocal heard
        found = [*map(decode, pieces)]
        if {*map(place_of, found)} != {place}:
            raise msgspec.ValidationError("expected fragments of one part, got others")
        made = make(found)
        heard += made
        return made

    return Run(b"event: %b\ndata: " % kind.encode(), read)


@cache
def _decoder(kind: str) -> tuple[Callable[[bytes], _Fragment], str]:
    struct, field = _KINDS[kind]
    return msgspec.json.Decoder(struct).decode, field


def _texts(found: Sequence[_Fragment]) -> Sequence[TextDelta]:
    return [TextDelta(content=words) for event in found if (words := event.delta)]


def _thoughts(found: Sequence[_Fragment]) -> Sequence[ReasoningDelta]:
    return [ReasoningDelta(content=words) for event in found if (words := event.delta)]


def _arguments(call: int, found: Sequence[_Fragment]) -> Sequence[ToolCallDelta]:
    return [ToolCallDelta(index=call, arguments=more) for event in found if (more := event.delta)]


_MAKERS: Final[Mapping[str, Callable[[Sequence[_Fragment]], Sequence[Fragment]]]] = {
    TEXT: _texts,
    SUMMARY: _thoughts,
    THINKING: _thoughts,
}
