"""Lines are found alike with ripgrep and without it, in bounded time and memory, whatever is searched for and in."""

import os
import re
import shutil
import time
from pathlib import Path

import pytest

from ore.errors import ToolError
from ore.ext.tools.files.border import Border
from ore.ext.tools.files.matcher import matcher
from ore.ext.tools.files.patience import Patience
from ore.ext.tools.files.search import MOST_HITS, searched
from ore.ext.tools.sandboxes import FolderSandbox
from peak import growth
from tools.files.use import sparse, used


@pytest.fixture(params=["ripgrep", "own"], autouse=True)
def program(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Which program searches."""
    if request.param == "own":
        monkeypatch.setenv("PATH", "/nowhere")
    elif shutil.which("rg") is None:
        pytest.skip("ripgrep is not installed")
    return str(request.param)


PATTERNS = [
    *("needle", "^needle", "needle$", "^$", "n.*e", "[Nn]eedle", "(?i)NEEDLE", r"\bneedle\b", r"\d+", r"\w+ü", "ü"),
    *("é?", r"needle|straw", r"(ne)+dle", r"\s", r"\.", r"a{2,3}", "🎉", r"[^a-z]+$", r"\x41", r"a\tb", "-e", "--"),
    *(r"\\", "(?:x)y"),
]


def fill(folder: Path) -> None:
    (folder / "a.txt").write_text("needle\nNeedle 12\n\n  needle in a straw\nGrüße, grün\n🎉 aaa A\n-e -- \\ .\n")
    (folder / "dos.txt").write_bytes(b"needle\r\n\r\nlast needle")
    (folder / "mark.txt").write_bytes(b"\xef\xbb\xbfneedle\n")
    (folder / "wide.txt").write_text("needle\nGrüße\n", "utf-16")
    (folder / "late.txt").write_bytes(b"x" * 9_000 + b"\nneedle \0 needle\n")
    (folder / "caf\udce9.txt").write_bytes(b"caf\xe9 needle\n")
    (folder / "tab").write_text("a\tb\nxy\n")
    (folder / "bin").write_bytes(b"\0needle\n")
    (folder / "deep").mkdir()
    (folder / "deep" / "-e").write_text("needle -e\n")
    (folder / "deep" / "x\ny").write_text("needle\n")
    (folder / "skipped").write_text("needle\n")
    (folder / ".gitignore").write_text("skipped\n")
    (folder / ".hidden").write_text("needle\n")


@pytest.mark.requirement("D-files-search")
@pytest.mark.parametrize("pattern", PATTERNS)
async def test_both_programs_find_what_python_finds(tmp_path: Path, pattern: str) -> None:
    fill(tmp_path)
    found = searched(Border(FolderSandbox(tmp_path)), pattern, ".", Patience(20))
    expected = []
    for name in (
        "a.txt",
        "caf\udce9.txt",
        "dos.txt",
        "late.txt",
        "mark.txt",
        "tab",
        "wide.txt",
        "deep/-e",
        "deep/x\ny",
    ):
        data = (tmp_path / name).read_bytes()
        text = data.decode("utf-16" if name == "wide.txt" else "utf-8-sig", "replace")
        shown = name.replace("\n", "�").replace("\udce9", "�")
        lines = text.split("\n")[: text.count("\n") + (not text.endswith("\n"))]
        expected += [
            f"{shown}:{number}" for number, line in enumerate(lines, 1) if re.search(pattern, line.removesuffix("\r"))
        ]
    assert [line.partition(": ")[0] for line in found.lines] == expected
    assert (found.files, found.binary, found.stopped, found.refused) == (9, ["bin"], "", 0)


async def test_a_search_tells_where_what_is_found_stands(tmp_path: Path) -> None:
    fill(tmp_path)
    result = await used(tmp_path, "search_files", pattern="straw")
    assert result.content == "a.txt:4:   needle in a straw\n[not searched, they are no text: bin]"
    assert (await used(tmp_path, "search_files", pattern="needle", path="dos.txt")).content == (
        "dos.txt:1: needle\ndos.txt:3: last needle"
    )
    assert (await used(tmp_path, "search_files", pattern="needle", path="de*/*")).content == (
        "deep/-e:1: needle -e\ndeep/x�y:1: needle"
    )
    assert (await used(tmp_path, "search_files", pattern="needle", path="skipped")).content == "skipped:1: needle"
    assert (await used(tmp_path, "search_files", pattern="nowhere", path="deep")).content == "[no match in 2 files]"


@pytest.mark.requirement("D-files-binary")
async def test_binary_files_are_named_not_searched(tmp_path: Path) -> None:
    for n in range(12):
        (tmp_path / f"{n:02}.bin").write_bytes(b"\0needle")
    result = await used(tmp_path, "search_files", pattern="needle")
    assert result.content.startswith("[no match in 0 files]\n[not searched, they are no text: 00.bin, 01.bin")
    assert result.content.endswith("09.bin and 2 more]")
    assert (await used(tmp_path, "search_files", pattern="needle", path="00.bin")).content == (
        "[no match in 0 files]\n[not searched, they are no text: 00.bin]"
    )


@pytest.mark.requirement("D-files-inert")
async def test_what_is_found_steers_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 9_000 + b"\nneedle\x1b[2J\0\x9b\r\n")
    assert (await used(tmp_path, "search_files", pattern="needle")).content == "a:2: needle␛[2J␀�"


async def test_of_a_long_line_comes_what_is_around_the_match(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("é" * 20_000 + "needle" + "é" * 3_000_000 + "\nsecond needle\n" + "b" * 400 + "needle")
    lines = (await used(tmp_path, "search_files", pattern="needle")).content.split("\n")
    assert lines[0].startswith("a:1: …éé") and "éneedleé" in lines[0] and lines[0].endswith("é…")
    assert len(lines[0]) < 320
    assert lines[1] == "a:2: second needle"
    assert lines[2].startswith("a:3: …bb") and lines[2].endswith("needle")


@pytest.mark.requirement("D-files-search")
async def test_a_search_ends_when_it_has_found_enough(tmp_path: Path) -> None:
    for n in range(3):
        (tmp_path / f"{n}.txt").write_text("needle\n" * 100_000)
    content = (await used(tmp_path, "search_files", pattern="needle")).content
    assert content.endswith("[stopped at 500 lines; a narrower pattern or path finds the others]")
    assert content.count("\n") == MOST_HITS
    (tmp_path / "long").write_text(("x" * 250 + "\n") * 1_000)
    assert len((await used(tmp_path, "search_files", pattern="xx", path="long")).content.encode()) < 50_200


BOMBS = [
    r"(a+)+$",
    r"(a|a)*b",
    r"(.*)*=",
    r"^(([a-z])+.)+[A-Z]([a-z])+$",
    r"(a{1,1000}){1,1000}b",
    r"((a{900}){900}){900}",
]


@pytest.mark.requirement("D-files-bombs")
@pytest.mark.parametrize("pattern", BOMBS)
def test_no_pattern_takes_longer_than_it_may(tmp_path: Path, pattern: str) -> None:
    (tmp_path / "a").write_text("a" * 50_000 + "!\n")
    began = time.monotonic()
    with growth() as grown_bytes:
        try:
            searched(Border(FolderSandbox(tmp_path)), pattern, ".", Patience(1))
        except ToolError as error:
            assert "expected a regular expression" in str(error)
        assert time.monotonic() - began < 8
        assert grown_bytes() < 100 << 20


@pytest.mark.requirement("D-files-bombs")
@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "(",
        "a\nb",
        r"a\nb",
        "*a",
        "[",
        r"(?=a)",
        r"(?<!a)b",
        r"(a)\1",
        r"(?P<x>a)(?P=x)",
        "a" * 3 + ")",
        "(" * 9_999,
    ],
)
async def test_a_pattern_that_is_none_is_an_error_that_says_why(tmp_path: Path, pattern: str) -> None:
    (tmp_path / "a").write_text("a")
    result = await used(tmp_path, "search_files", pattern=pattern)
    assert result.is_error and "pattern:" in result.content
    assert "--pcre2" not in result.content  # nobody could give that


@pytest.mark.parametrize("pattern", [r"\(?=a", r"[(?=]", r"\\1", r"[\]]\.", r"a\.n"])
async def test_signs_that_stand_for_themselves_are_no_foreign_pattern(tmp_path: Path, pattern: str) -> None:
    (tmp_path / "a").write_text("(=a ( \\1 ]. a.n")
    assert not (await used(tmp_path, "search_files", pattern=pattern)).is_error


@pytest.mark.requirement("D-files-ends")
async def test_what_is_very_large_is_named_and_not_searched(tmp_path: Path) -> None:
    sparse(tmp_path / "huge", b"needle\n")
    (tmp_path / "small").write_text("needle\n")
    result = await used(tmp_path, "search_files", pattern="needle")
    assert result.content == "small:1: needle\n[not searched, over 256 MiB: huge]"


async def test_more_files_than_can_be_open_are_searched(tmp_path: Path) -> None:
    for n in range(700):
        (tmp_path / f"{n:03}").write_text(f"{n % 100}\n")
    before = len(os.listdir("/dev/fd"))
    result = await used(tmp_path, "search_files", pattern="^42$")
    assert result.content == "\n".join(f"{n:03}:1: 42" for n in range(42, 700, 100))
    assert len(os.listdir("/dev/fd")) <= before


def test_the_time_of_a_search_is_bounded_and_said(tmp_path: Path) -> None:
    for n in range(300):
        (tmp_path / f"{n:03}").write_text("needle\n")
    found = searched(Border(FolderSandbox(tmp_path)), "needle", ".", Patience(0))
    assert "stopped after 0 s" in found.for_model()


def test_whoever_leaves_a_search_ends_its_program(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("needle\n" * 1_000_000)
    with open(tmp_path / "a", "rb") as file:
        hits = matcher("needle").hits([file.fileno()], Patience(20))
        assert next(hits).line == 1
        hits.close()  # type: ignore[attr-defined]
