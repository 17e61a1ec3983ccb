"""A process that talks in a session until it is compacted, and dies where its failpoints say.

Words: the folder, and how many messages there are in all. Prints the id of each message that ended.
Beside the failpoints of the store there is `summary.batch`, in the middle of a summary.
"""

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

from ore.event import UserMessage
from ore.ext.stores.sqlite import SqliteStore
from ore.ext.transforms.compaction import CompactionSettings
from ore.ledger import State
from ore.models import Spec
from ore.provider import Batch, Option
from ore.session import Manager
from ore.testing.failing import FailingStore
from ore.testing.failpoints import Failpoints
from transforms.narrow import Narrow
from transforms.sessions import agent


class Failing(Narrow):
    """Reaches a failpoint in each summary."""

    def __init__(self, window: int, points: Failpoints) -> None:
        super().__init__(window)
        self._points = points

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        before = len(self.summed_up)
        async with aclosing(super().invoke(state, spec, *options)) as batches:
            async for batch in batches:
                yield batch
                if len(self.summed_up) > before:
                    await self._points.reach("summary.batch")


async def main(folder: str, count: int) -> None:
    points = Failpoints.from_environment()
    store = FailingStore(SqliteStore(Path(folder) / "ore.db"), points)
    manager = Manager(agent(Failing(400, points), settings=CompactionSettings(window=400)), store)
    stream = await manager.open("s")
    await stream.idle()  # what an earlier process left
    for n in range(count):
        await stream.process(UserMessage(content=f"message {n} " + "blah " * 12, id=f"m{n}"))
        print(f"m{n}", flush=True)
    await manager.aclose()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
