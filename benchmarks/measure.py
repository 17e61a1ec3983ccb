"""CPU time of candidates, measured in turns, so that ratios can be taken within a round."""

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from types import TracebackType
from typing import Any, Self

__all__ = ["Costs", "Cpu", "Run", "alternating", "interleaved", "paired", "repeated"]

Costs = Mapping[str, Sequence[float]]
"""What each candidate cost, round by round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of the benchmarks.

    Attributes:
        rounds: How often each candidate is measured, after one round that does not count.
        folder: For files; on a disk, and gone afterwards.
    """

    rounds: int
    folder: Path


class Cpu:
    """CPU seconds, user and system, of all threads of this process while the block lasts.

    Garbage of before is collected first, and the block pays for its own.
    """

    seconds = 0.0

    def __enter__(self) -> Self:
        gc.collect()
        self._start = time.process_time()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.seconds = time.process_time() - self._start


def interleaved(rounds: int, candidates: Mapping[str, Callable[[], float]]) -> Costs:
    """Ask candidates that measure themselves, one after the other in each round.

    Every other round goes through them backwards, so that none is always the
    one that comes after the most expensive.
    """
    names = list(candidates)
    costs: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds + 1):
        for name in reversed(names) if number % 2 else names:
            cost = candidates[name]()
            if number:  # the first round warms up
                costs[name].append(cost)
    return costs


async def alternating(times: int, candidates: Mapping[str, Callable[[], Awaitable[None]]]) -> Mapping[str, float]:
    """CPU seconds of candidates that take turns `times` times; the median of each.

    What a busy machine adds falls on all of them, and a moment in which it is
    busier counts nowhere.
    """
    costs: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(times):
        for name, work in candidates.items():
            with Cpu() as cpu:
                await work()
            costs[name].append(cpu.seconds)
    return {name: median(found) for name, found in costs.items()}


def repeated(rounds: int, measure: Callable[[], Coroutine[Any, Any, Mapping[str, float]]]) -> Costs:
    """Run one measurement of all candidates in a new event loop each round; the first round warms up."""
    found = [asyncio.run(measure()) for _ in range(rounds + 1)][1:]
    return {name: [costs[name] for costs in found] for name in found[0]}


def paired(costs: Sequence[float], base: Sequence[float]) -> Sequence[float]:
    """The ratio of two candidates in each round."""
    return [cost / other for cost, other in zip(costs, base, strict=True)]
