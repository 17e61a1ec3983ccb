"""What a tool returned or raised, as the result that the model gets."""

from typing import Any

import msgspec

from ore.artifact import (
    Cut,
    ResultStatus,
    ToolCall,
    ToolResult,
    clean,
    footer,
    has_method,
    human_text,
    model_text,
    truncate,
)
from ore.errors import ToolError

__all__ = ["error_result", "failure_result", "value_result"]

_DEFAULT = Cut()


def value_result(call: ToolCall, value: Any, cut: Cut | None) -> ToolResult:
    """The result of a call that returned.

    A value with its own `for_model` goes out as it is; everything else is cut
    to the limits, with a line that says so.

    Raises:
        TypeError: The value is not JSON and has no `for_model`.
    """
    text = model_text(value, to_plain)
    truncation = None
    if not has_method(value, "for_model"):
        text, truncation = truncate(text, cut or _DEFAULT)
    if truncation is not None:
        text += footer(truncation)
    return ToolResult(
        tool_call_id=call.id,
        content=text,
        status=ResultStatus.OK,
        display=human_text(value),
        truncation=truncation,
    )


def failure_result(call: ToolCall, error: BaseException, cut: Cut | None) -> ToolResult:
    """The result of a call that raised: what there was, then the error, which no limit cuts away."""
    message = clean(str(error)) or type(error).__name__
    partial = error.result if isinstance(error, ToolError) else None
    body = {"error": message} if partial is None else partial
    try:
        result = value_result(call, body, cut)
    except TypeError:
        result = value_result(call, {"error": message}, cut)
    content = f"{result.content}\n\n**Error:** {message}"
    return msgspec.structs.replace(result, content=content, is_error=True, status=ResultStatus.ERROR, display=None)


def error_result(call: ToolCall, text: str, status: ResultStatus = ResultStatus.ERROR) -> ToolResult:
    """The result of a call that was not run."""
    return ToolResult(tool_call_id=call.id, content=clean(text), is_error=True, status=status)


def to_plain(value: Any) -> Any:
    """A value that msgspec does not know, as one that it does: pydantic models and such.

    Raises:
        TypeError: There is no way known.
    """
    dump = getattr(value, "model_dump", None)
    if dump is None:
        raise TypeError(f"expected a value that can be JSON, got {type(value).__name__}")
    return dump(mode="json")
