"""`Gate`: one at a time, first come, first served, whoever is being cancelled."""

import asyncio
from collections import deque

from ore._aio import finish

__all__ = ["Gate"]


class Gate:
    """A lock that a cancellation does not push anybody out of.

    Whoever waits for it gets in, and hears of its cancellation afterwards, so
    that what must be written is written. Passing an open gate never waits.
    """

    __slots__ = ("taken", "waiting")

    def __init__(self) -> None:
        self.taken = False
        """Whether somebody is inside; who finds it false may set it in place of `enter`, which costs no call."""
        self.waiting: deque[asyncio.Future[None]] = deque()
        """Who stands before it; while there is nobody, clearing `taken` does for `leave`."""

    async def enter(self) -> asyncio.CancelledError | None:
        """Go in, when all before have left; the cancellation that came meanwhile, to raise after `leave`."""
        if not self.taken:
            self.taken = True
            return None
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.waiting.append(turn)
        try:
            await finish(turn)
        except asyncio.CancelledError as error:
            return error
        return None

    def leave(self) -> None:
        """Let the next one in."""
        if self.waiting:
            self.waiting.popleft().set_result(None)
        else:
            self.taken = False
