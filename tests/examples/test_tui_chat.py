"""The example that is a screen, in a real terminal."""

from pathlib import Path

import pytest

from cli.command import call, delta, script
from examples.started import example
from terminal.pane import COMMAND, NEEDS_TMUX, pane

pytestmark = [NEEDS_TMUX, pytest.mark.slow]

PYTHON = COMMAND.with_name("python")


def test_a_screen_of_ones_own_asks_before_a_tool_runs_and_goes_on_the_next_time(tmp_path: Path) -> None:
    folder = example("tui_chat", tmp_path)
    first = script(tmp_path, [call("add", article="eggs", amount=6)], [delta("Six eggs it is.")])
    variables = {"ORE_STORE": f"sqlite:{tmp_path / 'ore.db'}", "ORE_MODEL": first}
    with pane(folder, env=variables) as on:
        on.run(PYTHON, "tui_chat.py")
        on.shows("Ask, or type /", "ready", "Context list: shopping.txt")
        on.type("We need eggs.")
        on.shows("We need eggs.")
        on.press("Enter")
        # Once it says which keys count, and not before: until then a key is no answer.
        on.shows("Run add?", '"article": "eggs"', "y yes · n no")
        assert not (folder / "shopping.txt").exists()
        on.press("y")
        on.shows("Six eggs it is.", "ready")
        assert (folder / "shopping.txt").read_text() == "6 eggs\n"
        on.press("C-d")
        on.shows("to go on: python tui_chat.py kitchen")
        on.is_usable()
    second = script(tmp_path, [call("read_list")], [delta("Eggs.")], name="second.json")
    again = tmp_path / "again"
    again.mkdir()
    with pane(again, env={**variables, "ORE_MODEL": second}) as on:
        on.run("sh", "-c", f"cd {folder} && {PYTHON} tui_chat.py")
        on.shows("We need eggs.", "Six eggs it is.")
        on.type("What do we need?")
        on.shows("What do we need?")
        on.press("Enter")
        on.shows("✓ read_list", "6 eggs", "Eggs.")
        on.press("C-d")
        on.shows("to go on")
