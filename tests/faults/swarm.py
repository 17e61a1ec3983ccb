"""Several roaming workers over one store, killed at random points until their work is done."""

import asyncio
import random
from collections.abc import Sequence

from faults.stage import Process, Stage

WORKERS = 4
LIFE = 120
"""Failpoints that a worker passes at most before something happens to it."""


class Swarm:
    """Workers that die, and others in their place.

    Attributes:
        kills: How many died so far.
    """

    def __init__(self, stage: Stage, seed: int) -> None:
        self.kills = 0
        self._stage = stage
        self._chance = random.Random(seed)

    async def work(self, names: Sequence[str], count: int, *, kills: int) -> None:
        """Have all messages of these sessions ended; at most so many more workers die."""
        most = self.kills + kills
        async with asyncio.TaskGroup() as group:
            for _ in range(WORKERS):
                group.create_task(self._worker(names, count, most))

    async def _worker(self, names: Sequence[str], count: int, most: int) -> None:
        while True:
            spared = self.kills >= most
            action = self._chance.choice(("kill", "kill", "kill", "stop"))
            point = "" if spared else f"*:{self._chance.randint(1, LIFE)}:{action}"
            process = await self._stage.process(point)
            process.send("roam", list(names), count, self._chance.randrange(1 << 30))
            if await self._watch(process):
                return
            self.kills += 1

    async def _watch(self, process: Process) -> bool:
        """Whether it came to the end of its work; one that stands still is killed, or goes on."""
        while process.code is None and not process.all("roamed"):
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
