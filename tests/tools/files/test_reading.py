"""A file is read as far as a model can take it, whatever it is and however long."""

import os
import re
import socket
import struct
import zlib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.artifact import Image
from ore.errors import ToolError
from ore.ext.tools.files import files
from ore.ext.tools.files.patience import Patience
from ore.ext.tools.files.window import MAX_BYTES, Window, window
from ore.ext.tools.pictures import LARGEST_BYTES, measured
from ore.ext.tools.sandboxes import HostSandbox
from tools.files.use import sparse, used

# ── Lines ────────────────────────────────────────────────────────────────────


async def test_lines_come_with_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n\nthree")
    result = await used(tmp_path, "read_file", path="a.txt")
    assert (result.content, result.is_error) == ("1|one\n2|\n3|three", False)


@pytest.mark.parametrize(
    ("offset", "limit", "content"),
    [
        (1, 2, "1|a\n2|b\n[lines 1 to 2 of 4; the next ones: offset=3]"),
        (3, 2, "3|c\n4|d"),
        (3, None, "3|c\n4|d"),
        (0, 0, "1|a\n2|b\n3|c\n4|d"),
        (-5, -1, "1|a\n2|b\n3|c\n4|d"),
        (5, None, "[a: it has 4 lines, so there is none from 5 on]"),
        (10**30, 1, f"[a: it has 4 lines, so there is none from {10**30} on]"),
    ],
)
async def test_a_part_is_what_was_asked_for(tmp_path: Path, offset: int, limit: int | None, content: str) -> None:
    (tmp_path / "a").write_text("a\nb\nc\nd\n")
    assert (await used(tmp_path, "read_file", path="a", offset=offset, limit=limit)).content == content


async def test_an_empty_file_is_said_to_be_empty(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    assert (await used(tmp_path, "read_file", path="a")).content == "[it is empty]"


@pytest.mark.requirement("D-files-next")
async def test_the_parts_of_a_long_file_are_all_of_it(tmp_path: Path) -> None:
    """Also when the next offset that a part names begins in the middle of the file."""
    lines = [f"{n} " + "x" * (n % 97) for n in range(1, 7_001)]
    (tmp_path / "a").write_text("\n".join(lines) + "\n")
    seen: list[str] = []
    while len(seen) < len(lines):
        content = (await used(tmp_path, "read_file", path="a", offset=len(seen) + 1)).content
        assert len(content) < MAX_BYTES + 100
        part = [line.partition("|") for line in content.split("\n") if not line.startswith("[")]
        assert [int(number) for number, _, _ in part] == list(range(len(seen) + 1, len(seen) + 1 + len(part)))
        seen += [text for _, _, text in part]
        assert f"of 7000; the next ones: offset={len(seen) + 1}]" in content or len(seen) == len(lines)
    assert seen == lines


@pytest.mark.requirement("D-files-next")
async def test_a_line_that_is_too_long_is_cut_and_the_next_one_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("short\n" + "é" * 100_000 + "\nafter")
    first = await used(tmp_path, "read_file", path="a")
    assert first.content == "1|short\n[lines 1 to 1 of 3; the next ones: offset=2]"
    second = (await used(tmp_path, "read_file", path="a", offset=2)).content
    assert second.startswith("2|éé") and len(second.encode()) < MAX_BYTES + 200
    assert second.endswith("…\n[line 2 is longer than what is shown of it; lines 2 to 2 of 3; the next ones: offset=3]")
    assert (await used(tmp_path, "read_file", path="a", offset=3)).content == "3|after"


def patience() -> Patience:
    return Patience(20)


@given(st.binary(max_size=400), st.integers(1, 12), st.integers(1, 12), st.lists(st.integers(0, 400)))
def test_however_a_text_is_cut_into_blocks_its_lines_are_the_same(
    text: bytes, first: int, limit: int, cuts: list[int]
) -> None:
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    blocks = [text[a:b] for a, b in pairwise(places)]
    whole = window(iter([text]), first, limit, patience())
    assert window(iter(blocks), first, limit, patience()) == whole
    ends = text.split(b"\n")
    lines = ends[:-1] if ends[-1] == b"" else ends
    assert whole.total == len(lines)
    assert len(whole.lines) == len(lines[first - 1 : first - 1 + limit])
    assert whole.is_last == (first - 1 + limit >= len(lines))


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=9), min_size=1, max_size=9))
def test_lines_of_text_come_as_they_are(lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines).encode()
    assert window(iter([text]), 1, 99, patience()) == Window(first=1, lines=lines, total=len(lines))


