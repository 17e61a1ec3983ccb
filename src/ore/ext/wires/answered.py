"""Calls with their results, in the order in which a model asked."""

import json
from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from ore.artifact import ToolCall, ToolResult, to_json

__all__ = ["Answered", "answered", "arguments_object"]

_EMPTY: Final = msgspec.Raw(b"{}")
_decode_object: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class Answered(NamedTuple):
    """Calls and results of one round.

    Attributes:
        results: One for each call, in the order of the calls. Ledgers have
            every call answered; one that is not gets an error here, since
            vendors refuse a call without a result.
        others: Results that answer none of the calls.
    """

    results: Sequence[ToolResult]
    others: Sequence[ToolResult]


def answered(calls: Sequence[ToolCall], results: Sequence[ToolResult]) -> Answered:
    """Pair results with calls, by id, and by position where ids repeat."""
    waiting = list(results)
    found: list[ToolResult] = []
    for call in calls:
        place = next((place for place, result in enumerate(waiting) if result.tool_call_id == call.id), None)
        found.append(_missing(call) if place is None else waiting.pop(place))
    return Answered(found, waiting)


def arguments_object(call: ToolCall) -> msgspec.Raw:
    """The arguments as they stand, to be written where a vendor wants an object; an empty one when they are none.

    Half a character in them becomes U+FFFD, which every vendor takes.
    """
    try:
        raw = call.arguments.encode()
        _decode_object(raw)
        return msgspec.Raw(raw)
    except (UnicodeEncodeError, msgspec.DecodeError, RecursionError):
        return _mended(call.arguments)


def _mended(arguments: str) -> msgspec.Raw:
    try:
        found = json.loads(arguments)
        return msgspec.Raw(to_json(found)) if isinstance(found, dict) else _EMPTY
    except (ValueError, RecursionError):
        return _EMPTY


def _missing(call: ToolCall) -> ToolResult:
    return ToolResult(tool_call_id=call.id, content="there is no result of this call", is_error=True)
