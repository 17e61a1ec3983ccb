"""What the README shows works as it is written there."""

import json
import re
import shlex
from pathlib import Path

import pytest

from cli.command import call, delta, said, script
from cli.conftest import Ore

README = (Path(__file__).parents[2] / "README.md").read_text()


def example(language: str, mark: str) -> str:
    """The block of the README that holds `mark`."""
    blocks: list[str] = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return next(block for block in blocks if mark in block)


@pytest.mark.requirement("D-cli-agent")
def test_the_agent_file_of_the_readme_has_four_lines_and_runs(run: Ore, folder: Path) -> None:
    source = example("python", "count_words")
    (folder / "counter.py").write_text(source)
    assert len(source.splitlines()) == 4
    call = {"kind": "tool_call", "id": "c1", "name": "count_words", "arguments": '{"text": "the sea is calm tonight"}'}
    done = run(
        "run", "--agent", "counter:agent", "--model", script(folder, [call], [delta("5.")]), "--session", "a", "?"
    )
    assert (done.status, done.out) == (0, "5.\n")
    assert "tool:\n← 5\n" in run("sessions", "show", "a").out


@pytest.mark.requirement("D-cli-run")
def test_the_script_of_the_readme_plays(run: Ore, folder: Path) -> None:
    (folder / "script.json").write_text(example("json", "calls"))
    done = run("run", "--model", "scripted:script.json", "--tool", "calculator", "--session", "a", "What is 6*7?")
    assert (done.status, done.out) == (0, "Let me see.\n42.\n")


def plan_a_trip(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the program of the README, on a model that books, answers, and then never ends."""
    model = script(
        folder,
        [call("book", city="Porto")],
        [delta("Booked, by train.")],
        [delta("Dear diary"), {"hang": True}],
        name="trip.json",
    )
    monkeypatch.setenv("ORE_MODEL", model)
    exec(compile(example("python", "on_question=decide"), "trip.py", "exec"), {"__name__": "trip"})


def test_the_session_of_the_readme_is_steered_asked_and_interrupted(
    run: Ore, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plan_a_trip(folder, monkeypatch)
    assert capsys.readouterr().out.splitlines() == ["Booked, by train.", "Dear diary", "cancelled"]
    turns = json.loads(run("sessions", "show", "trip", "--json").out)["turns"]
    texts = [(role, text) for role, _, text in said(turns)]
    assert texts.index(("user", "Only by train.")) < texts.index(("assistant", "Booked, by train."))
    assert [turn["artifacts"][0]["content"] for turn in turns if turn["role"] == "tool"] == ["booked in Porto"]


@pytest.mark.requirement("D-cli-fork", "D-cli-export", "D-cli-import")
def test_the_commands_on_sessions_of_the_readme_work_in_their_order(
    run: Ore, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plan_a_trip(folder, monkeypatch)
    capsys.readouterr()
    monkeypatch.setenv("ORE_MODEL", script(folder, [delta("Rest.")]))
    turn = json.loads(run("sessions", "show", "trip", "--json").out)["turns"][0]["id"]
    lines = [line for line in example("sh", "sessions fork").splitlines() if line.startswith("ore ")]
    done = [run(*shlex.split(line.replace("TURN", turn), comments=True)[1:]) for line in lines]
    assert [(one.status, one.err) for one in done] == [(0, "")] * 6
    assert [done[0].out, done[4].out] == ["Rest.\n", "trip-2\n"]
    assert "Only by train." in done[1].out
