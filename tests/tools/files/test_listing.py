"""What stands in a folder is listed, sorted and marked, without what people leave out; rules are those of git."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ore.ext.tools.files.border import Border
from ore.ext.tools.files.globs import Glob
from ore.ext.tools.files.ignore import IgnoreRules
from ore.ext.tools.files.patience import Patience
from ore.ext.tools.files.walk import Walk
from ore.ext.tools.sandboxes import FolderSandbox
from tools.files.use import used


def fill(folder: Path, *names: str, **texts: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir() if name.endswith("/") else path.touch()
    for name, text in texts.items():
        (folder / f".{name}").write_text(text)


@pytest.mark.requirement("D-files-list")
async def test_names_are_sorted_and_directories_are_marked(tmp_path: Path) -> None:
    fill(tmp_path, "b.py", "a/inner.py", "C", ".hidden", "é", "empty/")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "to-a").symlink_to("a")
    result = await used(tmp_path, "list_files")
    assert result.content.split("\n") == [
        *("C", "a/", "b.py", "empty/", "pipe (neither file nor directory)", "to-a (link)", "é", "[left out: 1 hidden]")
    ]
    assert (await used(tmp_path, "list_files", path="a")).content == "inner.py"
    assert (await used(tmp_path, "list_files", path="empty")).content == "[nothing]"


@pytest.mark.requirement("D-files-ignore")
async def test_ignored_names_are_left_out_unless_asked_for(tmp_path: Path) -> None:
    fill(tmp_path, "build/out.o", "build/b.c", "a.log", "keep.log", "src/c.o", "src/d.c", "src/deep/a.log")
    fill(tmp_path, gitignore="*.log\n!keep.log\nbuild/\n", ignore="*.o\n")
    assert (await used(tmp_path, "list_files")).content == "keep.log\nsrc/\n[left out: 2 hidden, 2 ignored]"
    assert (await used(tmp_path, "list_files", path="**")).content == "keep.log\nsrc/\nsrc/d.c\nsrc/deep/"
    assert (await used(tmp_path, "list_files", path="build")).content == "b.c\n[left out: 1 ignored]"
    (tmp_path / ".ignore").write_text("*.o\n!build/\n")  # which has the last word
    assert "build/" in (await used(tmp_path, "list_files")).content
    (tmp_path / ".ignore").write_text("*.o\n")
    (tmp_path / "src" / ".gitignore").write_text("!*.log\n*.c")
    assert (await used(tmp_path, "list_files", path="**")).content == "keep.log\nsrc/\nsrc/deep/\nsrc/deep/a.log"


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.py", ["a.py"]),
        ("**/*.py", ["a.py", "src/b.py", "src/deep/c.py"]),
        ("src/**", ["src/[id].ts", "src/b.py", "src/deep/", "src/deep/c.py"]),
        ("src/**/c.py", ["src/deep/c.py"]),
        ("s?c/[ab].py", ["src/b.py"]),
        ("src/*.rs", ["[nothing]"]),
        ("none/*", None),
        ("a.py", None),
        ("./src/*.py", ["src/b.py"]),
    ],
)
async def test_a_pattern_lists_what_it_matches(tmp_path: Path, pattern: str, found: list[str] | None) -> None:
    fill(tmp_path, "a.py", "src/b.py", "src/deep/c.py", "src/[id].ts")
    result = await used(tmp_path, "list_files", path=pattern)
    assert result.is_error if found is None else result.content.split("\n") == found


async def test_a_name_that_looks_like_a_pattern_is_a_name(tmp_path: Path) -> None:
    fill(tmp_path, "[id]/page.ts")
    assert (await used(tmp_path, "list_files", path="[id]")).content == "page.ts"


@pytest.mark.requirement("D-files-inert")
async def test_no_name_looks_like_two_or_steers_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "a\nb\x1b[2J").touch()
    (tmp_path / os.fsdecode(b"\xff\xfe")).touch()
    result = await used(tmp_path, "list_files")
    assert result.content == "a�b�[2J\n��"


@pytest.mark.slow
@pytest.mark.requirement("D-files-ends")
async def test_a_hundred_thousand_files_are_counted_and_listed_in_part(tmp_path: Path) -> None:
    for n in range(100_000):
        os.close(os.open(tmp_path / f"{n:06}", os.O_CREAT | os.O_WRONLY))
    for path, count in ((".", 100_000), ("*7", 10_000)):
        result = await used(tmp_path, "list_files", path=path)
        assert result.content.endswith(f"\n[1000 of {count} entries]")
    found = await used(tmp_path, "search_files", pattern="x")
    assert "no match in" in found.content or "stopped after 20 s" in found.content


@pytest.mark.requirement("D-files-ends")
async def test_links_that_form_loops_and_folders_that_are_deep_end(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "back").symlink_to("..")
    (tmp_path / "self").symlink_to("self")
    place = tmp_path / "deep"
    for _ in range(300):
        place /= "d"
    place.mkdir(parents=True)
    (place / "file").write_text("needle")
    assert (await used(tmp_path, "list_files", path="a/**")).content == "a/back (link)"
    assert (await used(tmp_path, "list_files", path="**/fi*")).content.endswith("/d/file")
    assert (await used(tmp_path, "search_files", pattern="needle")).content.endswith("/file:1: needle")
    assert (await used(tmp_path, "list_files", path="self")).is_error


def test_a_walk_stops_when_its_time_is_over(tmp_path: Path) -> None:
    fill(tmp_path, "a/b/c", "d/e")
    walk = Walk(Border(FolderSandbox(tmp_path)), tmp_path.resolve(), Patience(0))
    assert list(walk.entries()) == [] and walk.is_cut


@pytest.mark.skipif(os.geteuid() != 0, reason="a folder that root cannot read either cannot be made")
async def test_a_file_of_rules_that_is_none_is_passed_over(tmp_path: Path) -> None:
    fill(tmp_path, "a.log", "d/a.log", "e/a.log")
    (tmp_path / "rules").write_text("*.log")
    (tmp_path / ".gitignore").symlink_to("rules")
    os.mkfifo(tmp_path / "d" / ".gitignore")
    (tmp_path / "e" / ".gitignore").mkdir()
    assert (await used(tmp_path, "list_files", path="**/*.log")).content == "a.log\nd/a.log\ne/a.log"


# ── Rules, beside git's ──────────────────────────────────────────────────────

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

RULES = [
    "*.log", "!a.log", "/a", "a/", "a/b", "/a/b", "**/b", "a/**", "a/**/c", "!a/b", "*", "!*/", "?", "[ab]", "[!a]",
    "[^b]", "[a-c].log", "\\#x", "#x", "\\!y", " ", "a ", "a\\ ", "**", "a**b", "**/", "*/c", "a/*", "!a", "b/", "/*",
    "!/a", "*a*b*", "ab", "/b/**", "a.log/", "[", "[b-a]", "a/**/", "x\\*",
]  # fmt: skip
TREE = [
    "a/b/c",
    "a/b/a.log",
    "a/c",
    "b/a",
    "b/b.log",
    "c",
    "ab",
    "axb",
    "a.log",
    "x*",
    "xy",
    "#x",
    "!y",
    "a ",
    "z/[",
    "z/a/b/c",
]


def ours(folder: Path) -> set[str]:
    walk = Walk(Border(FolderSandbox(folder)), folder.resolve(), Patience(20))
    return {"/".join(entry.path) for entry in walk.entries() if entry.kind == "file"}


def gits(folder: Path) -> set[str]:
    words = ["git", "-C", str(folder), "ls-files", "-z", "--others", "--exclude-per-directory=.gitignore"]
    listed = subprocess.run(words, check=True, capture_output=True).stdout
    return {path for path in listed.decode().split("\0") if path and not path.startswith(".") and "/." not in path}


@needs_git
@pytest.mark.requirement("D-files-ignore")
@settings(max_examples=25)
@given(
    rules=st.lists(st.sampled_from(RULES), min_size=1, max_size=5),
    inner=st.lists(st.sampled_from(RULES), max_size=3),
)
def test_what_is_ignored_is_what_git_ignores(
    tmp_path_factory: pytest.TempPathFactory, rules: list[str], inner: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("tree")
    fill(folder, *TREE)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / ".gitignore").write_text("\n".join(rules))
    if inner:
        (folder / "a" / ".gitignore").write_text("\n".join(inner) + "\n")
    assert ours(folder) == gits(folder)
    shutil.rmtree(folder)


@pytest.mark.requirement("D-files-bombs")
def test_no_rule_and_no_pattern_takes_long() -> None:
    began = time.monotonic()
    name = "a" * 250
    rules = IgnoreRules("*a" * 40 + "b\n" + "[a-z]*" * 40 + "b\n" + "**/" * 40 + "b\n" + "?*" * 100 + "b")
    assert rules.verdict([name] * 60, is_folder=False) is None
    assert not Glob("**/a*/" * 30 + "b").matches([name] * 100)
    assert time.monotonic() - began < 5


@given(st.text(st.sampled_from("ab*?[]!^-\\/#é\n ~&|"), max_size=20), st.text(st.sampled_from("ab/*é\n"), max_size=9))
def test_any_text_is_a_pattern(pattern: str, path: str) -> None:
    parts = [part for part in path.split("/") if part] or ["a"]
    Glob(pattern).matches(parts)
    IgnoreRules(pattern).verdict(parts, is_folder=True)
