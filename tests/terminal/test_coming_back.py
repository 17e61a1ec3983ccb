"""What a screen says as it goes: how to come back, where there is something to come back to."""

import os
import shlex
import signal
from pathlib import Path

import pytest

from cli.command import delta, ore, said, script, shown
from terminal.chat import begin, idle, send
from terminal.pane import NEEDS_TMUX, pane

pytestmark = [NEEDS_TMUX, pytest.mark.slow]


def test_the_line_that_it_leaves_behind_goes_on_with_the_session(tmp_path: Path) -> None:
    model = script(tmp_path, [delta("It is 42.")], repeat=True)
    store = tmp_path / "a store.db"
    with pane(tmp_path, size=(400, 20)) as on:
        pid = begin(on, store, model, "--tool", "calculator")
        send(on, "And now?")
        on.shows("It is 42.")
        idle(on)
        os.kill(pid, signal.SIGTERM)
        on.shows("ore: the session is kept: ", f"'sqlite:{store}'")
        line = on.text.partition("ore: the session is kept: ")[2].partition("\n")[0]
    program, *words = shlex.split(line)
    assert program == "ore"
    done = ore(*words, "--plain", folder=tmp_path, stdin="Again?\n")
    assert (done.status, done.out) == (0, "It is 42.\n")
    assert [turn[2] for turn in said(shown(f"sqlite:{store}", "s1", tmp_path))] == [
        "And now?",
        "It is 42.",
        "Again?",
        "It is 42.",
    ]


def test_what_nothing_keeps_is_not_said_to_be_kept(tmp_path: Path) -> None:
    with pane(tmp_path) as on:
        on.run("ore", "chat", "--store", "memory:", "--model", script(tmp_path, [delta("x")]))
        on.shows("Ask, or type /")
        on.press("C-q")
        on.is_usable()
        assert "is kept" not in on.text
