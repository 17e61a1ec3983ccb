"""Artifacts that can be written down and read back: what a struct does not check by itself."""

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, Final

from ore.artifact.base import Artifact
from ore.artifact.codec import BUILTIN_KINDS, CODEC, encode
from ore.artifact.reasoning import Reasoning
from ore.artifact.stop_reason import StopReason
from ore.artifact.text import Text
from ore.artifact.tool_call import ToolCall
from ore.artifact.tool_result import ToolResult
from ore.artifact.usage import Usage
from ore.errors import InputError

__all__ = ["check_artifact"]

_TEXTS: Final[Mapping[type[Artifact], Callable[[Any], tuple[Any, ...]]]] = {
    Reasoning: attrgetter("content", "content"),
    StopReason: attrgetter("reason", "reason"),
    Text: attrgetter("content", "content"),
    ToolCall: attrgetter("id", "name", "arguments"),
    ToolResult: attrgetter("tool_call_id", "content"),
}
"""The fields of what comes all the time that have to be text: looking there costs one call."""

_COUNTS: Final = attrgetter(*Usage.__struct_fields__)
_WITH_MORE: Final[Mapping[type[Artifact], str]] = {
    Reasoning: "provider_data",
    Text: "provider_data",
    ToolCall: "provider_data",
    ToolResult: "media",
}
"""Their one field that is worth reading back when it is there."""


def check_artifact(artifact: Artifact) -> None:
    """Refuse an artifact that a store could not read back, such as a call with parsed arguments.

    Raises:
        InputError: A field holds something else than its type says.
    """
    kind = type(artifact)
    if kind in _TEXTS:
        for value in _TEXTS[kind](artifact):
            if type(value) is not str and not isinstance(value, str):
                raise InputError(f"{artifact.kind}: expected text as {_wrong(artifact, value)}")
        if kind not in _WITH_MORE or getattr(artifact, _WITH_MORE[kind]) is None:
            return
    elif kind is Usage:
        for value in _COUNTS(artifact):
            if value is not None and type(value) is not int:
                break
        else:
            return
    elif kind not in BUILTIN_KINDS:  # an extension's, which it checks itself
        return
    _check_all(artifact)


def _wrong(artifact: Artifact, value: object) -> str:
    name = next(name for name in artifact.__struct_fields__ if getattr(artifact, name) is value)
    return f"{name}, got {type(value).__name__}"


def _check_all(artifact: Artifact) -> None:
    try:
        CODEC.decode(encode(artifact))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{artifact.kind}: expected what its fields say: {error}") from None
