"""Words that do not fit: each is told with what was expected, what came and what to do."""

import os
import subprocess
from pathlib import Path

import pytest

from cli.command import COMMAND
from cli.conftest import Ore


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run", "--modle", "x", "Hi"], "did not expect --modle; did you mean '--model'?"),
        (["run", "--modle=x", "Hi"], "did not expect --modle; did you mean '--model'?"),
        (["run", "Hi", "there"], "did not expect 'there'; a PROMPT of several words stands in quotes"),
        (["sessions", "search", "two", "words"], "did not expect 'words'; a TEXT of several words stands in quotes"),
        (["sessions", "show", "a", "b"], "did not expect 'b'"),
        (["--versoin"], "got '--versoin'; did you mean '--version'?"),
        (["completion"], "the following arguments are required: SHELL"),
    ],
)
def test_a_word_without_a_place_is_named_with_what_was_meant(run: Ore, words: list[str], told: str) -> None:
    done = run(*words)
    assert (done.status, done.out) == (2, "")
    assert done.err.endswith(f"{told}\n")


@pytest.mark.parametrize("option", ["--store", "--agent", "--base-url"])
def test_a_value_that_is_empty_is_no_value(run: Ore, option: str) -> None:
    """As one of a variable that is not set would be; the default is not what was asked for."""
    done = run("run", option, "", "Hi")
    assert (done.status, done.out) == (2, "")
    assert done.err.endswith(
        f"argument {option}: expected a value, got ''; leave the option out for what it is by default\n"
    )


@pytest.mark.parametrize("words", [["sessions"], ["wire"]])
def test_without_an_action_the_actions_are_told(run: Ore, words: list[str]) -> None:
    done = run(*words)
    assert (done.status, done.out) == (2, "")
    assert done.err == run(*words, "--help").out


TEXTS = [["--version"], ["--help"], ["run", "--help"], ["completion", "bash"], ["completion", "candidates", "--", "r"]]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only some systems have a device that is full")
@pytest.mark.parametrize("words", TEXTS)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_text_that_cannot_be_written_is_a_failure(words: list[str], unbuffered: str) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [COMMAND, *words],
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            timeout=100,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, b"ore: standard output: No space left on device\n")


@pytest.mark.parametrize("words", TEXTS)
def test_where_standard_output_is_closed_nothing_is_said(words: list[str]) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", COMMAND, *words], capture_output=True, timeout=100, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_where_standard_error_is_closed_a_mistake_does_not_go_to_standard_output() -> None:
    done = subprocess.run(["sh", "-c", 'exec "$0" nope 2>&-', COMMAND], capture_output=True, timeout=100, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
