"""The scripts of the project: each says what it is for, and does nothing about words that it does not know."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(path for folder in ("tools", "demo") for path in (ROOT / folder).iterdir() if path.suffix)

pytestmark = pytest.mark.slow  # a process each


def ran(script: Path, word: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    program = sys.executable if script.suffix == ".py" else "sh"
    return subprocess.run([program, script, word], cwd=folder, capture_output=True, text=True, timeout=200, check=False)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_asked_for_help_a_script_says_what_it_is_for_and_does_nothing(script: Path, tmp_path: Path) -> None:
    done = ran(script, "--help", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) > 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_word_that_a_script_does_not_know_is_wrong_use(script: Path, tmp_path: Path) -> None:
    done = ran(script, "--no-such-option", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--no-such-option" in done.stderr or "arguments are required" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_reference_is_not_written_over_pages_of_others(tmp_path: Path) -> None:
    (tmp_path / "own.md").write_text("mine")
    done = ran(ROOT / "tools" / "reference.py", str(tmp_path), tmp_path)
    assert (done.returncode, [path.name for path in tmp_path.iterdir()]) == (2, ["own.md"])
    assert "expected a folder without pages of others" in done.stderr
