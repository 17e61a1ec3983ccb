"""CPU time of candidates, interleaved, so that ratios can be taken within a round."""

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

__all__ = ["Cpu", "Run", "interleaved", "paired"]


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


def interleaved(rounds: int, candidates: Mapping[str, Callable[[], float]]) -> Mapping[str, Sequence[float]]:
    """What each candidate cost in each round.

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


def paired(costs: Sequence[float], base: Sequence[float]) -> Sequence[float]:
    """The ratio of two candidates in each round."""
    return [cost / other for cost, other in zip(costs, base, strict=True)]
