"""What takes longer than a second is said at a terminal, and taken back."""

import signal
from pathlib import Path

import pytest

from cli.command import call, delta, script
from cli.test_output import terminal

pytestmark = pytest.mark.slow  # each waits for the second to pass


def test_a_model_that_takes_its_time_is_waited_for_with_a_line_of_which_nothing_stays(folder: Path) -> None:
    model = script(folder, [{"pause_ms": 1500}, delta("Here.")])
    with terminal("run", "--model", model, "Hi", folder=folder) as at:
        at.until(b"waiting for the model (1 s)")
        assert b"\r\x1b[KHere." in at.until(b"Here.")
        assert b"waiting" not in at.rest()


def test_a_tool_that_runs_is_named(folder: Path) -> None:
    (folder / "slow.py").write_text(
        "import time\nfrom ore import Agent\n\ndef look(word: str) -> str:\n"
        "    time.sleep(1.5)\n    return word\n\nagent = Agent(tools=[look])\n"
    )
    model = script(folder, [call("look", word="x")], [delta("Done.")])
    with terminal("run", "--model", model, "--agent", "slow:agent", "Hi", folder=folder) as at:
        seen = at.until(b"look runs (1 s)") + at.until(b"Done.")
        assert seen.rindex(b"\x1b[K") > seen.rindex(b"look runs")
        at.rest()


def test_an_interrupt_takes_the_line_back(folder: Path) -> None:
    with terminal("run", "--model", script(folder, [{"hang": True}]), "Hi", folder=folder) as at:
        at.until(b"waiting for the model")
        at.process.send_signal(signal.SIGINT)
        assert b"waiting" not in at.rest().rpartition(b"\r\x1b[K")[2]


@pytest.mark.parametrize("env", [{"TERM": "dumb"}])
def test_a_terminal_that_can_take_nothing_back_gets_no_such_line(folder: Path, env: dict[str, str]) -> None:
    model = script(folder, [{"pause_ms": 1500}, delta("Here.")])
    with terminal("run", "--model", model, "Hi", folder=folder, env=env) as at:
        assert b"waiting" not in at.until(b"Here.") + at.rest()