# ── Encodings ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
async def test_text_is_read_in_each_encoding_that_it_names(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a").write_bytes("Grüße\r\n你好 🎉\r\n".encode(encoding))
    assert (await used(tmp_path, "read_file", path="a")).content == "1|Grüße\n2|你好 🎉"


@pytest.mark.requirement("B57", "D-files-inert")
async def test_bytes_that_are_no_text_have_a_sign_in_their_place(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"caf\xe9 \xed\xa0\x80\n")
    content = (await used(tmp_path, "read_file", path="a")).content
    assert content.startswith("1|caf� ") and "bytes that are no UTF-8" in content
    content.encode()


@pytest.mark.requirement("D-files-inert")
async def test_control_characters_do_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 9_000 + b"\n\x1b[2J\x1b]0;t\x07 \x00 \r \x9b31m\xc2\x9b \x7f\n")
    result = await used(tmp_path, "read_file", path="a", offset=2)
    assert result.content.startswith("2|␛[2J␛]0;t␇ ␀ ␍ �31m� ␡")
    assert not set(result.for_human()) & {"\x1b", "\x07", "\x00", "\r", "\x9b", "\x7f"}


async def test_a_name_is_told_on_one_line(tmp_path: Path) -> None:
    result = await used(tmp_path, "read_file", path="no\n\x1b[31msuch")
    assert result.is_error and "\x1b" not in result.content and "\n\x1b" not in result.content


# ── What is no text ──────────────────────────────────────────────────────────


@pytest.mark.requirement("D-files-binary")
@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("a.bin", b"\0\1\2\3", "[a.bin] (application/octet-stream, 4 bytes)"),
        ("a.pdf", b"%PDF-1.7\n", "[a.pdf] (application/pdf, 9 bytes)"),
        ("a.zip", b"PK\3\4\0\0", "[a.zip] (application/zip, 6 bytes)"),
    ],
)
async def test_a_binary_file_is_named_with_its_type_and_size(tmp_path: Path, name: str, data: bytes, told: str) -> None:
    (tmp_path / name).write_bytes(data)
    result = await used(tmp_path, "read_file", path=name)
    assert result.content.startswith(told) and "it is no text" in result.content


