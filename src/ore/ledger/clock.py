"""The time of turns; for people, never for order."""

from collections.abc import Callable
from datetime import UTC, datetime

__all__ = ["Clock", "now"]

Clock = Callable[[], datetime]
"""The time now, with a zone. Must not block."""


def now() -> datetime:
    """UTC."""
    return datetime.now(UTC)
