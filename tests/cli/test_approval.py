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
from ore.ext.transforms.guardrails import Guardrails, ask

@tool(approve=True)
def launch(what: str) -> str:
    return f"{what} launched"

@tool(approve=True, editable=True)
def launch_as_said(what: str) -> str:
    return f"{what} launched"

agent = Agent(tools=[launch])
guarded = Agent(extensions=[Guardrails(input=[lambda looked: ask("a rocket is named")])])
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
        ([], "denied", "not approved: nobody could be asked"),
        (["--approve", "ask"], "denied", "not approved: nobody could be asked"),
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
    assert ("denied by the user" in found["content"]) == ("never" in words)
    assert "terminal" not in found["content"] and "--approve always" not in found["content"]


def test_a_call_that_is_denied_because_nobody_can_be_asked_is_told_without_its_arguments(folder: Path) -> None:
    done = ore(*asking(folder), "Go.", folder=folder)
    assert done.err == (
        "ore: a call of the tool 'launch' was denied: nobody can be asked: standard input is not a terminal; "
        "--approve always approves\n"
    )


@pytest.mark.parametrize("words", [["--approve", "always"], ["--approve", "never"]])
def test_whoever_decided_before_is_told_nothing(folder: Path, words: list[str]) -> None:
    assert ore(*asking(folder), *words, "Go.", folder=folder).err == ""


def test_the_stream_that_is_no_terminal_is_named(folder: Path) -> None:
    with (folder / "log").open("wb") as log, terminal(*asking(folder), "Go.", folder=folder, stderr=log) as shown:
        assert shown.rest().decode() == "Over.\n"
    assert "standard error is not a terminal" in (folder / "log").read_text()


@pytest.mark.parametrize(
    ("typed", "ran"),
    [
        (["e\n", '{"what": "kite"}\n'], "kite launched"),
        (["e\n", "kite\n", "[1]\n", '{"what": "kite"}\n'], "kite launched"),
        (["e\n", "\n"], "denied by the user: the user said no"),
        (["y\n"], "rocket\x1b[2J launched"),
    ],
)
def test_arguments_are_changed_where_the_tool_lets_a_person_change_them(
    folder: Path, run: Ore, typed: list[str], ran: str
) -> None:
    with terminal(*asking(folder, "editable"), "Go.", folder=folder) as shown:
        mark = "[y/N, e to change the arguments]"
        for line in typed:
            shown.until(mark.encode())
            shown.type(line)
            mark = "an empty line says no:"
        assert shown.rest().decode().endswith("Over.\n")
    assert result(run)["content"] == ran


def test_where_it_does_not_the_same_letter_is_no_yes(folder: Path, run: Ore) -> None:
    with terminal(*asking(folder), "Go.", folder=folder) as shown:
        shown.until(b"[y/N]")
        shown.type("e\n")
        assert shown.rest().decode().endswith("Over.\n")
    assert result(run)["content"] == "denied by the user: the user said no"


def test_what_a_guard_leaves_to_people_is_asked_with_its_reason(folder: Path) -> None:
    asking(folder)
    words = ["run", "--agent", "asking:guarded", "--model", script(folder, [delta("Over.")]), "Launch it."]
    with terminal(*words, folder=folder) as shown:
        asked = shown.until(b"[y/N]").decode()
        shown.type("y\n")
        assert shown.rest().decode().endswith("Over.\n")
    assert "a rocket is named" in asked and asked.endswith("Go on? [y/N]\n")
    denied = ore(*words, folder=folder)
    assert "ore: a question was not put: nobody can be asked: standard input is not a terminal" in denied.err
