"""`ToolResult`: what a tool call came to."""

from enum import StrEnum

from ore.artifact.base import Artifact
from ore.artifact.media import Audio, File, Image
from ore.artifact.truncation import Truncation

__all__ = ["ResultStatus", "ToolResult"]


class ResultStatus(StrEnum):
    """How a call ended; all but `ok` are errors to the model."""

    OK = "ok"
    ERROR = "error"
    DENIED = "denied"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"
    """It was started and nobody knows how it ended: a crash, or a thread that would not stop."""


class ToolResult(Artifact, frozen=True, kw_only=True, tag="tool_result"):
    """The one answer to one `ToolCall`.

    `content` is what the model gets, byte for byte, before and after a reload;
    `display` is what people see when it differs.
    """

    tool_call_id: str
    content: str
    is_error: bool = False
    status: ResultStatus | None = None
    """`None` on reading an older thread; then `is_error` says it."""
    display: str | None = None
    truncation: Truncation | None = None
    media: tuple[Image | File | Audio, ...] | None = None
    """What the model gets beside the content, which names each in its place."""

    def __post_init__(self) -> None:
        if self.status is not None and self.is_error != (self.status is not ResultStatus.OK):
            raise ValueError(f"is_error={self.is_error} does not go with status {self.status.value!r}")

    def for_model(self) -> str:
        """The content."""
        return self.content

    def for_human(self) -> str:
        """The display text, else the content."""
        return self.content if self.display is None else self.display
