"""`StopReason`: why a model stopped."""

from typing import ClassVar, Literal

from ore.artifact.base import Artifact

__all__ = ["Reason", "StopReason"]

Reason = Literal["stop", "length", "tool_use", "refusal", "other"]
"""A missing reason counts as `other`."""


class StopReason(Artifact, frozen=True, kw_only=True, tag="stop_reason"):
    """Why the model stopped; comes just before the final `Usage`."""

    sendable: ClassVar[bool] = False

    reason: Reason

    def for_human(self) -> str:
        """The reason, when it is worth a word."""
        return "" if self.reason in ("stop", "tool_use") else f"[{self.reason}]"
