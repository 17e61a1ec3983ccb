"""Artifacts that can be written down and read back: what a struct does not check by itself."""

from collections.abc import Mapping
from typing import Final

from ore.artifact.base import Artifact
from ore.artifact.codec import BUILTIN_KINDS, CODEC, encode
from ore.artifact.reasoning import Reasoning
from ore.artifact.stop_reason import StopReason
from ore.artifact.text import Text
from ore.artifact.tool_call import ToolCall
from ore.artifact.tool_result import ToolResult
from ore.errors import InputError

__all__ = ["check_artifact"]

_TEXTS: Final[Mapping[type[Artifact], tuple[str, ...]]] = {
    Reasoning: ("content",),
    StopReason: ("reason",),
    Text: ("content",),
    ToolCall: ("id", "name", "arguments"),
    ToolResult: ("tool_call_id", "content"),
}
"""The fields of what comes all the time that have to be text; everything else is written and read once."""


def check_artifact(artifact: Artifact) -> None:
    """Refuse an artifact that a store could not read back, such as a call with parsed arguments.

    Raises:
        InputError: A field holds something else than its type says.
    """
    names = _TEXTS.get(type(artifact))
    if type(artifact) not in BUILTIN_KINDS:
        return  # an extension's kind, which it checks itself
    if names is None or getattr(artifact, "provider_data", None) is not None:
        _check_all(artifact)
        return
    for name in names:
        value = getattr(artifact, name)
        if type(value) is not str and not isinstance(value, str):
            raise InputError(f"{artifact.kind}: expected text as {name}, got {type(value).__name__}")


def _check_all(artifact: Artifact) -> None:
    try:
        CODEC.decode(encode(artifact))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{artifact.kind}: expected what its fields say: {error}") from None
