"""Signals in a real terminal: what stops the program, and what lets it go on."""

import os
import signal
from pathlib import Path

import pytest

from cli.command import call, delta, script
from processes import ended
from terminal.chat import HANGING, begin, send
from terminal.pane import NEEDS_TMUX, pane

pytestmark = [NEEDS_TMUX, pytest.mark.slow]


RUDE = """\
#!/bin/sh
echo $$ > {folder}/editor.pid
stty -echo -icanon
printf 'in the editor'
read line
printf ' and more' >> "$1"
"""
"""Leaves the terminal as nobody wants it."""


def editor(folder: Path) -> Path:
    file = folder / "editor.sh"
    file.write_text(RUDE.format(folder=folder))
    file.chmod(0o700)
    return file


def test_a_session_goes_on_while_an_editor_has_the_terminal_and_a_signal_ends_both(tmp_path: Path) -> None:
    """Behaviour 21."""
    for name in ("in", "out"):
        os.mkfifo(tmp_path / name)
    waits, tells = call("bash", command=f"cat {tmp_path}/in"), call("bash", command=f"echo gone on > {tmp_path}/out")
    model = script(tmp_path, [waits], [tells], [delta("Done.")])
    with pane(tmp_path, env={"EDITOR": str(editor(tmp_path))}) as on:
        pid = begin(on, tmp_path / "ore.db", model, "--tool", "bash", "--approve", "always")
        send(on, "Go on.")
        on.shows("● bash")
        on.type("draft")
        on.shows("draft")
        on.press("C-g")
        on.shows("in the editor")
        (tmp_path / "in").write_text("x\n")
        assert (tmp_path / "out").read_text() == "gone on\n"
        on.press("C-j")
        on.shows("draft and more", "Done.", "ready")
        on.press("C-g")
        on.shows("in the editor")
        os.kill(pid, signal.SIGTERM)
        on.shows("session is kept")
        ended(int((tmp_path / "editor.pid").read_text()))
        on.is_usable()


def test_an_editor_that_is_not_there_is_told_and_the_screen_stays(tmp_path: Path) -> None:
    """Behaviour 21."""
    with pane(tmp_path, env={"EDITOR": "no-such-editor"}) as on:
        begin(on, tmp_path / "ore.db", script(tmp_path, HANGING))
        on.type("draft")
        on.shows("draft")
        on.press("C-g")
        on.shows("the editor 'no-such-editor' could not be run", "draft")
        on.type(" more")
        on.shows("draft more")


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
