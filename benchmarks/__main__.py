"""`python -m benchmarks`: one table; status 1 when a bar is missed."""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.deltas import deltas
from benchmarks.durable import durable_append, durable_turn, group_commit
from benchmarks.fan_out import fan_out
from benchmarks.find import find
from benchmarks.http import http
from benchmarks.idle import idle
from benchmarks.imports import imports
from benchmarks.interrupts import interrupts
from benchmarks.long_history import long_history
from benchmarks.measure import Run
from benchmarks.row import HEADER, Bench
from benchmarks.terminal import terminal
from benchmarks.turns import turns

BENCHES: Mapping[str, Bench] = {
    "turns": turns,
    "fan-out": fan_out,
    "deltas": deltas,
    "history": long_history,
    "imports": imports,
    "append": durable_append,
    "group": group_commit,
    "durable": durable_turn,
    "find": find,
    "idle": idle,
    "interrupt": interrupts,
    "http": http,
    "terminal": terminal,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", action="append", choices=BENCHES, metavar="NAME", help=", ".join(BENCHES))
    parser.add_argument("--rounds", type=int, default=5, help="of each measurement (default 5)")
    options = parser.parse_args()
    # Below the project, which is on a disk: what is in memory syncs for free.
    build = Path(__file__).resolve().parent.parent / "build"
    build.mkdir(exist_ok=True)
    missed = False
    print(HEADER, flush=True)
    with TemporaryDirectory(prefix="bench-", dir=build) as folder:
        run = Run(rounds=options.rounds, folder=Path(folder))
        for name in options.only or BENCHES:
            for row in BENCHES[name](run):
                print(row, flush=True)
                missed = missed or row.is_missed
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
