"""Signals in a real terminal: what stops the program, and what lets it go on."""

import os
import signal
from pathlib import Path

import pytest

from cli.command import delta, script
from terminal.chat import HANGING, begin, send
from terminal.pane import NEEDS_TMUX, pane

pytestmark = [NEEDS_TMUX, pytest.mark.slow]


def threads(pid: int) -> set[str]:
    return {path.name for path in Path(f"/proc/{pid}/task").iterdir()}


def test_a_program_that_was_stopped_comes_back_as_it_was(tmp_path: Path) -> None:
    """By Ctrl+Z; from outside, where nobody gave the terminal back; and not at all, though it is told to go on."""
    store, model = tmp_path / "ore.db", script(tmp_path, [delta("An answer.")], HANGING)
    with pane(tmp_path) as on:
        pid = begin(on, store, model)
        send(on, "Go on.")
        on.shows("An answer.", "ready")
        on.press("C-z")
        on.shows("Stopped")
        on.is_usable()
        on.run("fg")
        on.shows("An answer.", "ready", "Ask, or type /")

        os.kill(pid, signal.SIGSTOP)
        on.shows("Stopped")
        on.type("stty sane; clear; echo cle''ared")
        on.press("C-j")  # a line ends so until then
        on.shows("cleared")
        on.run("fg")
        on.shows("An answer.", "ready", "Ask, or type /")

        before = threads(pid)
        os.kill(pid, signal.SIGCONT)
        on.comes(lambda: len(threads(pid) - before) >= 2, "keys to be read anew")
        send(on, "And more.")
        on.shows("Half an ans")
        on.press("C-c")
        on.shows("ready", "again leaves")
        on.press("C-c")
        on.shows("session is kept")
        on.is_usable()
