"""What importing ore costs beside the modules that it stands on."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.measure import Run, interleaved, paired
from benchmarks.row import Row

__all__ = ["imports"]

BASE = "import asyncio, msgspec"
STATEMENTS = ("import ore", "from ore import Agent")

LOADED = "import json, sys; print(json.dumps([name for name in sys.modules]))"


def imports(run: Run) -> Iterator[Row]:
    """CPU of a new interpreter with the import, against one with what ore needs anyway; and modules loaded."""
    costs = interleaved(run.rounds, {code: lambda code=code: _cpu(code) for code in (BASE, *STATEMENTS)})  # type: ignore[misc]
    for code in STATEMENTS:
        yield Row(name=f"`{code}` / `{BASE}`", values=paired(costs[code], costs[BASE]))
    base = _modules(BASE)
    more = {code: _modules(code) - base for code in STATEMENTS}
    yield Row(name=f"`{STATEMENTS[0]}`, beside those", values=[len(more[STATEMENTS[0]])], bar=15, unit="modules")
    foreign = [name for name in more[STATEMENTS[1]] if name.partition(".")[0] != "ore"]
    yield Row(name=f"`{STATEMENTS[1]}`, beside those and ore's own", values=[len(foreign)], bar=60, unit="modules")


def _cpu(code: str) -> float:
    """CPU seconds of a whole process, from its start to its end."""
    process = subprocess.Popen([sys.executable, "-c", code])
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{code!r} ended with status {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def _modules(code: str) -> set[str]:
    listed = subprocess.run([sys.executable, "-c", f"{code}\n{LOADED}"], check=True, capture_output=True, text=True)
    return set(json.loads(listed.stdout))
