"""Approvals: who is asked, and what is said where nobody can be."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.command import CALL, delta, ore, script
from cli.conftest import Ore
from cli.test_output import terminal

ASKING = """
from ore import Agent, tool

@tool(approve=True)
def launch(what: str) -> str:
    return f"{what} launched"

@tool(approve=True, editable=True)
def launch_as_said(what: str) -> str:
    return f"{what} launched"

agent = Agent(tools=[launch])
editable = Agent(tools=[launch_as_said])
"""


def asking(folder: Path, agent: str = "agent") -> list[str]:
    (folder / "asking.py").write_text(ASKING)
    name = "launch" if agent == "agent" else "launch_as_said"
    item = {**CALL, "name": name, "arguments": '{"what": "rocket\\u001b[2J"}'}
    model = script(folder, [item], [delta("Over.")])
    return ["run", "--agent", f"asking:{agent}", "--model", model, "--session", "a"]


def result(run: Ore) -> dict[str, Any]:
    turns = json.loads(run("sessions", "show", "a", "--json").out)["turns"]
    found: dict[str, Any] = turns[2]["artifacts"][0]
    return found


@pytest.mark.requirement("D-cli-approve")
@pytest.mark.parametrize(
    ("typed", "status"), [("y\n", "ok"), ("yes\n", "ok"), ("n\n", "denied"), ("\n", "denied"), ("\x04", "denied")]
)
def test_a_terminal_is_asked_whether_a_tool_may_run(folder: Path, run: Ore, typed: str, status: str) -> None:
    with terminal(*asking(folder), "Go.", folder=folder) as shown:
        asked = shown.until(b"[y/N]").decode()
        shown.type(typed)
        assert shown.rest().decode().endswith("Over.\n")
    assert 'Run launch {"what": "rocket\\u001b[2J"}? [y/N]' in asked
    assert shown.process.returncode == 0
    assert result(run)["status"] == status


@pytest.mark.requirement("D-cli-approve")
@pytest.mark.parametrize(
    ("words", "status", "reason"),
    [
        ([], "denied", "standard input is not a terminal"),
        (["--approve", "ask"], "denied", "standard input is not a terminal"),
        (["--approve", "never"], "denied", "--approve never"),
        (["--approve", "always"], "ok", "launched"),
    ],
)
def test_elsewhere_approval_is_as_the_options_say(
    folder: Path, run: Ore, words: list[str], status: str, reason: str
) -> None:
    done = ore(*asking(folder), *words, "Go.", folder=folder)
    assert (done.status, done.out) == (0, "Over.\n")
    found = result(run)
    assert (found["status"], reason in found["content"]) == (status, True)
