"""What a span says of a tool call: its name and how it ended, never what it was about."""

from ore.artifact import ResultStatus, ToolResult
from ore.errors import ToolError
from ore.event import Span

__all__ = ["trace"]


def trace(span: Span, result: ToolResult) -> None:
    """Note how a call ended."""
    status = result.status or (ResultStatus.ERROR if result.is_error else ResultStatus.OK)
    span.set("tool.status", status.value)
    cut = result.truncation
    span.set("tool.truncated", cut is not None)
    if cut is not None:
        span.set("tool.truncation.original_bytes", cut.original_bytes or 0)
        span.set("tool.truncation.original_lines", cut.original_lines or 0)
        span.set("tool.truncation.shown_bytes", cut.shown_bytes)
        span.set("tool.truncation.shown_lines", cut.shown_lines)
        span.set("tool.truncation.style", cut.style.value if cut.style else "")
    if result.is_error:
        span.fail(ToolError(f"the call ended with status {status.value!r}"))
