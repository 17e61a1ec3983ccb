"""Words that do not fit: each is told with what was expected, what came and what to do."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from cli.command import COMMAND, delta, ore, said, script, shown
from cli.conftest import Ore


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run", "--modle", "x", "Hi"], "did not expect --modle; did you mean '--model'?"),
        (["doctor", "--agent", "x"], "did not expect --agent"),
        (["run", "--modle=x", "Hi"], "did not expect --modle; did you mean '--model'?"),
        (["run", "Hi", "there"], "did not expect 'there'; a PROMPT of several words stands in quotes"),
        (["run", "--why?"], "did not expect --why?; a PROMPT that begins with - stands behind --"),
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


@pytest.mark.parametrize(
    "given", [["--model", "local"], ["--tool", "bash"], ["--store", "memory:"], ["--agent", "a:b"], ["--note-context"]]
)
def test_what_a_server_has_its_own_of_is_not_taken_beside_its_address(run: Ore, given: list[str]) -> None:
    done = run("chat", "--connect", "http://127.0.0.1:1", *given)
    assert done.status == 2
    assert done.err.endswith(f"its own agent, model, tools and store: give {given[0]} to `ore serve`\n")


@pytest.mark.parametrize(("option", "value"), [("--allow-origin", "shop.example"), ("--allow-host", "http://x")])
def test_pages_and_names_that_are_none_let_nobody_in(run: Ore, folder: Path, option: str, value: str) -> None:
    done = run("serve", "--model", script(folder), "--port", "0", option, value)
    assert (done.status, repr(value) in done.err) == (2, True)


def test_a_prompt_is_utf_8_in_any_locale(folder: Path) -> None:
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    store, model = ["--store", f"sqlite:{folder / 'store.db'}"], script(folder, [delta("é")])
    assert ore("run", "--model", model, *store, "--session", "a", "grüße", folder=folder, env=locale).out == "é\n"
    assert said(shown(store[1], "a", folder))[0] == ("user", "complete", "grüße")
    assert ore("sessions", "search", "grüße", *store, folder=folder, env=locale).out.startswith("a  ")
    done = subprocess.run(
        [COMMAND, "run", "--model", model, *store, b"caf\xe9"],
        capture_output=True,
        cwd=folder,
        timeout=100,
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, b"ore: prompt: expected UTF-8, got other bytes\n")


def test_a_turn_that_is_not_there_is_told_with_where_turns_are_named(run: Ore, folder: Path) -> None:
    run("run", "--model", script(folder, [delta("1")]), "--session", "a", "Hi")
    done = run("sessions", "fork", "a", "--at", "nowhere")
    assert (done.status, done.out) == (1, "")
    assert "no turn 'nowhere' in session 'a'; `ore sessions show a --json` has the ids of its turns" in done.err
    assert run("sessions", "fork", "b", "--at", "nowhere").err == "ore: no session 'b' (not_found)\n"


@pytest.mark.parametrize("store", ["sqlite:a_file/ore.db", "json:a_file/ore"])
def test_a_store_that_cannot_be_made_is_told_in_the_words_of_the_system(run: Ore, folder: Path, store: str) -> None:
    (folder / "a_file").write_text("no folder")
    done = run("sessions", "list", "--store", store)
    assert (done.status, done.out, "Errno" in done.err) == (1, "", False)
    assert re.search(r"a_file/ore(\.db)?': (File exists|Not a directory): '.*a_file", done.err)
