"""A session that another live process runs: it may be read, but not changed."""

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cli.command import delta, read_until, said, script, start
from cli.conftest import Ore
from ore.session import LocalPlacement


@contextmanager
def owner(folder: Path) -> Iterator[None]:
    """A process that answers in session `a` while the block lasts."""
    model = script(folder, [delta("The sea is "), {"hang": True}], name="owner.json")
    with start("run", "--model", model, "--session", "a", "Where to?", folder=folder) as process:
        read_until(process.stdout, b"The sea is ")
        try:
            yield
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=100)
    assert process.returncode == 130


@pytest.mark.requirement("D-cli-owned")
def test_it_is_listed_shown_searched_exported_and_forked_meanwhile(run: Ore, folder: Path) -> None:
    with owner(folder):
        assert [session["id"] for session in json.loads(run("sessions", "list", "--json").out)["sessions"]] == ["a"]
        turns = json.loads(run("sessions", "show", "a", "--json").out)["turns"]
        assert said(turns) == [("user", "complete", "Where to?")]
        hits = json.loads(run("sessions", "search", "where", "--json").out)["hits"]
        assert hits == [{"id": "a", "turn": turns[0]["id"], "snippet": "Where to?"}]
        assert json.loads(run("sessions", "export", "a").out)["turns"] == turns
        forked = run("sessions", "fork", "a").out.strip()
        assert json.loads(run("sessions", "show", forked, "--json").out)["turns"] == turns
        assert run("sessions", "delete", forked).status == 0


@pytest.mark.requirement("D-cli-owned", "D-cli-delete", "D-cli-import")
def test_it_is_not_deleted_written_over_or_answered_in(run: Ore, folder: Path) -> None:
    with owner(folder):
        done = run("sessions", "delete", "a")
        assert (done.status, done.out) == (1, "")
        assert done.err == "ore: session 'a' is in use by another live process (session_owned)\n"

        (folder / "a.json").write_text(run("sessions", "export", "a").out)
        done = run("sessions", "import", "a.json")
        assert (done.status, done.out, "(conflict)" in done.err) == (1, "", True)

        words = ["--model", script(folder, [delta("no")]), "--session", "a"]
        done = run("run", *words, "--json", "Me too!")
        assert (done.status, json.loads(done.out)["error"]["code"]) == (1, "session_owned")
        assert done.err.endswith("; end that process first, or go on in a copy, which `ore sessions fork` makes\n")
    turns = json.loads(run("sessions", "show", "a", "--json").out)["turns"]
    assert said(turns) == [("user", "complete", "Where to?"), ("assistant", "interrupted", "The sea is ")]
    assert run("sessions", "delete", "a").status == 0


@pytest.mark.requirement("D-cli-owned", "D-cli-import")
def test_nothing_is_imported_under_an_id_that_somebody_else_has(run: Ore, folder: Path) -> None:
    """Who is making a session of that id right now, for one."""
    run("run", "--model", script(folder, [delta("Out.")]), "--session", "a", "Where to?")
    (folder / "a.json").write_text(run("sessions", "export", "a").out)
    placement = LocalPlacement(folder / "store.db.locks")
    placement.acquire("b")
    done = run("sessions", "import", "a.json", "--as", "b")
    assert (done.status, done.out, "(conflict)" in done.err) == (1, "", True)
    assert [session["id"] for session in json.loads(run("sessions", "list", "--json").out)["sessions"]] == ["a"]
    placement.release("b")
    assert run("sessions", "import", "a.json", "--as", "b").status == 0


@pytest.mark.requirement("D-cli-owned")
def test_a_folder_of_json_files_is_one_processs_alone(run: Ore, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORE_STORE", "json:store")
    with owner(folder):
        for words in (["list"], ["show", "a"], ["search", "sea"], ["export", "a"], ["fork", "a"], ["delete", "a"]):
            done = run("sessions", *words)
            assert (done.status, done.out, "(session_owned)" in done.err) == (1, "", True)
        done = run("run", "--model", script(folder, [delta("no")]), "--session", "b", "--json", "Me too!")
        last = json.loads(done.out)
        assert (done.status, last["session"], last["outcome"]) == (1, "b", "failed")
        assert last["error"]["code"] == "session_owned"
