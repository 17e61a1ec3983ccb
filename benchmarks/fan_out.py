"""Events to 1, 10 and 100 readers, in bursts of 64."""

from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from functools import partial

from benchmarks.measure import Run, alternating, paired, repeated
from benchmarks.row import Row
from benchmarks.scene import read_by
from ore.artifact import Blocks, TextDelta
from ore.loop import EventBus

__all__ = ["fan_out"]

READERS = (1, 10, 100)
BURST = 64
BURSTS = 100
TIMES = 7


def fan_out(run: Run) -> Iterator[Row]:
    """CPU of the event log and its readers alone, without a turn around it.

    The readers only take their batches, so that the row with a bar shows what
    reading costs and not what a reader does with what it read. In the last row
    each of them goes through the events of its batches one by one.
    """
    costs = repeated(run.rounds, partial(_measured, looking=False))
    yield Row(name="fan-out: 10 readers / 1", values=paired(costs["10"], costs["1"]))
    yield Row(name="fan-out: 100 readers / 1", values=paired(costs["100"], costs["1"]), bar=6)
    costs = repeated(run.rounds, partial(_measured, looking=True))
    yield Row(name="fan-out: 100 readers / 1, looking at each event", values=paired(costs["100"], costs["1"]))


async def _measured(*, looking: bool) -> Mapping[str, float]:
    async with AsyncExitStack() as stack:
        work = {}
        for count in READERS:
            bus = EventBus()
            await stack.enter_async_context(read_by(count, bus, looking=looking))
            work[str(count)] = partial(_stream, bus)
        return await alternating(TIMES, work)


async def _stream(bus: EventBus) -> None:
    """One answer, in full batches."""
    blocks = Blocks("turn", lambda artifact, block: bus.emit(artifact, block=block))
    fragment = TextDelta(content=" token")
    for _ in range(BURSTS):
        for _ in range(BURST):
            blocks.add(fragment)
        await bus.flow()
    blocks.close()
    await bus.flow()
