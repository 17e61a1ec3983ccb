"""`ore sessions show --context`: what was sent for each answer."""

import json
from pathlib import Path

import pytest

from cli.command import CALL, delta, script
from cli.conftest import Ore


@pytest.fixture
def model(folder: Path) -> str:
    return script(folder, [delta("Let me see."), CALL], [delta("42.")], [delta("Bye.")])


@pytest.mark.requirement("D-cli-context")
def test_what_was_noted_is_printed_answer_by_answer(run: Ore, model: str) -> None:
    words = ("run", "--model", model, "--session", "a", "--note-context", "--tool", "calculator")
    assert run(*words, "--instructions", "Be brief.", "What is 6*7?").out == "Let me see.\n42.\n"
    done = run("sessions", "show", "a", "--context", "--json")
    shown = json.loads(done.out)
    assert (done.status, done.err, shown["id"]) == (0, "", "a")
    first, second = shown["context"]
    assert (first["stored"], first["compared"], first["difference"]) == (True, False, None)
    assert [(part["name"], part["count"]) for part in first["parts"]] == [
        ("tools", 1),
        ("instructions", 1),
        ("user", 1),
    ]
    assert first["transforms"] == [{"transform": "instructions", "added": 1, "removed": 0, "changed": 0}]
    assert (second["difference"]["cause"], second["difference"]["where"]) == ("turn", "turns[2]")
    assert [part["name"] for part in second["parts"]] == ["tools", "instructions", "user", "assistant", "tool"]
    lines = run("sessions", "show", "a", "--context").out.splitlines()
    assert lines[0].startswith(f"{first['turn']} (scripted:") and "tokens" in lines[0]
    assert lines[4] == "  instructions added 1 of the turns"
    assert lines[-1].endswith(", turns[2]: turn")


@pytest.mark.requirement("D-cli-context")
def test_what_was_not_noted_is_told_from_the_ledger(run: Ore, model: str) -> None:
    run("run", "--model", model, "--session", "a", "--tool", "calculator", "What is 6*7?")
    shown = json.loads(run("sessions", "show", "a", "--context", "--json").out)
    assert [(one["stored"], one["difference"] and one["difference"]["cause"]) for one in shown["context"]] == [
        (False, None),
        (False, "turn"),
    ]
    assert "as the ledger tells it" in run("sessions", "show", "a", "--context").out
    turns = json.loads(run("sessions", "show", "a", "--json").out)["turns"]
    kinds = {artifact["kind"] for turn in turns for artifact in turn["artifacts"]}
    assert "context" not in kinds


def test_a_session_without_answers_has_nothing_to_show(run: Ore, folder: Path) -> None:
    run("run", "--model", script(folder, [{"error": "overloaded"}]), "--session", "a", "Hi")
    done = run("sessions", "show", "a", "--context")
    assert (done.status, done.out) == (0, "")
