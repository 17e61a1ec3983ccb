"""The time of turns; for people, never for order."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Final

__all__ = ["Clock", "now"]

Clock = Callable[[], datetime]
"""The time now, with a zone. Must not block."""


now: Final[Clock] = partial(datetime.now, UTC)
"""The time in UTC, by the system's clock."""
