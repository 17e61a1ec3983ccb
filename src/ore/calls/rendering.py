"""What a tool returned or raised, as the result that the model gets."""

from typing import Any, Final

import msgspec

from ore.artifact import (
    Artifact,
    Audio,
    Cut,
    File,
    Image,
    ResultStatus,
    Text,
    ToolCall,
    ToolResult,
    TruncationStyle,
    clean,
    footer,
    has_method,
    human_text,
    model_text,
    truncate,
)
from ore.calls.plain import decoded, exactly, to_plain
from ore.errors import ToolError

__all__ = ["error_result", "failure_result", "value_result"]

_DEFAULT: Final = Cut()

_MEDIA: Final = (Image, File, Audio)
_CONTENT: Final = (Text, *_MEDIA)

_PLAIN: Final = frozenset({bool, dict, float, int, type(None)})
"""What has one text for all, and is neither an artifact nor bytes."""

_MESSAGE: Final = Cut(max_bytes=2_000, max_lines=40, style=TruncationStyle.HEAD)
"""2,000 bytes of an error's message stand behind whatever else there is."""


def value_result(call: ToolCall, value: Any, cut: Cut | None) -> ToolResult:
    """The result of a call that returned.

    A value with its own `for_model` goes out as it is; everything else is cut
    to the limits, with a line that says so. Bytes that are UTF-8 are text.
    Artifacts, one or several, are text too; pictures, documents and sounds
    among them are named there in their place and stand beside it, whole.

    Raises:
        TypeError: The value is not JSON and has no `for_model`.
    """
    display = truncation = media = None
    own = False
    if type(value) is str:
        text = clean(value)
    elif type(value) in _PLAIN:
        text = model_text(value, to_plain)
    elif artifacts := _artifacts(value):
        text = clean("\n".join(map(_named, artifacts)))
        media = tuple([artifact for artifact in artifacts if isinstance(artifact, _MEDIA)]) or None
    else:
        text = exactly(model_text(decoded(value), to_plain), str)
        display = exactly(human_text(value), str)
        own = has_method(value, "for_model")
    if not own:
        text, truncation = truncate(text, cut or _DEFAULT)
    if truncation is not None:
        text += footer(truncation)
    return ToolResult(
        tool_call_id=call.id,
        content=text,
        status=ResultStatus.OK,
        display=display,
        truncation=truncation,
        media=media,
    )


def failure_result(call: ToolCall, error: BaseException, cut: Cut | None) -> ToolResult:
    """The result of a call that raised: what there was, then the error, which no limit cuts away."""
    message = message_of(error)
    partial = error.result if isinstance(error, ToolError) else None
    try:
        result = value_result(call, {"error": message} if partial is None else partial, cut)
    except Exception:  # a part that cannot be shown must not hide the error
        result = value_result(call, {"error": message}, cut)
    ending = f"\n\n**Error:** {truncate(message, _MESSAGE)[0]}"
    return msgspec.structs.replace(
        result,
        content=result.content + ending,
        is_error=True,
        status=ResultStatus.ERROR,
        display=None if result.display is None else result.display + ending,
    )


def error_result(call: ToolCall, text: str, status: ResultStatus = ResultStatus.ERROR) -> ToolResult:
    """The result of a call that was not run, or whose end nobody waited for."""
    content = truncate(exactly(clean(text), str), _DEFAULT)[0]
    return ToolResult(tool_call_id=call.id, content=content, is_error=True, status=status)


def _artifacts(value: Any) -> tuple[Artifact, ...]:
    """What a tool returned as artifacts; empty when it returned something else."""
    items = value if type(value) in (list, tuple) else (value,)
    return tuple(items) if all(isinstance(item, _CONTENT) for item in items) else ()


def _named(artifact: Artifact) -> str:
    return artifact.content if isinstance(artifact, Text) else artifact.for_human()


def message_of(error: BaseException) -> str:
    """What went wrong, for the model: an author's own words as they are, else with the error's name."""
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(map(message_of, error.exceptions[:8]))
    name = type(error).__name__
    try:
        text = exactly(clean(str(error)), str)
    except Exception:
        return name
    if isinstance(error, ToolError):
        return text or name
    return f"{name}: {text}" if text else name
