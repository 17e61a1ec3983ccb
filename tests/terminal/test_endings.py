"""Whatever ends the command, and whenever: the terminal is usable, and the next process finds the session whole."""

import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cli.command import call, delta, script
from processes import ended
from terminal.chat import HANGING, SLEEPING, State, asked, at_a_tool, begin, idle, listing, streaming
from terminal.pane import NEEDS_TMUX, Pane, pane

pytestmark = [NEEDS_TMUX, pytest.mark.slow]

BASH: Sequence[str] = ("--tool", "bash")
LATER = "All of it."


@dataclass(frozen=True, slots=True)
class Case:
    """A state, and what the next process shows of the session."""

    enter: State
    script: Sequence[Any] = HANGING
    words: Sequence[str] = ()
    cut: Sequence[str] = ("Go on.", LATER)
    """Where the process was ended: the message goes on."""

    stopped: Sequence[str] = ("Go on.", "Half an ans", "[interrupted]", "ready")
    """Where a person stopped the message before: it does not."""


STATES = {
    "idle": Case(idle, cut=("ready",), stopped=("ready",)),
    "streaming": Case(streaming),
    "list over a stream": Case(listing),
    "tool": Case(
        at_a_tool,
        SLEEPING,
        (*BASH, "--approve", "always"),
        stopped=("Go on.", "bash", "cancelled by the user", "ready"),
    ),
    "question": Case(
        asked,
        [call("bash", command="echo it ran")],
        BASH,
        cut=("Go on.", "Run bash?", "echo it ran", "y yes · n no"),
        stopped=("Go on.", "bash", "cancelled by the user", "ready"),
    ),
}


def keys(on: Pane, pid: int) -> None:
    """Ctrl+Q, which leaves from anywhere."""
    on.press("C-q")


def interrupts(on: Pane, pid: int) -> None:
    """SIGINT from outside: where something runs the first one stops it, and the second one ends the process."""
    is_running = "ready" not in on.text
    os.kill(pid, signal.SIGINT)
    if is_running:
        on.shows("ready")
        os.kill(pid, signal.SIGINT)


def sent(number: int) -> Callable[[Pane, int], None]:
    """A signal from outside."""
    return lambda on, pid: os.kill(pid, number)


ENDS: dict[str, Callable[[Pane, int], None]] = {
    "keys": keys,
    "sigint": interrupts,
    "sigterm": sent(signal.SIGTERM),
    "sighup": sent(signal.SIGHUP),
    "sigkill": sent(signal.SIGKILL),
}


def tool_is_gone(folder: Path, *, was_killed: bool) -> None:
    """What a tool began ends with the process; where that was killed, with this test."""
    file = folder / "tool.pid"
    if not file.exists():
        return
    pid = int(file.read_text())
    if was_killed:
        os.kill(pid, signal.SIGKILL)
    ended(pid)


@pytest.mark.requirement("B100")
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("state", STATES)
def test_whatever_ends_it_the_terminal_is_usable_and_the_next_process_goes_on(
    state: str, end: str, tmp_path: Path
) -> None:
    """Behaviour 24."""
    case, store = STATES[state], tmp_path / "ore.db"
    with pane(tmp_path) as on:
        pid = begin(on, store, script(tmp_path, case.script), *case.words)
        case.enter(on)
        ENDS[end](on, pid)
        ended(pid)
        if end == "sigkill":  # nobody could give the terminal back
            assert on.fact("alternate_on") == "1"
            on.type("tput rmcup; reset; echo re''stored")
            on.press("C-j")
            on.shows("restored")
        else:
            on.shows("ore: the session is kept")
        tool_is_gone(tmp_path, was_killed=end == "sigkill")
        on.is_usable()
        later = script(tmp_path, [delta(LATER)], name="later.json")
        begin(on, store, later, *BASH, shows=case.stopped if end == "sigint" else case.cut)
        if state == "question" and end != "sigint":
            on.press("y")
            on.shows("it ran", LATER)
        on.shows("ready")
        assert (LATER in on.text) == (state != "idle" and end != "sigint")
        on.press("C-d")
        on.shows("session is kept")
