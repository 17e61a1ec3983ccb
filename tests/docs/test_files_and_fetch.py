"""The programs of the pages on files and on the web, and their commands."""

from pathlib import Path

import pytest

from cli.command import call, delta, ore, script
from docs.pages import copied, run
from providers.loopback import serving_in_a_thread
from tools.fetch.get import page

pytestmark = pytest.mark.slow


def test_a_note_is_changed_when_a_person_says_yes(tmp_path: Path) -> None:
    folder = copied("files", tmp_path)
    (folder / "notes").mkdir()
    (folder / "notes" / "shopping.txt").write_text("bread\nmilk\n")
    model = script(folder, [call("edit_file", path="shopping.txt", old="milk", new="oats")], [delta("Changed.")])
    assert run(folder, "edit_notes.py", ORE_MODEL=model).splitlines() == [
        'may change: edit_file {"path": "shopping.txt", "old": "milk", "new": "oats"}',
        *("```diff", "@@ -1,2 +1,2 @@", " bread", "-milk", "+oats", "```"),
        "Changed.",
    ]
    assert (folder / "notes" / "shopping.txt").read_text() == "bread\noats\n"


@pytest.mark.parametrize(("approve", "text"), [("always", "new"), ("never", "old")])
def test_the_command_changes_files_of_its_folder_alone(tmp_path: Path, approve: str, text: str) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside.txt"
    inside.mkdir()
    outside.write_text("old")
    (inside / "a.txt").write_text("old")
    calls = [
        call("write_file", path="a.txt", content="new"),
        {**call("write_file", path="../outside.txt", content="new"), "index": 1, "id": "c2"},
    ]
    model = script(tmp_path, calls, [delta("Done.")])
    done = ore("run", "--model", model, "--tool", "files", "--approve", approve, "go", folder=inside)
    assert (done.status, done.out) == (0, "Done.\n")
    assert ((inside / "a.txt").read_text(), outside.read_text()) == (text, "old")


def test_a_page_of_ones_own_network_is_read_when_it_is_allowed(tmp_path: Path) -> None:
    folder = copied("fetch", tmp_path)
    with serving_in_a_thread(page("<title>Menu</title><h1>Today</h1><p>Cod.")) as server:
        model = script(folder, [call("fetch", url=server.url)], [delta("Cod.")])
        printed = run(folder, "read_page.py", "127.0.0.1", ORE_MODEL=model)
        assert printed == f"{server.url} (text/html, 40 bytes)\nMenu\n\n# Today\n\nCod.\nCod.\n"
        refused = run(folder, "read_page.py", ORE_MODEL=model)
        assert "expected a public address" in refused and len(server.requests) == 1


def test_the_command_asks_no_host_of_this_machine(tmp_path: Path) -> None:
    with serving_in_a_thread(page("reached")) as server:
        model = script(tmp_path, [call("fetch", url=server.url)], [delta("Refused.")])
        done = ore("run", "--model", model, "--tool", "fetch", "go", folder=tmp_path)
        assert (done.status, done.out, server.opened) == (0, "Refused.\n", 0)
