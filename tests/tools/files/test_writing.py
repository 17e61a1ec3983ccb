"""A file has its old content or its new one, and keeps what nobody meant to change."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from app.script import answer, call
from ore import Agent
from ore.event import Answer, Question
from ore.ext.tools.files import files, tools
from ore.ext.tools.files.border import Border
from ore.ext.tools.files.writing import edit
from ore.ext.tools.sandboxes import FolderSandbox
from ore.ledger import MemoryStore
from ore.testing import ScriptedProvider
from tools.files.use import all_used, used


async def test_a_file_is_written_with_its_folders(tmp_path: Path) -> None:
    result = await used(tmp_path, "write_file", path="a/b/c.txt", content="é\nx")
    assert result.content == "a/b/c.txt: wrote 4 bytes, 2 lines, a new file"
    assert (tmp_path / "a/b/c.txt").read_bytes() == "é\nx".encode()


async def test_people_see_what_is_written(tmp_path: Path) -> None:
    result = await used(tmp_path, "write_file", path="a.py", content="x = 1\n```\n")
    assert result.for_human() == "````py\nx = 1\n```\n````"
    again = await used(tmp_path, "write_file", path="a.py", content="x = 2\n```\n")
    assert again.for_human() == "````diff\n@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n ```\n````"
    assert again.content == "a.py: wrote 10 bytes, 2 lines, in the place of what was there"


@pytest.mark.requirement("D-files-atomic")
@pytest.mark.parametrize("mode", [0o600, 0o755, 0o640])
async def test_a_file_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(mode)
    await used(tmp_path, "write_file", path="a", content="new")
    await used(tmp_path, "edit_file", path="a", old="new", new="newer")
    assert (path.stat().st_mode & 0o7777, path.read_text()) == (mode, "newer")


async def test_a_new_file_has_the_mode_that_new_files_have(tmp_path: Path) -> None:
    (tmp_path / "other").touch()
    await used(tmp_path, "write_file", path="a", content="new")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "other").stat().st_mode


@pytest.mark.requirement("D-files-atomic")
async def test_a_read_only_file_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    (tmp_path / "a").chmod(0o444)
    changes: dict[str, dict[str, Any]] = {"write_file": {"content": "x"}, "edit_file": {"old": "old", "new": "x"}}
    for name, more in changes.items():
        result = await used(tmp_path, name, path="a", **more)
        assert result.is_error and "read-only" in result.content
    assert (tmp_path / "a").read_text() == "old" and os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize(
    ("path", "told"), [("a/", "got the directory"), ("a/b", "not a directory"), (".", "directory")]
)
async def test_what_can_be_no_file_is_refused(tmp_path: Path, path: str, told: str) -> None:
    (tmp_path / "a").write_text("old")
    result = await used(tmp_path, "write_file", path=path, content="x")
    assert result.is_error and told in result.content
    assert os.listdir(tmp_path) == ["a"]


FULL = """
import resource, signal, sys
from pathlib import Path
from ore.ext.tools.files.border import Border
from ore.ext.tools.files.writing import write
from ore.ext.tools.sandboxes import FolderSandbox
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write(Border(FolderSandbox(Path(sys.argv[1]))), "a", "x" * 5000)
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.requirement("D-files-atomic")
def test_where_there_is_no_room_the_old_file_stays_and_nothing_beside_it(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    done = subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, timeout=15)
    assert done.stdout == "ToolError a: file too large\n"
    assert (tmp_path / "a").read_text() == "old" and os.listdir(tmp_path) == ["a"]


KILLED = """
import sys
from pathlib import Path
from ore.ext.tools.files.border import Border
from ore.ext.tools.files.writing import write
from ore.ext.tools.sandboxes import FolderSandbox
border = Border(FolderSandbox(Path(sys.argv[1])))
print("ready", flush=True)
for count in range(10**9):
    write(border, "a", "ab"[count % 2] * 2_000_000)
"""


@pytest.mark.requirement("D-files-atomic")
def test_whoever_is_killed_while_writing_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    for _ in range(3):
        with subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None and process.stdout.readline() == b"ready\n"
            while not path.exists():
                assert process.poll() is None
            process.kill()
        content = path.read_text()
        assert content in ("a" * 2_000_000, "b" * 2_000_000)


@pytest.mark.requirement("D-files-edit")
async def test_a_file_that_changed_since_it_was_read_is_not_edited(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("one two")
    border = _Changing(FolderSandbox(tmp_path), path)
    with pytest.raises(Exception, match="changed since it was read"):
        edit(border, "a", "one", "1", every=False)
    assert path.read_text() == "somebody else's"


class _Changing(Border):
    """Somebody else writes the file once it was read."""

    def __init__(self, sandbox: FolderSandbox, path: Path) -> None:
        super().__init__(sandbox)
        self._path = path
        self._shown = 0

    def shown(self, real: Path) -> str:
        self._shown += 1
        if self._shown == 2:
            self._path.write_text("somebody else's")
        return super().shown(real)


# ── Many at once, and people ─────────────────────────────────────────────────


@pytest.mark.requirement("D-files-edit")
async def test_edits_of_one_turn_follow_one_another(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("0")
    calls = [("edit_file", {"path": "a", "old": str(n), "new": str(n + 1)}) for n in range(12)]
    results = await all_used(files(FolderSandbox(tmp_path)), *calls)
    assert not any(result.is_error for result in results)
    assert (tmp_path / "a").read_text() == "12"
    assert {tool.name: tool.traits.alone for tool in files()} == {
        **dict.fromkeys(("read_file", "list_files", "search_files"), False),
        **dict.fromkeys(("write_file", "edit_file"), True),
    }


@pytest.mark.requirement("D-files-edit")
def test_edits_of_several_agents_lose_none(tmp_path: Path) -> None:
    """They share the tools, but not their turns."""
    (tmp_path / "a").write_text("".join(f"<{n}>\n" for n in range(8)))
    shared = {tool.name: tool for tool in files(FolderSandbox(tmp_path))}
    body = shared["edit_file"].body
    ready = threading.Barrier(8)

    def work(n: int) -> None:
        ready.wait(10)
        body.call(None, {"path": "a", "old": f"<{n}>", "new": f"done {n}", "all": False})  # type: ignore[arg-type]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "a").read_text() == "".join(f"done {n}\n" for n in range(8))


@pytest.mark.requirement("D-files-approve")
@pytest.mark.parametrize("decision", ["approve", "deny"])
async def test_each_change_is_approved_by_a_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, decision: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_text("old")
    asked: list[str | None] = []

    async def decide(question: Question) -> Answer:
        asked.append(question.tool)
        return Answer(key=question.key, decision=decision)  # type: ignore[arg-type]

    script = [
        *call("edit_file", json.dumps({"path": "a", "old": "old", "new": "new"}), id="1"),
        *call("write_file", json.dumps({"path": "b", "content": ""}), id="2"),
        *call("read_file", json.dumps({"path": "a"}), id="3"),
        *call("list_files", id="4"),
        *call("search_files", json.dumps({"pattern": "x"}), id="5"),
    ]
    agent = Agent(ScriptedProvider(script, answer("ok")), tools=list(tools()))
    await agent.run("go", store=MemoryStore(), on_question=decide)
    assert asked == ["edit_file", "write_file"]
    assert ((tmp_path / "a").read_text(), (tmp_path / "b").exists()) == (
        ("new", True) if decision == "approve" else ("old", False)
    )
