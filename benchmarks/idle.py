"""What an idle session takes up in memory, beside the turns that it holds anyway.

Each measurement is a process of its own, over one SQLite file, so that the
store keeps nothing of a thread in the process. A session's *bare history* is
a list of the very same turns.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.library import library
from benchmarks.measure import Run
from benchmarks.row import Row

__all__ = ["idle"]

MANY = 10_000
TRACED = 500
ROOT = Path(__file__).resolve().parent.parent


def idle(run: Run) -> Iterator[Row]:
    """Bytes as Python traces them after a message, and resident bytes of very many.

    Measured once whatever the rounds: neither varies.
    """
    for turns, bar in ((10, 1.25), (100, 1.1)):
        found = [_traced(run.folder, turns, "rested")]
        yield Row(name=f"an idle session of {turns} turns, window gone / its bare history", values=found, bar=bar)
    found = [_traced(run.folder, 10, "windowed")]
    yield Row(name="an idle session of 10 turns, window held / its bare history", values=found)
    path = library(run.folder, threads=MANY, turns=10)
    ratio = _child("attached", path, MANY) / _child("loaded", path, MANY)
    yield Row(name=f"{MANY:,} attached sessions of 10 turns, resident / their bare histories", values=[ratio], bar=1.3)


def _traced(folder: Path, turns: int, what: str) -> float:
    """On a copy of the file, since each session gets its last two turns there."""
    source = library(folder, threads=TRACED, turns=turns - 2)
    with TemporaryDirectory(dir=folder) as own:  # what SQLite leaves beside a copy goes with it
        return _child(what, Path(shutil.copy(source, own)), TRACED)


def _child(what: str, path: Path, threads: int) -> float:
    command = [sys.executable, "-m", "benchmarks.idle_process", what, str(path), str(threads)]
    return float(subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout)
