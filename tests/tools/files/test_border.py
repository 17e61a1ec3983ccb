"""Nothing outside of the folder is read, written, listed or searched, whatever stands or is put in the way."""

import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from ore.errors import ToolError
from ore.ext.tools.files import files
from ore.ext.tools.files.border import Border
from ore.ext.tools.sandboxes import BubblewrapSandbox, FolderSandbox, HostSandbox
from ore.tool import FileSandbox
from tools.files.use import used

SECRET = "the-secret-outside"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder inside; beside it stand a secret, and one whose name begins as its own."""
    made = tmp_path.resolve() / "work"
    made.mkdir()
    for outside in (tmp_path / "secret", tmp_path / "work-beside"):
        outside.mkdir()
        (outside / "file").write_text(SECRET)
    (made / "file").write_text("inside")
    (made / "link").symlink_to(tmp_path / "secret" / "file")
    (made / "way").symlink_to(tmp_path / "secret")
    (made / "up").symlink_to("..")
    return made


CALLS: dict[str, dict[str, Any]] = {
    "read_file": {},
    "write_file": {"content": "x"},
    "edit_file": {"old": "the", "new": "x"},
    "list_files": {},
    "search_files": {"pattern": "the"},
}

OUTSIDE = [
    "../secret/file",
    "{outside}/secret/file",
    "{outside}/work-beside/file",
    "link",
    "way/file",
    "way",
    "up/secret/file",
    "a/../../secret/file",
    "..",
    "/etc/passwd",
    "{inside}/../secret/file",
    "way/*",
    "../*",
    "../new",
    "way/new",
]


@pytest.mark.requirement("D-files-border")
@pytest.mark.parametrize("border", [FolderSandbox, BubblewrapSandbox])
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("path", OUTSIDE)
async def test_no_path_leads_out(folder: Path, path: str, name: str, border: type[FolderSandbox]) -> None:
    tools = files(border(folder))
    told = path.format(outside=folder.parent, inside=folder)
    result = await used(folder, name, tools=tools, path=told, **CALLS[name])
    assert result.is_error and "leads out of it" in result.content
    assert SECRET not in result.content
    assert [(folder.parent / name / "file").read_text() for name in ("secret", "work-beside")] == [SECRET] * 2
    assert sorted(os.listdir(folder.parent)) == ["secret", "work", "work-beside"]


@pytest.mark.requirement("D-files-border")
@pytest.mark.parametrize("path", ["a\0b", "loop", "loop/x", "x" * 5_000, "x/" * 3_000])
@pytest.mark.parametrize("name", CALLS)
async def test_a_path_that_is_none_is_an_error(folder: Path, path: str, name: str) -> None:
    (folder / "loop").symlink_to("loop")
    assert (await used(folder, name, path=path, **CALLS[name])).is_error


@pytest.mark.requirement("D-files-border")
async def test_lists_and_searches_follow_no_link(folder: Path) -> None:
    found = await used(folder, "search_files", pattern=".")
    assert found.content == "file:1: inside"
    listed = await used(folder, "list_files", path="**")
    assert listed.content == "file\nlink (link)\nup (link)\nway (link)"


async def test_a_link_that_stays_inside_is_a_path_like_any(folder: Path) -> None:
    (folder / "short").symlink_to("file")
    assert (await used(folder, "read_file", path="short")).content == "1|inside"
    await used(folder, "edit_file", path="short", old="inside", new="changed")
    assert (folder / "short").is_symlink() and (folder / "file").read_text() == "changed"


async def test_the_host_has_no_border(folder: Path) -> None:
    tools = files(HostSandbox(folder))
    assert (await used(folder, "read_file", tools=tools, path="../secret/file")).content == f"1|{SECRET}"
    assert (await used(folder, "read_file", tools=tools, path="link")).content == f"1|{SECRET}"
    found = await used(folder, "search_files", tools=tools, path="../secret", pattern="the")
    assert found.content == f"{folder.parent}/secret/file:1: {SECRET}"


# ── Between the check and the use ────────────────────────────────────────────


class Treacherous:
    """A sandbox in whose folder something is exchanged just behind its check."""

    name = "treacherous"

    def __init__(self, sandbox: FileSandbox, part: Path, target: Path) -> None:
        self._sandbox = sandbox
        self._part = part
        self._target = target

    @property
    def working_directory(self) -> Path:
        return self._sandbox.working_directory

    def resolve_path(self, path: str) -> Path:
        found = self._sandbox.resolve_path(path)
        self._part.rename(self._part.with_name("moved"))
        self._part.symlink_to(self._target)
        return found


@pytest.mark.requirement("D-files-races")
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("part", ["deep", "deep/file"])
async def test_a_link_that_takes_a_places_place_behind_the_check_is_refused(folder: Path, name: str, part: str) -> None:
    (folder / "deep").mkdir()
    (folder / "deep" / "file").write_text("inside")
    target = folder.parent / "secret" / ("file" if part.endswith("file") else "")
    tools = files(Treacherous(FolderSandbox(folder), folder / part, target))
    path = "deep" if name == "list_files" and part == "deep" else "deep/file"
    result = await used(folder, name, tools=tools, path=path, **CALLS[name])
    assert SECRET not in result.content
    assert result.is_error
    assert (folder.parent / "secret" / "file").read_text() == SECRET


@pytest.mark.requirement("D-files-races")
@pytest.mark.parametrize("name", ["read_file", "edit_file", "search_files"])
async def test_a_link_that_takes_a_files_place_before_it_is_opened_is_refused(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = os.stat

    def looking(path: str, **how: Any) -> os.stat_result:
        seen = look(path, **how)
        if path == "file" and stat.S_ISREG(seen.st_mode):
            (folder / "file").unlink()
            (folder / "file").symlink_to(folder.parent / "secret" / "file")
        return seen

    monkeypatch.setattr("ore.ext.tools.files.border.os.stat", looking)
    tools = files(FolderSandbox(folder))
    result = await used(folder, name, tools=tools, path="**/fi*" if name == "search_files" else "file", **CALLS[name])
    assert SECRET not in result.content and (folder / "file").is_symlink()
    assert (folder.parent / "secret" / "file").read_text() == SECRET


@contextmanager
def exchanging(place: Path, target: Path) -> Iterator[None]:
    """Something that makes a directory a link out and back again, as fast as it can."""
    over = threading.Event()
    kept, link = place.with_name("kept"), place.with_name("other")

    def exchange() -> None:
        while not over.is_set():
            with suppress(OSError):
                place.rename(kept)
                link.symlink_to(target)
                link.rename(place)
                place.unlink()
                kept.rename(place)

    thread = threading.Thread(target=exchange)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.requirement("D-files-races")
def test_no_race_is_won(folder: Path) -> None:
    """Reads, writes and searches go on while a part of their path becomes a link out and back."""
    deep = folder / "deep"
    deep.mkdir()
    (deep / "file").write_text("inside")
    border, seen = Border(FolderSandbox(folder)), set()
    with exchanging(deep, folder.parent / "secret"):
        for _ in range(2_000):
            with suppress(ToolError, OSError), border.file(border.locate("deep/file")) as file:
                seen.add(file.read(100))
    assert seen <= {b"inside"}
    assert seen


@pytest.mark.requirement("D-files-races")
async def test_no_search_reads_what_was_put_in_the_place_of_a_folder(folder: Path) -> None:
    deep = folder / "deep"
    deep.mkdir()
    (deep / "file").write_text("inside")
    with exchanging(deep, folder.parent / "secret"):
        for _ in range(20):
            result = await used(folder, "search_files", pattern="secret|inside")
            assert SECRET not in result.content
