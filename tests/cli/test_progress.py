"""What takes longer than a second is said at a terminal, and taken back."""

import os
import signal
from pathlib import Path

import pytest

from cli.command import call, delta, script
from cli.test_output import terminal

pytestmark = pytest.mark.slow  # each waits for the second to pass


AGENT = """
import asyncio
from ore import Agent, TextDelta
from ore.ledger import MemoryStore

class Slow:
    name = "slow"

    async def invoke(self, state, spec, *options):
        await asyncio.to_thread(held)
        yield (TextDelta(content="Here."),)

def held() -> None:
    open("go").close()  # a pipe: until the test opens its other end

def look(word: str) -> str:
    held()
    return word

class Held(MemoryStore):
    async def load(self, thread_id):
        await asyncio.to_thread(held)
        return await super().load(thread_id)

agent, slow, stored = Agent(tools=[look]), Agent(Slow()), Agent(store=Held())
"""


def test_a_model_that_takes_its_time_is_waited_for_with_a_line_of_which_nothing_stays(folder: Path) -> None:
    (folder / "own.py").write_text(AGENT)
    os.mkfifo(folder / "go")
    with terminal("run", "--agent", "own:slow", "Hi", folder=folder) as at:
        at.until(b"waiting for the model (")
        (folder / "go").write_text("")
        assert b"\r\x1b[KHere." in at.until(b"Here.")
        assert b"waiting" not in at.rest()


def test_a_session_that_takes_its_time_to_open_is_waited_for_too(folder: Path) -> None:
    (folder / "own.py").write_text(AGENT)
    os.mkfifo(folder / "go")
    model = script(folder, [delta("Here.")])
    with terminal("run", "--model", model, "--agent", "own:stored", "--session", "a", "Hi", folder=folder) as at:
        at.until(b"opening the session (")
        (folder / "go").write_text("")
        assert b"opening" not in at.rest()


def test_a_tool_that_runs_is_named(folder: Path) -> None:
    (folder / "own.py").write_text(AGENT)
    os.mkfifo(folder / "go")
    model = script(folder, [call("look", word="x")], [delta("Done.")])
    with terminal("run", "--model", model, "--agent", "own:agent", "Hi", folder=folder) as at:
        seen = at.until(b"look runs (")
        (folder / "go").write_text("")
        seen += at.until(b"Done.")
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
