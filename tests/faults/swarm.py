"""Several roaming workers over one store, killed at random points until their work is done."""

import asyncio
import random
from collections.abc import Callable, Sequence

from faults.stage import Process, Stage

WORKERS = 4
LIFE = 80
"""Seams that a worker passes at most before something happens to it."""

WORDS = 5000
"""Lines that a worker says at most: one that says more goes round in circles."""


class Swarm:
    """Workers that die, and others in their place.

    Args:
        stage: Where they work.
        seed: Decides when who dies of what.
        enough: Whether those who start from now on are spared.

    Attributes:
        kills: How many died so far.
    """

    def __init__(self, stage: Stage, seed: int, enough: Callable[["Swarm"], bool]) -> None:
        self.kills = 0
        self._enough = enough
        self._stage = stage
        self._chance = random.Random(seed)

    async def work(self, names: Sequence[str], count: int) -> None:
        """Have all messages of these sessions ended."""
        async with asyncio.TaskGroup() as group:
            for _ in range(WORKERS):
                group.create_task(self._worker(names, count))

    async def _worker(self, names: Sequence[str], count: int) -> None:
        while True:
            process = await self._stage.process("" if self._enough(self) else self._fate())
            process.send("roam", list(names), count, self._chance.randrange(1 << 30))
            if await self._watch(process):
                return
            self.kills += 1

    def _fate(self) -> str:
        """How a worker comes to its end, and which of its writes fails before."""
        passing, failing = (self._chance.randint(1, LIFE) for _ in range(2))
        action = self._chance.choice(("kill", "kill", "kill", "stop"))
        return f"*:{passing}:{action},*.before:{failing}:raise"

    async def _watch(self, process: Process) -> bool:
        """Whether it came to the end of its work; one that stands still is killed, or goes on."""
        while process.code is None and process.told[-1] != ["roamed"]:
            assert len(process.told) < WORDS, f"they come to no end: {await self._stage.stories()}"
            await process.more("it would roam")
            if process.told[-1] == ["stopped"]:
                await asyncio.sleep(self._chance.uniform(0, 0.05))  # others try to get its sessions meanwhile
                if self._chance.random() < 0.5:
                    await process.kill()
                else:
                    process.resume()
        done = process.code is None
        if done:
            process.send("end")
        code = await process.ended()
        assert code == (0 if done else -9), process.story()
        process.hang_up()
        return done
