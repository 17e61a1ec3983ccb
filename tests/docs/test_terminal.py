"""The program of the page on the terminal, in a terminal."""

from pathlib import Path

import pytest

from cli.command import delta, script
from docs.pages import copied
from terminal.pane import COMMAND, NEEDS_TMUX, pane


@NEEDS_TMUX
@pytest.mark.slow
def test_trips_are_planned_on_a_screen(tmp_path: Path) -> None:
    folder = copied("terminal", tmp_path)
    model = script(folder, [delta("Take the train.")])
    with pane(folder, env={"ORE_MODEL": model, "ORE_STORE": "memory:"}) as on:
        on.run(COMMAND.with_name("python"), "trips.py")
        on.shows("Ask, or type /", "Lifecycle stage: planning")
        on.type("How do I get there?")
        on.shows("get there?")
        on.press("Enter")
        on.shows("Take the train.")
        assert on.fact("pane_title") == "Trips [ok]"
        on.press("C-d")
        on.until("alternate_on", "0")
