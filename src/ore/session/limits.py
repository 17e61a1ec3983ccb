"""Limits on what a session takes in."""

from dataclasses import dataclass

__all__ = ["SessionLimits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLimits:
    """Limits on what a session takes in; beyond one, `submit` raises `LimitError`.

    Attributes:
        message_bytes: Estimated size of one message's content.
        queue: Messages that wait.
        window_bytes: What the event log holds.
        window_s: Seconds without readers after which a session at rest lets it go.
    """

    message_bytes: int = 10 << 20
    queue: int = 1_000
    window_bytes: int = 1 << 20
    window_s: float = 60.0
