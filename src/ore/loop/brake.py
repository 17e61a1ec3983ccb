"""`Brake`: turns wait for the readers that asked for it."""

import asyncio
from typing import TYPE_CHECKING

from ore.loop.readers import Readers

if TYPE_CHECKING:
    from ore.loop.subscription import Subscription

__all__ = ["Brake"]


class Brake:
    """Knows the readers with policy `block`, and holds turns while one of them is behind.

    A reader that left, was dropped or was disconnected holds nobody, nor does
    one whose task has ended.
    """

    __slots__ = ("_held", "on", "readers")

    def __init__(self) -> None:
        self.readers = Readers()
        self.on = False
        """Whether there may be readers: looking at it costs no call."""
        self._held: dict[asyncio.Future[None], None] = {}

    def add(self, reader: "Subscription") -> None:
        """One more that turns wait for."""
        self.readers.add(reader)
        self.on = True

    async def hold(self) -> None:
        """Return once no reader is behind.

        Raises:
            RuntimeError: The running task itself reads, so it would wait for itself.
        """
        await asyncio.sleep(0)
        self.on = bool(self.readers.alive())
        while (tasks := self._behind()) is not None:
            if asyncio.current_task() in tasks:
                raise RuntimeError(
                    "a subscription with policy 'block' is read by the task that runs the turn; read it in another"
                )
            await self._until_released(tasks)

    def release(self) -> None:
        """Something changed: whoever is held looks again."""
        for future in self._held:
            if not future.done():
                future.set_result(None)

    def _behind(self) -> "set[asyncio.Task[object]] | None":
        """Whose reader is behind; `None` when none is. Refers to no reader: one may be dropped meanwhile."""
        behind = [reader.task for reader in self.readers.alive() if reader.behind]
        return {task for task in behind if task is not None} if behind else None

    async def _until_released(self, tasks: set["asyncio.Task[object]"]) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._held[future] = None

        def ended(_: object) -> None:
            self.release()

        for task in tasks:
            task.add_done_callback(ended)
        try:
            await future
        finally:
            del self._held[future]
            for task in tasks:
                task.remove_done_callback(ended)
