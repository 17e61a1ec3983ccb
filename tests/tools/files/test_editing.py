"""One text is replaced by another, and not a byte beside it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.errors import ToolError
from ore.ext.tools.files.changes import changes
from ore.ext.tools.files.editing import replaced
from tools.files.use import used


@pytest.mark.requirement("D-files-edit")
@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a\nb\nc", "b", "x", b"a\nx\nc"),
        (b"a\nb\nc\n", "b\nc\n", "", b"a\n"),
        (b"a\r\nb\r\nc", "a\nb", "1\n2\n3", b"1\r\n2\r\n3\r\nc"),
        (b"a\r\nb\r\nc", "a\r\nb", "1\r\n2", b"1\r\n2\r\nc"),
        (b"a\r\nb", "b", "1\n2", b"a\r\n1\r\n2"),
        (b"a\r\nb\nc\n", "b\nc", "1\n2\n3", b"a\r\n1\n2\n3\n"),
        (b"a\r\nb\nc\n", "a\nb", "1\n2", b"1\r\n2\nc\n"),
        (b"a\nb", "a\r\nb", "1\r\n2", b"1\n2"),
        (b"\xef\xbb\xbfa\xff\xfe\0b\r", "b", "c", b"\xef\xbb\xbfa\xff\xfe\0c\r"),
        ("Grüße 🎉".encode(), "🎉", "!", "Grüße !".encode()),
        (b"x\r\n\r\ny\r\n", "\n\ny", "\nz", b"x\r\nz\r\n"),
    ],
)
def test_line_ends_and_all_else_stay(before: bytes, old: str, new: str, after: bytes) -> None:
    assert replaced(before, old, new, every=False).content == after


lines = st.lists(st.sampled_from([b"a", b"b", b"\r\n", b"\n", b"\xff", b"\r"]), max_size=40).map(b"".join)


@given(lines, lines)
def test_around_what_is_replaced_nothing_changes(before: bytes, after: bytes) -> None:
    content = before + b"<here>" + after
    made = replaced(content, "<here>", "there", every=False)
    assert made.content == before + b"there" + after
    assert made.lines == [before.count(b"\n") + 1]


@given(st.lists(st.sampled_from(["a", "b", "ab", "\n"]), min_size=1, max_size=30), st.sampled_from(["a", "ab", "b\n"]))
def test_all_are_replaced_as_python_does(pieces: list[str], old: str) -> None:
    text = "".join(pieces)
    wanted = text.replace(old, "<x>")
    if wanted == text:
        with pytest.raises(ToolError):
            replaced(text.encode(), old, "<x>", every=True)
    else:
        assert replaced(text.encode(), old, "<x>", every=True).content.decode() == wanted
        long = text.replace("\n", "\r\n").encode()
        assert replaced(long, old, "<x>", every=True).content == wanted.replace("\n", "\r\n").encode()


@pytest.mark.requirement("D-files-edit")
@pytest.mark.parametrize(
    ("content", "old", "told"),
    [
        ("a\nb\na\n", "a", "there 2 times, in lines 1, 3"),
        ("aaa", "aa", "there 2 times, in lines 1, 1"),
        ("x\n" * 30, "x", "there 30 times, in lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 20 more"),
        ("a", "", "got none"),
        ("a", "b", "it is not in the file"),
        (
            "    return value\n",
            "\treturn  value",
            "lines 1 to 1 differ from it in white space alone:\n1|    return value",
        ),
        ("a\n\n  b\nc", "a\n\nb\n", "lines 1 to 3 differ from it in white space alone"),
        ("one\nreturn value\n", "retrun value", "the lines most like it:\n2|return value"),
        ("return \x1b[2J value\n", "retrun value", "1|return ␛[2J value"),
        ("one\n", "1|one", "leave out the line numbers"),
        ("one\n", "\n\n", "it is not in the file"),
    ],
)
def test_what_is_not_there_once_is_an_error_that_helps(content: str, old: str, told: str) -> None:
    with pytest.raises(ToolError) as raised:
        replaced(content.encode(), old, "new", every=False)
    assert told in str(raised.value)


@pytest.mark.parametrize(("old", "new"), [("a", "a"), ("a\nb", "a\r\nb")])
def test_an_edit_that_changes_nothing_is_an_error(old: str, new: str) -> None:
    with pytest.raises(ToolError, match="expected another text"):
        replaced(b"a\nb", old, new, every=False)


async def test_an_edit_tells_where_it_was_and_shows_people_what_changed(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("".join(f"line {n}\n" for n in range(1, 21)))
    result = await used(tmp_path, "edit_file", path="a", old="line 10\n", new="ten\n")
    assert result.content == "a: replaced, in line 10"
    assert result.for_human() == (
        "```diff\n@@ -7,7 +7,7 @@\n line 7\n line 8\n line 9\n-line 10\n+ten\n line 11\n line 12\n line 13\n```"
    )
    every = await used(tmp_path, "edit_file", path="a", old="line", new="row", all=True)
    assert every.content == "a: replaced 19 times, in lines 1 to 20"


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (b"a", b"a\n", "```diff\n@@ -1,1 +1,1 @@\n-a\n\\ no newline at the end\n+a\n```"),
        (b"", b"a\n", "```diff\n@@ -0,0 +1,1 @@\n+a\n```"),
        (b"a\n", b"", "```diff\n@@ -1,1 +0,0 @@\n-a\n```"),
        (b"a\n", b"a\n", ""),
        (b"a\n", b"\x1b[2J\n", "```diff\n@@ -1,1 +1,1 @@\n-a\n+␛[2J\n```"),
    ],
)
def test_a_diff_shows_what_changed(before: bytes, after: bytes, shown: str) -> None:
    assert changes(before, after) == shown


def test_a_long_diff_is_shown_in_part() -> None:
    before = "".join(f"{n}\n" for n in range(5_000)).encode()
    shown = changes(before, before.replace(b"1", b"x"))
    assert len(shown) < 10_000 and "more lines" in shown


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"a\0", "got a binary file"),
        ("a".encode("utf-16"), "got UTF-16"),
        (b"a" * ((16 << 20) + 1), "at most 16777216"),
    ],
)
async def test_what_is_no_text_is_not_edited(tmp_path: Path, content: bytes, told: str) -> None:
    (tmp_path / "a").write_bytes(content)
    result = await used(tmp_path, "edit_file", path="a", old="a", new="b")
    assert result.is_error and told in result.content
    assert (tmp_path / "a").read_bytes() == content


def test_a_file_of_the_greatest_size_is_edited_in_no_time_to_speak_of() -> None:
    content = b"ab\r\n" * (4 << 20)
    with pytest.raises(ToolError, match="at most 100000 times"):
        replaced(content, "ab", "x", every=True)
    with pytest.raises(ToolError, match="not in the file"):
        replaced(content, "a" * 10_000 + "b", "x", every=True)
