"""From an interrupt to the last fragment, while 50 other sessions stream."""

import asyncio
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing

from benchmarks.measure import Run
from benchmarks.row import Row
from benchmarks.scene import answering
from ore.artifact import TextDelta
from ore.ext.stores.sqlite import SqliteStore
from ore.ledger import State, Store
from ore.loop import Subscription
from ore.models import Spec
from ore.provider import BATCH_LIMIT, Batch, Option
from ore.session import Manager, Stream

__all__ = ["interrupts"]

OTHERS = 50
INTERRUPTS = 10
OWN_PACE_S = 0.001
"""Between two fragments of the session that is interrupted: how finely its end is seen."""

PACES_S = {"20 ms apart, as models send them": 0.02, "without a pause": 0.0}


class Endless:
    """A provider that never stops talking.

    Args:
        pace_s: Seconds between two fragments; with 0 they come in full
            batches, as fast as the process takes them.
    """

    name = "endless"

    def __init__(self, pace_s: float) -> None:
        self._pace_s = pace_s
        fragment = TextDelta(content=" token")
        self._batch = (fragment,) * (1 if pace_s else BATCH_LIMIT)

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        """Talk."""
        while True:
            if self._pace_s:
                await asyncio.sleep(self._pace_s)
            yield self._batch


class Arrivals:
    """Reads the fragments of a session and notes when the last one came."""

    def __init__(self, reader: Subscription) -> None:
        self._reader = reader
        self.last_s = 0.0
        self.some = asyncio.Event()

    async def read(self) -> None:
        async with aclosing(self._reader.batches()) as batches:
            async for batch in batches:
                if any(entry.kind == "text_delta" for entry in batch):
                    self.last_s = time.perf_counter()
                    self.some.set()


def interrupts(run: Run) -> Iterator[Row]:
    """Milliseconds from `interrupt()` until nothing more arrives, with everything on SQLite.

    Not a ratio: a person waits for it. Each round's value is the slowest of
    10 interrupts. In the second row the others take every moment
    that the process has.
    """
    for pace, pace_s in PACES_S.items():
        stores = (SqliteStore(run.folder / f"interrupt-{pace_s}-{number}.db") for number in range(run.rounds))
        found = [asyncio.run(_slowest_ms(store, pace_s)) for store in stores]
        name = f"interrupt to last delta, slowest of {INTERRUPTS}; {OTHERS} others, fragments {pace}"
        yield Row(name=name, values=found, bar=100, unit="ms")


async def _slowest_ms(store: Store, pace_s: float) -> float:
    paces_s = {"own": OWN_PACE_S if pace_s else 0.0}
    async with Manager(lambda stream: answering(Endless(paces_s.get(stream.id, pace_s))), store) as manager:
        others = [await manager.create() for _ in range(OTHERS)]
        tickets = [other.submit("talk") for other in others]
        stream = await manager.create_with_id("own")
        found = [await _latency_s(stream) for _ in range(INTERRUPTS)]
        assert all(ticket.outcome is None for ticket in tickets)
    return max(found) * 1_000


async def _latency_s(stream: Stream) -> float:
    async with asyncio.TaskGroup() as group, stream.subscribe("text_delta") as reader:
        arrivals = Arrivals(reader)
        group.create_task(arrivals.read())
        ticket = stream.submit("talk")
        await arrivals.some.wait()
        asked_s = time.perf_counter()
        await stream.interrupt()
        await ticket
        reader.close()
    return max(arrivals.last_s - asked_s, 0.0)
