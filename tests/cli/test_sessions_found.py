"""`ore sessions search`: where a text stands, in all that is stored."""

import json
from pathlib import Path

import pytest

from cli.command import delta, script
from cli.conftest import Ore


@pytest.fixture(params=["sqlite:store.db", "json:store"])
def stored(run: Ore, folder: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Two sessions that speak of the sea; `b` was written last."""
    monkeypatch.setenv("ORE_STORE", request.param)
    for name, answer in (("a", "The sea\nis  calm."), ("b", "SEAWARD!")):
        model = script(folder, [delta(answer)], name=f"{name}.json")
        assert run("run", "--model", model, "--session", name, f"Where to, {name}?").status == 0


def answers(run: Ore, name: str) -> str:
    turn: str = json.loads(run("sessions", "show", name, "--json").out)["turns"][1]["id"]
    return turn


@pytest.mark.usefixtures("stored")
@pytest.mark.requirement("D-cli-search")
def test_turns_that_contain_a_text_are_found_the_latest_session_first(run: Ore) -> None:
    done = run("sessions", "search", "sea", "--json")
    assert (done.status, done.err) == (0, "")
    assert json.loads(done.out) == {
        "hits": [
            {"id": "b", "turn": answers(run, "b"), "snippet": "SEAWARD!"},
            {"id": "a", "turn": answers(run, "a"), "snippet": "The sea\nis  calm."},
        ]
    }


@pytest.mark.usefixtures("stored")
@pytest.mark.requirement("D-cli-search")
def test_each_turn_found_is_one_line_for_people(run: Ore) -> None:
    assert run("sessions", "search", "sea").out == (
        f"b  {answers(run, 'b')}  SEAWARD!\na  {answers(run, 'a')}  The sea is calm.\n"
    )
    assert run("sessions", "search", "sea", "--limit", "1").out == f"b  {answers(run, 'b')}  SEAWARD!\n"


@pytest.mark.usefixtures("stored")
@pytest.mark.requirement("D-cli-search")
def test_nothing_found_is_an_empty_answer_and_nothing_to_search_for_wrong_use(run: Ore) -> None:
    assert json.loads(run("sessions", "search", "harbour", "--json").out) == {"hits": []}
    assert run("sessions", "search", "harbour") == run("sessions", "list", "--store", "memory:")
    done = run("sessions", "search", " ")
    assert (done.status, done.out) == (2, "")
    assert "expected a text to search for" in done.err


def test_as_many_turns_are_found_as_there_are(run: Ore, folder: Path) -> None:
    model = script(folder, [delta("Aye.")], repeat=True)
    for number in range(12):
        run("run", "--model", model, "--session", f"s{number}", f"Aye {number}?")
    assert len(json.loads(run("sessions", "search", "aye", "--json").out)["hits"]) == 24
