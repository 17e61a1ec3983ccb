"""`ore` itself: its help, its version, and what it says of words that it does not know."""

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

from cli.command import ore
from cli.conftest import Ore

HEAVY = ["asyncio", "msgspec", "pydantic", "aiohttp", "sqlite3", "ore.app", "ore.session", "ore.artifact"]


@pytest.mark.requirement("D-cli-help")
def test_the_version_is_that_of_the_distribution(run: Ore) -> None:
    done = run("--version")
    assert (done.status, done.out, done.err) == (0, f"ore {version('ore-agents')}\n", "")


def test_the_newest_entry_of_the_changelog_is_of_the_version_that_is_built() -> None:
    root = Path(__file__).parents[2]
    built = tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"]
    newest = re.search(r"^## \[(.+)\] - \d{4}-\d\d-\d\d$", (root / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None and newest[1] == built


@pytest.mark.requirement("D-cli-help")
@pytest.mark.parametrize(
    ("words", "named"),
    [
        ((), ["run", "chat", "sessions", "doctor", "--version"]),
        (("run",), ["PROMPT", "--events", "--json", "--model", "--approve", "--max-rounds"]),
        (("chat",), ["--plain", "--session"]),
        (("sessions",), ["list", "show", "search", "fork", "delete", "export", "import"]),
        (("sessions", "show"), ["ID", "--json", "--store"]),
        (("sessions", "search"), ["TEXT", "--limit", "--json", "--store"]),
        (("sessions", "fork"), ["ID", "--at TURN", "--json", "--store"]),
        (("sessions", "delete"), ["ID", "--json", "--store"]),
        (("sessions", "export"), ["ID", "--format", "--output", "--json", "--store"]),
        (("sessions", "import"), ["FILE", "--as ID", "--json", "--store"]),
        (("doctor",), ["--model", "--store"]),
    ],
)
def test_every_command_has_help_on_standard_output(run: Ore, words: tuple[str, ...], named: list[str]) -> None:
    done = run(*words, "--help")
    assert (done.status, done.err) == (0, "")
    assert [word for word in named if word not in done.out] == []


@pytest.mark.requirement("D-cli-help")
@pytest.mark.parametrize("words", [["--version"], ["--help"], ["run", "--help"], ["sessions", "--help"], ["rnu"]])
def test_help_imports_nothing_heavy(words: list[str]) -> None:
    program = (
        "import json, sys\n"
        "from ore.cli.main import main\n"
        f"main({words})\n"
        f"sys.exit(json.dumps([name for name in {HEAVY} if name in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)
    assert json.loads(done.stderr.splitlines()[-1]) == []


@pytest.mark.requirement("D-cli-status")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rnu"], "got 'rnu'; did you mean 'run'?"),
        (["zzz"], "expected a command that is one of run, "),
        (["sessions", "lst"], "got 'lst'; did you mean 'list'?"),
        (["run", "--modle", "local", "Hi"], "--modle"),
        (["run", "--mod", "local", "Hi"], "--mod"),
        (["run", "Hi", "there"], "there"),
        (["run", "--approve", "maybe", "Hi"], "maybe"),
        (["run", "--max-rounds", "0", "Hi"], "expected a whole number above 0, got '0'"),
        (["run", "--max-output-tokens", "many", "Hi"], "expected a whole number above 0, got 'many'"),
        (["run", "--temperature", "-1", "Hi"], "expected a number that is not negative, got '-1'"),
        (["run", "--temperature", "nan", "Hi"], "expected a number that is not negative, got 'nan'"),
        (["run", "--timeout-s", "0", "Hi"], "expected a number of seconds above 0, got '0'"),
        (["sessions", "show"], "ID"),
        (["sessions", "search", "a", "--limit", "0"], "expected a whole number above 0, got '0'"),
        (["sessions", "import"], "FILE"),
        (["--model", "local", "run"], "expected a command before its options, one of run, "),
        (["sessions", "--json", "list"], "expected a command before its options, one of list, "),
    ],
)
def test_wrong_use_is_status_2_and_says_what_was_expected(run: Ore, words: list[str], message: str) -> None:
    done = run(*words)
    assert (done.status, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize("words", [[], ["sessions"]])
def test_no_command_at_all_is_wrong_use(run: Ore, words: list[str]) -> None:
    done = run(*words)
    assert (done.status, done.out) == (2, "")
    assert "usage: ore" in done.err


def test_the_installed_command_is_this_one(tmp_path: Path) -> None:
    assert ore("--version", folder=tmp_path).out == f"ore {version('ore-agents')}\n"
