"""What people read of a session is called one, whatever part of ore says it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import ore
from cli.conftest import Ore
from ore.cli.main import COMMANDS

SOURCES = Path(ore.__file__).parent
PARTS = ("app", "cli", "ledger", "session", "ext/commands", "ext/stores", "ext/conduits")
"""Whose errors speak of sessions; elsewhere a thread is one of the operating system."""


def told(path: Path) -> Iterator[str]:
    """The texts of the errors that a module makes."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.endswith("Error"):
            for part in ast.walk(node):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


def test_no_error_calls_a_session_a_thread() -> None:
    paths = [path for part in PARTS for path in (SOURCES / part).rglob("*.py")]
    found = [(path.name, text) for path in paths for text in told(path) if re.search(r"\bthread\b", text)]
    assert found == []


@pytest.mark.parametrize("words", [[name] for name in COMMANDS] + [["sessions", "fork"], ["sessions", "import"]])
def test_no_help_calls_it_a_thread_or_a_conversation(run: Ore, words: list[str]) -> None:
    assert not re.search(r"\b(threads?|conversations?)\b", run(*words, "--help").out)


def test_an_id_that_names_no_session_is_told_as_one(run: Ore) -> None:
    assert run("sessions", "show", "a b").err.startswith("ore: session id: expected ")
