"""What importing costs, in modules."""

import json
import subprocess
import sys

import pytest

BASE = "import asyncio, msgspec"
HEAVY = (
    "pydantic",
    "aiohttp",
    "openai",
    "anthropic",
    "google",
    "opentelemetry",
    "httpx",
    "starlette",
    "uvicorn",
    "textual",
)


def loaded(program: str) -> set[str]:
    """The modules that a fresh interpreter has after `program`."""
    code = f"{program}\nimport sys, json\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


@pytest.fixture(scope="module")
def base() -> set[str]:
    return loaded(BASE)


@pytest.mark.requirement("D-import-bars")
def test_import_ore_loads_at_most_fifteen_modules(base: set[str]) -> None:
    assert len(loaded(f"{BASE}\nimport ore") - base) <= 15


@pytest.mark.requirement("D-import-bars")
def test_the_agent_loads_at_most_sixty_modules_that_are_not_ores(base: set[str]) -> None:
    added = loaded(f"{BASE}\nfrom ore import Agent") - base
    foreign = sorted(name for name in added if name.partition(".")[0] != "ore")
    assert len(foreign) <= 60, foreign


@pytest.mark.requirement("D-import-bars")
@pytest.mark.parametrize("program", ["import ore", "from ore import Agent", "import ore.session, ore.app, ore.testing"])
def test_importing_loads_nothing_heavy(program: str) -> None:
    assert sorted({name.partition(".")[0] for name in loaded(program)} & set(HEAVY)) == []


@pytest.mark.requirement("D-import-bars")
def test_a_run_without_tools_loads_nothing_heavy() -> None:
    """Pydantic comes with the first tool that has arguments, a client with the first vendor."""
    program = (
        "from ore import Agent, TextDelta\n"
        "from ore.testing import ScriptedProvider\n"
        "assert Agent(ScriptedProvider([TextDelta(content='hi')])).run_sync('hi').text == 'hi'"
    )
    assert sorted({name.partition(".")[0] for name in loaded(program)} & set(HEAVY)) == []
