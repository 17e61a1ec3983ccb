"""A folder of one's own for each test of the command, and the command in this process."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cli.command import Done
from ore.cli.main import main

Ore = Callable[..., Done]

PROCESSES_S = 300
"""Seconds for a test here: most start processes, which on a busy machine take seconds each to begin."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give the tests of this folder their longer limit, before that of all tests."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.timeout(PROCESSES_S))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with no sessions stored yet; modules in it are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ORE_STORE", f"sqlite:{tmp_path / 'store.db'}")
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield tmp_path
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Ore:
    """The command in this process; quicker than one of its own."""

    def run(*words: str) -> Done:
        status = main(words)
        out, err = capsys.readouterr()
        return Done(status, out, err)

    return run
