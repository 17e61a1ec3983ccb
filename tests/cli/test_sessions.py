"""`ore sessions`: what is stored, as lines and as JSON."""

import json
from pathlib import Path

import pytest

from cli.command import CALL, delta, script
from cli.conftest import Ore
from ore.ledger import decode_turn, encode_turn


@pytest.fixture
def stored(run: Ore, folder: Path) -> None:
    """Two sessions; `b` was written last."""
    usage = {"kind": "usage", "prompt_tokens": 10, "completion_tokens": 2}
    model = script(folder, [delta("Let me see."), CALL], [delta("42."), usage])
    run("run", "--model", model, "--tool", "calculator", "--session", "a", "What is\n6*7?")
    run("run", "--model", script(folder, [delta("Hello")], name="hello.json"), "--session", "b", "Hi")


@pytest.mark.usefixtures("stored")
@pytest.mark.requirement("D-cli-stored")
def test_the_list_has_the_latest_first_with_what_one_recognises_it_by(run: Ore) -> None:
    done = run("sessions", "list", "--json")
    found = json.loads(done.out)["sessions"]
    assert (done.status, done.err) == (0, "")
    assert [{**session, "last_at": None} for session in found] == [
        {"id": "b", "title": None, "preview": "Hi", "last_at": None, "turns": 2},
        {"id": "a", "title": None, "preview": "What is 6*7?", "last_at": None, "turns": 4},
    ]
    assert found[0]["last_at"] > found[1]["last_at"]

    lines = run("sessions", "list").out.splitlines()
    assert [(line.split()[0], line.endswith(preview)) for line, preview in zip(lines, ["Hi", "6*7?"], strict=True)] == [
        ("b", True),
        ("a", True),
    ]


def test_all_pages_are_listed(run: Ore, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ore.cli.stored.PAGE", 2)
    model = script(folder, [delta("Hello")])
    for number in range(3):
        run("run", "--model", model, "--session", f"s{number}", "Hi")
    found = json.loads(run("sessions", "list", "--json").out)["sessions"]
    assert [session["id"] for session in found] == ["s2", "s1", "s0"]


@pytest.mark.usefixtures("stored")
@pytest.mark.requirement("D-cli-stored")
def test_a_session_is_shown_with_its_turns(run: Ore) -> None:
    done = run("sessions", "show", "a", "--json")
    found = json.loads(done.out)
    assert (done.status, found["id"], found["metadata"]) == (0, "a", {})
    turns = [json.dumps(turn).encode() for turn in found["turns"]]
    assert [json.loads(encode_turn(decode_turn(turn))) for turn in turns] == found["turns"]
    assert [turn["role"] for turn in found["turns"]] == ["user", "assistant", "tool", "assistant"]


@pytest.mark.usefixtures("stored")
@pytest.mark.requirement("D-cli-stored")
def test_a_session_is_shown_for_people(run: Ore) -> None:
    model = json.loads(run("sessions", "show", "a", "--json").out)["turns"][1]["model"]
    assert run("sessions", "show", "a").out == (
        "user:\nWhat is\n6*7?\n\n"
        f'assistant ({model}):\nLet me see.\n→ calculator {{"expression": "6*7"}}\n\n'
        "tool:\n← 42\n\n"
        f"assistant ({model}):\n42.\n10 + 2 tokens\n"
    )


@pytest.mark.requirement("D-cli-status")
def test_an_unknown_session_is_status_1_and_an_impossible_id_status_2(run: Ore, folder: Path) -> None:
    done = run("sessions", "show", "nowhere")
    assert (done.status, done.out, done.err) == (1, "", "ore: no session 'nowhere' (not_found)\n")
    done = run("sessions", "show", "../elsewhere")
    assert (done.status, done.out) == (2, "")


def test_nothing_stored_is_an_empty_list(run: Ore, folder: Path) -> None:
    assert json.loads(run("sessions", "list", "--json").out) == {"sessions": []}
    assert (run("sessions", "list").status, run("sessions", "list").out) == (0, "")


@pytest.mark.usefixtures("stored")
def test_the_store_of_the_flag_beats_that_of_the_environment(run: Ore) -> None:
    assert json.loads(run("sessions", "list", "--json", "--store", "memory:").out) == {"sessions": []}
