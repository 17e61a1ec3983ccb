"""What a conversation on the screen costs beside an empty application of the same library.

Each measurement is a process of its own, without a terminal, in CPU time; but for the key Esc, which somebody waits
for: that is a time, in a terminal.
"""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from benchmarks.measure import Run
from benchmarks.row import Row
from benchmarks.terminal_escape import escapes

__all__ = ["terminal"]

ROOT = Path(__file__).resolve().parent.parent


def terminal(run: Run) -> Iterator[Row]:
    """First picture, key echo at 10,000 lines of history, the share of a core at 100 deltas a second, and Esc."""
    paint, empty_paint = _both("paint", run.rounds)
    yield Row(name="first picture of the screen, CPU", values=_ms(paint), bar=300.0, unit="ms")
    yield Row(name="first picture of the screen / of an empty application", values=_ratios(paint, empty_paint))
    echo, empty_echo = _both("echo", run.rounds)
    yield Row(name="a key at 10,000 lines, CPU", values=_ms(echo), bar=30.0, unit="ms")
    yield Row(name="a key at 10,000 lines / in an empty application", values=_ratios(echo, empty_echo))
    share = [100 * _child("stream", "screen") for _ in range(run.rounds)]
    yield Row(name="100 deltas a second at 10,000 lines, of a core", values=share, bar=25.0, unit="%")
    cut, seen = (list(chain(*those)) for those in zip(*(escapes() for _ in range(run.rounds)), strict=True))
    yield Row(name="Esc to the model that is cut, at 10,000 lines", values=_ms(cut), bar=100.0, unit="ms")
    yield Row(name="Esc to the screen that says so, at 10,000 lines", values=_ms(seen), bar=100.0, unit="ms")


def _both(what: str, rounds: int) -> tuple[Sequence[float], Sequence[float]]:
    """Screen and empty application, in turns."""
    pairs = [(_child(what, "screen"), _child(what, "empty")) for _ in range(rounds)]
    return [screen for screen, _ in pairs], [empty for _, empty in pairs]


def _ms(seconds: Sequence[float]) -> Sequence[float]:
    return [1_000 * one for one in seconds]


def _ratios(these: Sequence[float], those: Sequence[float]) -> Sequence[float]:
    return [one / other for one, other in zip(these, those, strict=True)]


def _child(what: str, candidate: str) -> float:
    command = [sys.executable, "-m", "benchmarks.terminal_process", what, candidate]
    return float(subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout)
