"""`ore sessions fork` and `delete`."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from cli.command import CALL, delta, said, script
from cli.conftest import Ore
from ore.app import open_store
from ore.artifact import Text
from ore.ledger import Message


@pytest.fixture
def turns(run: Ore, folder: Path) -> list[dict[str, Any]]:
    """Those of session `a`: two messages, the first with a tool call."""
    model = script(folder, [delta("Let me see."), CALL], [delta("42.")], name="one.json")
    run("run", "--model", model, "--tool", "calculator", "--session", "a", "What is 6*7?")
    run("run", "--model", script(folder, [delta("Bye.")], name="two.json"), "--session", "a", "Thanks.")
    return show(run, "a")


def show(run: Ore, name: str) -> list[dict[str, Any]]:
    done = run("sessions", "show", name, "--json")
    assert done.status == 0, done.err
    turns: list[dict[str, Any]] = json.loads(done.out)["turns"]
    return turns


@pytest.mark.requirement("D-cli-fork")
def test_a_fork_has_the_whole_path_and_goes_on_by_itself(run: Ore, folder: Path, turns: list[dict[str, Any]]) -> None:
    done = run("sessions", "fork", "a", "--json")
    assert (done.status, done.err) == (0, "")
    forked = json.loads(done.out)
    assert list(forked) == ["id"]
    assert show(run, forked["id"]) == turns

    run("run", "--model", script(folder, [delta("Again!")]), "--session", forked["id"], "Once more?")
    assert said(show(run, forked["id"]))[len(turns) :] == [
        ("user", "complete", "Once more?"),
        ("assistant", "complete", "Again!"),
    ]
    assert show(run, "a") == turns


@pytest.mark.requirement("D-cli-fork")
@pytest.mark.parametrize(("at", "last"), [(0, 0), (1, 2), (2, 2), (3, 3)])
def test_a_fork_at_a_turn_ends_there_and_parts_no_call_from_its_result(
    run: Ore, turns: list[dict[str, Any]], at: int, last: int
) -> None:
    done = run("sessions", "fork", "a", "--at", turns[at]["id"])
    assert show(run, done.out.removesuffix("\n")) == turns[: last + 1]


@pytest.mark.usefixtures("turns")
@pytest.mark.requirement("D-cli-fork", "D-cli-status")
@pytest.mark.parametrize(
    ("words", "status", "code"),
    [
        (["fork", "nowhere"], 1, "(not_found)"),
        (["fork", "a", "--at", "nowhere"], 1, "(not_found)"),
        (["fork", "../a"], 2, "session id: expected"),
        (["delete", "nowhere"], 1, "(not_found)"),
        (["delete", "../a"], 2, "session id: expected"),
    ],
)
def test_what_is_not_there_is_neither_forked_nor_deleted(run: Ore, words: list[str], status: int, code: str) -> None:
    done = run("sessions", *words)
    assert (done.status, done.out) == (status, "")
    assert code in done.err
    assert [session["id"] for session in json.loads(run("sessions", "list", "--json").out)["sessions"]] == ["a"]


@pytest.mark.usefixtures("turns")
@pytest.mark.requirement("D-cli-delete")
@pytest.mark.parametrize("store", ["sqlite", "json"])
def test_a_deleted_session_is_gone_and_its_id_free(run: Ore, folder: Path, store: str) -> None:
    if store == "json":
        (folder / "a.json").write_text(run("sessions", "export", "a").out)
        run("sessions", "import", "a.json", "--store", "json:store")
    words = ["--store", "json:store"] if store == "json" else []
    done = run("sessions", "delete", "a", *words)
    assert (done.status, done.out, done.err) == (0, "", "")
    assert run("sessions", "show", "a", *words).status == 1
    assert json.loads(run("sessions", "search", "Thanks", "--json", *words).out) == {"hits": []}
    run("run", "--model", script(folder, [delta("Hello.")]), "--session", "a", *words, "Hi")
    assert json.loads(run("sessions", "delete", "a", "--json", *words).out) == {"id": "a"}


@pytest.mark.requirement("D-cli-delete")
def test_deleting_takes_what_waits_along(run: Ore, folder: Path) -> None:
    asyncio.run(leave_waiting("a", os.environ["ORE_STORE"]))
    assert run("sessions", "delete", "a").status == 0
    done = run("run", "--model", script(folder, [delta("Hello.")]), "--session", "a", "Hi")
    assert (done.out, done.err) == ("Hello.\n", "")


async def leave_waiting(session_id: str, url: str) -> None:
    """A session with a message that no process has taken."""
    store = open_store(url)
    await store.create(session_id, {})
    await store.submit(session_id, Message(id="m", artifacts=(Text(content="Wait!"),)))
    await store.aclose()
