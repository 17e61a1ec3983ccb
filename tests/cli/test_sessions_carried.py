"""`ore sessions export` and `import`: sessions as files."""

import io
import json
import os
import sys
from pathlib import Path

import pytest

from cli.command import CALL, Done, delta, ore, script
from cli.conftest import Ore
from ore.artifact import Text, Unknown
from ore.ext.export import export_html, export_text
from ore.ledger import Control, Role, StoredThread, Thread, export_thread, read_export


def tree() -> StoredThread:
    """Every branch, a turn that is passed over, facts, and an artifact that this ore does not know."""
    thread = Thread(meta={"empty": "", "ore.title": "Zwei Äste"})
    thread.add(Role.USER, Text(content="hi\x1b[2J\u2028"))
    first = thread.add(Role.ASSISTANT, Unknown(name="hologram", raw=b'{"kind":"hologram","depth":3}'))
    thread.set_tip(None)
    thread.add(Role.USER, Text(content="other"))
    hidden = thread.add(Role.ASSISTANT, Text(content="never mind"))
    thread.set_control(hidden.id, Control.SKIP)
    thread.set_tip(first.id)
    return StoredThread(id="tree", metadata=thread.meta.all(), turns=tuple(thread.all_turns), tip=thread.tip)


TREE = export_thread(tree())


def ids(run: Ore, *words: str) -> list[str]:
    return sorted(session["id"] for session in json.loads(run("sessions", "list", "--json", *words).out)["sessions"])


@pytest.mark.requirement("D-cli-export", "D-cli-import")
@pytest.mark.parametrize("store", ["sqlite:other.db", "json:other"])
def test_a_session_goes_into_another_store_and_back_without_loss(run: Ore, folder: Path, store: str) -> None:
    (folder / "tree.json").write_bytes(TREE)
    done = run("sessions", "import", "tree.json", "--store", store)
    assert (done.status, done.out, done.err) == (0, "tree\n", "")
    done = run("sessions", "export", "tree", "--store", store)
    assert (done.status, done.out.encode(), done.err) == (0, TREE + b"\n", "")
    assert list(json.loads(done.out)) == ["ore", "id", "metadata", "tip", "turns"]
    assert run("sessions", "export", "tree", "--store", store, "--json") == done


@pytest.mark.requirement("D-cli-export", "D-cli-import")
def test_an_imported_session_goes_on(run: Ore, folder: Path) -> None:
    model = script(folder, [delta("Let me see."), CALL], [delta("42.")], name="one.json")
    run("run", "--model", model, "--tool", "calculator", "--session", "a", "What is 6*7?")
    (folder / "a.json").write_text(run("sessions", "export", "a").out)
    done = run("sessions", "import", "a.json", "--as", "b", "--json")
    assert (done.status, json.loads(done.out), done.err) == (0, {"id": "b"}, "")
    assert run("run", "--model", script(folder, [delta("Sure.")]), "--session", "b", "Sure?").out == "Sure.\n"
    exported = {name: json.loads(run("sessions", "export", name).out) for name in "ab"}
    assert exported["b"]["turns"][:4] == exported["a"]["turns"]
    assert len(exported["b"]["turns"]) == 6


@pytest.mark.requirement("D-cli-import", "D-cli-status")
def test_an_id_that_exists_is_a_conflict_unless_another_is_given(run: Ore, folder: Path) -> None:
    (folder / "tree.json").write_bytes(TREE)
    assert run("sessions", "import", "tree.json").status == 0
    done = run("sessions", "import", "tree.json")
    assert (done.status, done.out, done.err) == (1, "", "ore: session 'tree' exists (conflict)\n")
    assert run("sessions", "import", "tree.json", "--as", "shrub").out == "shrub\n"
    assert ids(run) == ["shrub", "tree"]


@pytest.mark.requirement("D-cli-import")
def test_an_export_comes_in_by_standard_input(run: Ore, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TREE + b"\n")))
    assert run("sessions", "import", "-").out == "tree\n"


