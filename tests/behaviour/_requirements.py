"""The manifest: what ore promises, where each promise comes from, and whether it is kept.

One file per area stands in `requirements/` and holds a tuple `REQUIREMENTS`;
a new area is a new file there, nothing else. A test says what it proves with
`@pytest.mark.requirement("C001")`, at most three ids each. `test_coverage.py`
checks both directions.

Ids: C behaviours of the original's tests, N additional invariants, K settled
contradictions, P and L pitfalls (all in `spec/core.md`), B public bug reports
(`spec/cases.md`), D promises of `design.md`.
"""

import importlib
import pkgutil
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ID = re.compile(r"[CN]\d{2,3}|[KPL]\d{1,2}|B\d{2,3}|D-[a-z][a-z0-9-]*")

AREAS = Path(__file__).parent / "requirements"

SOURCES = {
    "C": "spec/core.md part 7",
    "N": "spec/core.md part 7, additional invariants",
    "K": "spec/core.md part 4",
    "P": "spec/core.md part 5.1",
    "L": "spec/core.md part 5.2",
    "B": "spec/cases.md",
}

Status = Literal["held", "gap", "deviates"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One behaviour.

    Attributes:
        source: Document and part.
        behaviour: In our words; for a deviation what the original does, then what ore does.
        status: `held`; `gap` when it is not kept yet; `deviates` when the design decided otherwise.
        note: Why there is a gap, or the design's sentence, quoted.
    """

    id: str
    source: str
    behaviour: str
    status: Status = "held"
    note: str = ""


def held(id: str, behaviour: str, *, source: str = "") -> Requirement:
    """A behaviour that tests prove."""
    return Requirement(id=id, source=_source(id, source), behaviour=behaviour)


def gap(id: str, behaviour: str, *, reason: str, source: str = "") -> Requirement:
    """A behaviour that is not there yet; a test may pin what happens instead."""
    return Requirement(id=id, source=_source(id, source), behaviour=behaviour, status="gap", note=reason)


def deviates(id: str, behaviour: str, *, design: str, source: str = "") -> Requirement:
    """A behaviour that the design replaces; `design` quotes the sentence that says so."""
    return Requirement(id=id, source=_source(id, source), behaviour=behaviour, status="deviates", note=design)


def promise(id: str, section: int, behaviour: str) -> Requirement:
    """A promise of a section of the design itself."""
    return held(id, behaviour, source=f"design.md section {section}")


def gather(areas: Path = AREAS, package: str = "behaviour.requirements") -> Sequence[Requirement]:
    """The entries of every area that stands there."""
    names = sorted(module.name for module in pkgutil.iter_modules([str(areas)]))
    modules = [importlib.import_module(f"{package}.{name}") for name in names]
    return [requirement for module in modules for requirement in module.REQUIREMENTS]


def _source(id: str, given: str) -> str:
    return given or SOURCES.get(id[:1], "")
