"""`Row`: one line of the table, and whether it keeps its bar."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.measure import Run

__all__ = ["HEADER", "Bench", "Row"]

HEADER = "| benchmark | ratio | min–max | bar | |\n|---|---|---|---|---|"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What was found, one value for each round.

    Attributes:
        name: What is compared with what.
        values: Ratios, unless `unit` says otherwise.
        bar: What the median may be at most; `None` when the row only informs.
        unit: Of the values, such as `ms`.
    """

    name: str
    values: Sequence[float]
    bar: float | None = None
    unit: str = ""

    @property
    def is_missed(self) -> bool:
        """Whether the median is over the bar."""
        return self.bar is not None and median(self.values) > self.bar

    def __str__(self) -> str:
        middle, low, high = (_shown(of(self.values)) for of in (median, min, max))
        unit = f" {self.unit}" if self.unit else ""
        bar = "" if self.bar is None else f"≤ {self.bar:g}{unit}"
        verdict = "" if self.bar is None else "MISSED" if self.is_missed else "ok"
        return f"| {self.name} | {middle}{unit} | {low}–{high} | {bar} | {verdict} |"


Bench = Callable[[Run], Iterator[Row]]
"""Measures one thing; each row comes as soon as it is known."""


def _shown(value: float) -> str:
    """Three digits are more than any of this repeats to."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