@pytest.mark.requirement("D-cli-import", "D-cli-status")
@pytest.mark.parametrize(
    ("content", "words", "expected"),
    [
        (b"", [], "expected the JSON that `ore sessions export` writes"),
        (b"nonsense", [], "expected the JSON that `ore sessions export` writes"),
        (b'{"id": "a"}', [], "missing required field `ore`"),
        (b'{"ore": 2, "id": "a", "turns": []}', [], "expected format 1, got 2"),
        (b'{"ore": 1, "id": "../a", "turns": []}', [], "'../a' may not name a session"),
        (b'{"ore": 1, "id": "a", "turns": [{"id": "x", "role": "nobody"}]}', [], "turns[0]"),
        (b'{"ore": 1, "id": "a", "turns": []}', ["--as", "../a"], "session id: expected"),
        (b'{"ore": 1, "id": "a", "turns": []}', ["--as", ""], "session id: expected"),
        (None, [], "'x.json' cannot be read: No such file or directory"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(
    run: Ore, folder: Path, content: bytes | None, words: list[str], expected: str
) -> None:
    if content is not None:
        (folder / "x.json").write_bytes(content)
    done = run("sessions", "import", "x.json", *words)
    assert (done.status, done.out) == (2, "")
    assert expected in done.err
    assert ids(run) == []


@pytest.fixture
def stored(run: Ore, folder: Path) -> bytes:
    """Session `tree` is in the store; what its exported file should hold."""
    (folder / "tree.json").write_bytes(TREE)
    assert run("sessions", "import", "tree.json").status == 0
    return TREE + b"\n"


@pytest.mark.requirement("D-cli-export")
def test_an_exported_file_is_for_the_user_alone_and_whole(run: Ore, folder: Path, stored: bytes) -> None:
    old = folder / "old.json"
    old.write_text("old")
    old.chmod(0o644)
    (folder / "link.json").symlink_to("old.json")
    for name in ("new.json", "link.json"):
        done = run("sessions", "export", "tree", "-o", name)
        assert (done.status, done.out, done.err) == (0, "", "")
    for path in (folder / "new.json", old):
        assert (path.read_bytes(), path.stat().st_mode & 0o777) == (stored, 0o600)
    assert (folder / "link.json").is_symlink()
    assert [name for name in os.listdir(folder) if name.endswith(".part")] == []


@pytest.mark.requirement("D-cli-export")
def test_what_is_no_file_stays_what_it_is(folder: Path, stored: bytes) -> None:
    done = ore("sessions", "export", "tree", "-o", "/dev/stdout", folder=folder)
    assert done == Done(0, stored.decode(), "")


@pytest.mark.usefixtures("stored")
@pytest.mark.requirement("D-cli-export", "D-cli-status")
@pytest.mark.parametrize(
    ("words", "status", "expected"),
    [
        (["tree", "--format", "html", "--json"], 2, "expected one format, got --json and --format html"),
        (["tree", "--format", "xml"], 2, "invalid choice: 'xml'"),
        (["tree", "-o", "nowhere/tree.json"], 2, "'nowhere/tree.json' cannot be made: No such file"),
        (["tree", "-o", "."], 2, "'.' cannot be made: Is a directory"),
        (["nowhere"], 1, "no session 'nowhere' (not_found)"),
        (["nowhere", "-o", "tree.json"], 1, "no session 'nowhere' (not_found)"),
    ],
)
def test_what_cannot_be_exported_leaves_no_file(
    run: Ore, folder: Path, words: list[str], status: int, expected: str
) -> None:
    before = {path: path.read_bytes() for path in folder.glob("*.json")}
    done = run("sessions", "export", *words)
    assert (done.status, done.out) == (status, "")
    assert expected in done.err
    assert {path: path.read_bytes() for path in folder.glob("*.json")} == before


@pytest.mark.requirement("D-cli-export")
def test_a_disk_that_is_full_is_a_failure(run: Ore, folder: Path, stored: bytes) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("only Linux has a device that is always full")
    done = run("sessions", "export", "tree", "-o", "/dev/full")
    assert (done.status, done.err) == (1, "ore: export: '/dev/full' cannot be written: No space left on device\n")


@pytest.mark.requirement("D-cli-export-formats")
def test_a_session_is_exported_as_text_and_as_a_page(run: Ore, folder: Path, stored: bytes) -> None:
    """The page is a file like the others, whole and for the user alone; text into a pipe goes as it is."""
    thread = read_export(TREE)
    done = run("sessions", "export", "tree", "--format", "text")
    assert (done.status, done.err) == (0, "")
    assert done.out == export_text(thread)
    assert "hi\x1b[2J" in done.out and "never mind" in done.out
    assert run("sessions", "export", "tree", "--format", "html").out == export_html(thread)
    done = run("sessions", "export", "tree", "--format", "html", "-o", "tree.html")
    assert (done.status, done.out, done.err) == (0, "", "")
    page = folder / "tree.html"
    assert (page.read_text(), page.stat().st_mode & 0o777) == (export_html(thread), 0o600)


@pytest.mark.requirement("D-cli-export-formats")
def test_help_says_what_formats_are_for(run: Ore) -> None:
    assert "text, or one page of html, for people" in " ".join(run("sessions", "export", "--help").out.split())
