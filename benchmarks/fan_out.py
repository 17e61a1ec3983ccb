"""Events to 1, 10 and 100 readers, in bursts of 64."""

import asyncio
from collections.abc import Iterator
from functools import partial

from benchmarks.measure import Cpu, Run, interleaved, paired
from benchmarks.row import Row
from benchmarks.scene import read_by
from ore.artifact import Blocks, TextDelta
from ore.loop import EventBus

__all__ = ["fan_out"]

BURST = 64
BURSTS = 500


def fan_out(run: Run) -> Iterator[Row]:
    """CPU of the event log and its readers alone, without a turn around it.

    The readers only take their batches, so that the rows with a bar show what
    reading costs and not what a reader does with what it read. In the last row
    each of them goes through the events of its batches one by one.
    """
    costs = interleaved(run.rounds, {str(count): partial(_cost, count) for count in (1, 10, 100)})
    yield Row(name="fan-out: 10 readers / 1", values=paired(costs["10"], costs["1"]))
    yield Row(name="fan-out: 100 readers / 1", values=paired(costs["100"], costs["1"]), bar=6)
    costs = interleaved(run.rounds, {str(count): partial(_cost, count, looking=True) for count in (1, 100)})
    yield Row(name="fan-out: 100 readers / 1, looking at each event", values=paired(costs["100"], costs["1"]))


def _cost(readers: int, *, looking: bool = False) -> float:
    return asyncio.run(_cpu(readers, looking))


async def _cpu(readers: int, looking: bool) -> float:
    bus = EventBus()
    blocks = Blocks("turn", lambda artifact, block: bus.emit(artifact, block=block))
    fragment = TextDelta(content=" token")
    async with read_by(readers, bus, looking=looking):
        with Cpu() as cpu:
            for _ in range(BURSTS):
                for _ in range(BURST):
                    blocks.add(fragment)
                await bus.flow()
            blocks.close()
            await bus.flow()
    return cpu.seconds
