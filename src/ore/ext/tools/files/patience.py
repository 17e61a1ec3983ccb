"""`Patience`: how long a tool goes on before it says how far it came."""

import time

from ore.errors import ToolError
from ore.tool import ToolContext

__all__ = ["Patience"]


class Patience:
    """Ends with time, and with the call.

    Args:
        limit_s: Seconds from now.
        context: The call, if it is one.
    """

    def __init__(self, limit_s: float, context: ToolContext | None = None) -> None:
        self._context = context
        self.limit_s = limit_s
        self._end_s = time.monotonic() + limit_s

    @property
    def left_s(self) -> float:
        """Seconds that are left; below zero when they are over."""
        return self._end_s - time.monotonic()

    @property
    def is_over(self) -> bool:
        """Whether to stop now; asked often, in long work.

        Raises:
            ToolError: The call is over, so that nobody waits for a result.
        """
        if self._context is not None and self._context.cancelled:
            raise ToolError("the call is over")
        return self.left_s <= 0