def png(width: int = 1, height: int = 1) -> bytes:
    """A picture whose head says so; only of 1 × 1 it holds what it says."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")


JPEG = b"\xff\xd8\xff\xe0\0\4ab\xff\xc0\0\x0b\x08\0\x20\0\x10\1\1\x11\0\xff\xd9"
GIF = b"GIF89a\x10\0\x20\0\0\0\0;"
WEBP = b"RIFF\x1e\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x0f\0\0\x1f\0\0"


@pytest.mark.requirement("D-files-pictures")
@pytest.mark.parametrize(
    ("data", "media_type"),
    [(png(), "image/png"), (JPEG, "image/jpeg"), (GIF, "image/gif"), (WEBP, "image/webp")],
)
async def test_a_picture_comes_as_one_whatever_its_name(tmp_path: Path, data: bytes, media_type: str) -> None:
    (tmp_path / "a.txt").write_bytes(data)
    result = await used(tmp_path, "read_file", path="a.txt")
    assert result.media == (Image(media_type=media_type, name="a.txt", size_bytes=len(data), data=data),)


@pytest.mark.parametrize("data", [JPEG, GIF, WEBP, png(16, 32)])
def test_a_picture_says_how_large_it_is(data: bytes) -> None:
    assert measured(data) == (16, 32)
    for end in range(len(data)):
        measured(data[:end])


@pytest.mark.requirement("D-files-pictures")
async def test_a_picture_that_no_vendor_takes_is_refused(tmp_path: Path) -> None:
    (tmp_path / "wide.png").write_bytes(png(100_000, 100_000))
    (tmp_path / "large.png").write_bytes(png() + bytes(LARGEST_BYTES))
    wide = await used(tmp_path, "read_file", path="wide.png")
    assert wide.is_error and "100000 × 100000" in wide.content
    large = await used(tmp_path, "read_file", path="large.png")
    assert large.media is None and f"larger than {LARGEST_BYTES} bytes" in large.content


# ── What has no end, or holds others up ──────────────────────────────────────


@pytest.mark.requirement("D-files-ends")
async def test_ten_gigabytes_are_read_as_far_as_they_are_shown(tmp_path: Path) -> None:
    sparse(tmp_path / "empty", b"")
    sparse(tmp_path / "text", b"a line\n" * 2_000)
    assert "10737418240 bytes): it is no text" in (await used(tmp_path, "read_file", path="empty")).content
    content = (await used(tmp_path, "read_file", path="text")).content
    assert content.endswith("2000|a line\n[lines 1 to 2000; the next ones: offset=2001]")
    long = (await used(tmp_path, "read_file", path="text", offset=2_001)).content
    assert long.startswith("2001|␀␀") and len(long.encode()) < MAX_BYTES + 200


@pytest.mark.requirement("D-files-ends")
def test_a_line_far_behind_is_given_up_in_time(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="line 9 was not reached"):
        window(iter([b"a" * 9] * 9), 9, 1, Patience(0))


@pytest.mark.requirement("D-files-special")
@pytest.mark.parametrize("name", ["read_file", "edit_file", "write_file", "search_files"])
@pytest.mark.parametrize("kind", ["FIFO", "socket", "device", "directory"])
async def test_what_is_no_file_holds_nobody_up(tmp_path: Path, name: str, kind: str) -> None:
    path = tmp_path / "thing"
    if kind == "FIFO":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(os.fspath(path))
    elif kind == "directory":
        path.mkdir()
    else:
        _device(path)
    extra: dict[str, dict[str, Any]] = {
        "edit_file": {"old": "a", "new": "b"},
        "write_file": {"content": "a"},
        "search_files": {"pattern": "a"},
    }
    result = await used(tmp_path, name, path="thing", **extra.get(name, {}))
    if (name, kind) != ("search_files", "directory"):
        assert result.is_error and f"a {kind}" in result.content


def _device(path: Path) -> None:
    try:
        os.mknod(path, 0o020666, os.makedev(1, 5))  # as /dev/zero, which has no end
    except PermissionError:
        pytest.skip("making a device needs root")


@pytest.mark.requirement("D-files-special")
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="there is no /proc")
async def test_files_that_claim_to_be_empty_are_read(tmp_path: Path) -> None:
    """Those of /proc have no size, and some of them no end."""
    tools = files(HostSandbox(tmp_path))
    content = (await used(tmp_path, "read_file", tools=tools, path="/proc/self/status")).content
    assert content.startswith("1|Name:")
    assert (await used(tmp_path, "read_file", tools=tools, path="/proc/self/mem")).is_error
    found = await used(tmp_path, "search_files", tools=tools, path="/proc/self/status", pattern="^Pid:")
    assert re.fullmatch(r"/proc/\d+/status:\d+: Pid:\t\d+", found.content)


@pytest.mark.parametrize("path", ["setings.py", "SETTINGS.PY", "Settings.py"])
async def test_a_name_that_was_mistyped_is_told_what_is_there(tmp_path: Path, path: str) -> None:
    (tmp_path / "settings.py").touch()
    result = await used(tmp_path, "read_file", path=path)
    assert result.content.endswith("no such file; there is: settings.py")
