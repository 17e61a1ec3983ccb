"""What stands at an address comes as a model can take it, in bounded time and memory."""

import asyncio
import json
import subprocess
import sys
import time
import tracemalloc
import zlib
from collections.abc import Mapping
from pathlib import Path

import pytest

from app.script import answer, call
from ore import Agent
from ore._extras import install_line
from ore.artifact import Image
from ore.event import Answer, Question
from ore.ext.tools.fetch import fetch, page_program
from ore.ext.tools.fetch.charset import decoded
from ore.ext.tools.fetch.download import LIMIT_BYTES
from ore.ext.tools.fetch.inflating import Inflating
from ore.ext.tools.fetch.pages import page_text
from ore.ext.tools.fetch.tool import Page
from ore.ledger import MemoryStore
from ore.testing import ScriptedProvider
from peak import growth
from providers.loopback import Exchange, serving
from tools.fetch.get import HTML, got, page
from tools.files.test_reading import GIF, JPEG, WEBP, png

TEXT = {"content-type": "text/plain"}

SAMPLE = """<!doctype html><html><head><title>Fish &amp; chips</title><style>p { color: red }</style>
<script>alert("script")</script></head><body><h1>Menu</h1><p>Cod, <em>fresh</em>, by <a href="../cod">the sea</a>.</p>
<p hidden>hidden text</p><ul><li>one<li>two</ul><table><tr><th>a<th>b<tr><td>1<td>2</table>
<pre>x  =  1\ny = 2</pre></body></html>"""


@pytest.mark.requirement("D-fetch-markdown")
async def test_a_page_comes_as_markdown() -> None:
    async with serving(page(SAMPLE)) as server:
        result = await got(f"{server.url}/deep/menu.html")
        url = server.url
    head, _, text = result.content.partition("\n\n")
    assert head == f"{url}/deep/menu.html (text/html, {len(SAMPLE)} bytes)\nFish & chips"
    assert text.startswith(f"# Menu\n\nCod, *fresh*, by [the sea]({url}/cod).")
    assert "- one\n- two" in text and "| 1 | 2 |" in text and "x  =  1\ny = 2" in text
    assert not {"script", "hidden", "color"} & set(text.replace('"', " ").split())


@pytest.mark.requirement("D-fetch-markdown")
async def test_without_the_library_it_comes_as_plain_text_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ore.ext.tools.fetch.pages.LIBRARY", "no_such_library")
    async with serving(page(SAMPLE)) as server:
        content = (await got(server.url)).content
    assert f"run `{install_line('fetch')}`" in content
    assert "Menu\n\nCod, fresh, by the sea." in content and "x  =  1\ny = 2" in content
    assert "alert" not in content and "color" not in content and "<" not in content.partition("\n\n")[2]


async def test_a_page_can_be_had_as_it_is() -> None:
    async with serving(page(SAMPLE)) as server:
        assert (await got(server.url, raw=True)).content.endswith(SAMPLE)


@pytest.mark.parametrize(
    ("media_type", "body"),
    [
        ("text/plain", "a < b & c"),
        ("application/json; charset=utf-8", '{"a": ["é", null]}'),
        ("application/ld+json", "{}"),
        ("text/markdown", "# a\n<b>"),
        ("image/svg+xml", "<svg/>"),
        ("application/octet-stream", "only text"),
    ],
)
async def test_text_comes_as_it_is(media_type: str, body: str) -> None:
    async with serving(page(body, {"content-type": media_type})) as server:
        assert (await got(server.url)).content.partition("\n\n")[2] == body


async def test_a_page_that_does_not_say_what_it_is_is_looked_at() -> None:
    async with serving(page(SAMPLE, {"x-nothing": "y"})) as server:
        assert "# Menu" in (await got(server.url)).content


# ── What it is written in ────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("data", "declared", "text"),
    [
        ("Grüße".encode(), "", "Grüße"),
        ("Grüße".encode("latin-1"), "", "Grüße"),
        ("Grüße".encode("latin-1"), "ISO-8859-1", "Grüße"),
        ("“x”".encode("cp1252"), "latin1", "“x”"),
        ("Привет".encode("koi8-r"), "KOI8-R", "Привет"),
        ("日本".encode("shift_jis"), "Shift_JIS", "日本"),
        ("é".encode("utf-16"), "latin-1", "é"),
        ("é".encode("utf-8-sig"), "latin-1", "é"),
        (b"<meta charset='windows-1251'>" + "Привет".encode("cp1251"), "", "<meta charset='windows-1251'>Привет"),
        (b'<?xml version="1.0" encoding="euc-jp"?>' + "日".encode("euc-jp"), "", None),
        (b"+ADw-script+AD4-", "utf-7", "+ADw-script+AD4-"),
        (b"x\xff", "no-such-charset", "xÿ"),
        (b"x\xff", "utf-8", "x\ufffd"),
        (b"x", "idna", "x"),
        ("日本".encode()[:4], "", "日\ufffd"),
    ],
)
def test_text_is_read_in_what_it_is_written_in(data: bytes, declared: str, text: str | None) -> None:
    read = decoded(data, declared, marked_up=data.startswith(b"<"))
    assert read == text if text is not None else read.endswith("日")


@pytest.mark.requirement("D-fetch-inert")
async def test_control_characters_do_nothing() -> None:
    async with serving(page(b"a\x1b[2J\r\nb\rc\x07\xc2\x9b31m", TEXT)) as server:
        result = await got(f"{server.url}/")
        assert result.content.partition("\n\n")[2] == "a␛[2J\nb\nc␇�31m"
    async with serving(page(b"<title>a\x1b[2J</title>b\x1b]0;x\x07")) as server:
        assert not {"\x1b", "\x07"} & set((await got(server.url)).content)


# ── Pictures and the rest ────────────────────────────────────────────────────


@pytest.mark.requirement("D-fetch-pictures")
@pytest.mark.parametrize(
    ("data", "media_type"),
    [(png(), "image/png"), (JPEG, "image/jpeg"), (GIF, "image/gif"), (WEBP, "image/webp"), (png(), "text/html")],
)
async def test_a_picture_comes_as_one(data: bytes, media_type: str) -> None:
    async with serving(page(data, {"content-type": media_type})) as server:
        result = await got(f"{server.url}/a/pic.x?y=1")
    assert result.media is not None
    [image] = result.media
    assert isinstance(image, Image) and (image.data, image.name) == (data, "pic.x")


@pytest.mark.requirement("D-fetch-pictures")
async def test_a_picture_that_no_vendor_takes_is_refused() -> None:
    async with serving(page(png(20_000, 1), {"content-type": "image/png"})) as server:
        assert "20000 × 1" in (await got(server.url)).content
    async with serving(page(png() + bytes(LIMIT_BYTES), {"content-type": "image/png"})) as server:
        result = await got(server.url)
    assert result.is_error and result.media is None


@pytest.mark.parametrize("media_type", ["application/pdf", "video/mp4", "application/zip", "image/png", "font/woff2"])
async def test_what_is_no_text_is_named_and_not_read(media_type: str) -> None:
    async def answering(exchange: Exchange) -> None:
        exchange.raw(f"HTTP/1.1 200 OK\r\ncontent-type: {media_type}\r\ncontent-length: 12345\r\n\r\n".encode())
        if media_type == "image/png":
            exchange.raw(b"x" * 12345)
        await exchange.gone.wait()

    async with serving(answering) as server:
        result = await got(f"{server.url}/a/b.bin")
    assert result.content.endswith(f"[b.bin] ({media_type}, 12345 bytes): it is no text, so it is not shown")


async def test_what_is_called_text_and_is_none_is_named() -> None:
    async with serving(page(b"\0\1\2" * 9, TEXT)) as server:
        assert "it is no text" in (await got(server.url)).content


@pytest.mark.parametrize("status", [403, 404, 500])
async def test_an_answer_that_is_an_error_comes_with_what_it_says(status: int) -> None:
    async with serving(page("<p>no such page", HTML, status)) as server:
        result = await got(server.url)
    assert result.is_error and "no such page" in result.content and f"the answer is {status} Status" in result.content


@pytest.mark.requirement("D-fetch-limits")
async def test_a_long_page_comes_in_parts_that_are_all_of_it() -> None:
    body = "".join(f"{n} {'é' * (n % 90)}\n" for n in range(4_000)) + "x" * 120_000
    async with serving(page(body, TEXT)) as server:
        seen = ""
        while True:
            content = (await got(server.url, offset=len(seen))).content.partition("\n\n")[2]
            assert len(content.encode()) < 50_200
            part, more, rest = content.rpartition("\n[")
            seen += part if more else content
            if not more:
                break
            assert rest == f"{len(seen)} of {len(body)} characters; the next ones: offset={len(seen)}]"
        assert seen == body
        assert f"[it has {len(body)} characters]" in (await got(server.url, offset=10**9)).content
        assert "é" in (await got(server.url, offset=-5)).content


def test_a_part_says_nothing_more_at_its_end() -> None:
    assert Page(head="h", part="bc", first=1, total=3).for_model() == "h\n\nbc"
    assert Page(head="h", part="", total=0).for_model() == "h\n\n[it is empty]"


# ── What has no end ──────────────────────────────────────────────────────────


@pytest.mark.requirement("D-fetch-limits")
async def test_a_body_without_end_is_read_as_far_as_it_may_be() -> None:
    async def answering(exchange: Exchange) -> None:
        exchange.raw(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n" + b"endless " * (LIMIT_BYTES // 4))
        await exchange.gone.wait()

    async with serving(answering) as server:
        content = (await got(server.url)).content
        await server.empty()
    assert f"[only its first {LIMIT_BYTES} bytes were read]" in content and "offset=" in content


def packed(data: bytes, encoding: str) -> bytes:
    wbits = {"gzip": 31, "x-gzip": 31, "deflate": 15, "raw": -15}[encoding]
    packing = zlib.compressobj(wbits=wbits)
    return packing.compress(data) + packing.flush()


@pytest.mark.requirement("D-fetch-limits")
@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "deflate", "raw"])
async def test_what_is_packed_is_unpacked(encoding: str) -> None:
    """Some servers leave out the head that deflate has."""
    headers = {**TEXT, "content-encoding": "deflate" if encoding == "raw" else encoding}
    async with serving(page(packed(b"some text " * 9, encoding), headers)) as server:
        assert (await got(server.url)).content.endswith("some text " * 9)


@pytest.mark.requirement("D-fetch-bombs")
async def test_of_what_is_packed_very_small_only_so_much_is_unpacked() -> None:
    bomb = packed(b"a" * (64 << 20), "gzip")
    assert len(bomb) < 100_000
    inflating = Inflating("gzip", 1_000)
    tracemalloc.start()
    try:
        assert (len(inflating.take(bomb)), inflating.is_full) == (1_000, True)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
    async with serving(page(bomb, {**TEXT, "content-encoding": "gzip"})) as server:
        assert f"[only its first {LIMIT_BYTES} bytes were read]" in (await got(server.url)).content


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"content-encoding": "br"}, b"x"),
        ({"content-encoding": "gzip, gzip"}, b"x"),
        ({"content-encoding": "gzip"}, b"no gzip"),
    ],
)
async def test_what_is_packed_in_another_way_is_an_error(headers: Mapping[str, str], body: bytes) -> None:
    async with serving(page(body, {**TEXT, **headers})) as server:
        result = await got(server.url)
    assert result.is_error and "packed" in result.content


@pytest.mark.requirement("D-fetch-limits")
@pytest.mark.parametrize("how", ["silent", "drip", "head"])
async def test_a_server_that_takes_its_time_is_given_up(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ore.ext.tools.fetch.tool.FETCH_S", 0.3)

    async def answering(exchange: Exchange) -> None:
        if how == "drip":
            exchange.head(headers=TEXT)
        if how == "head":
            exchange.raw(b"HTTP/1.1 200 OK\r\nx-a: b")
        if how == "drip":
            exchange.send(b"a")
        await exchange.gone.wait()

    async with serving(answering) as server:
        result = await got(server.url)
        await server.empty()
    assert result.is_error and "it took more than 0.3 s" in result.content


@pytest.mark.parametrize("raw", [b"no http at all\r\n\r\n", b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nx", b""])
async def test_an_answer_that_is_none_is_an_error(raw: bytes) -> None:
    async def answering(exchange: Exchange) -> None:
        exchange.raw(raw)
        exchange.close()

    async with serving(answering) as server:
        assert (await got(server.url)).is_error


DEEP = [
    "<div>" * 100_000 + "x",
    "<blockquote>" * 250 + "x\n" * 9_000,
    "<ul><li>" * 30_000 + "x",
    "<table><tr><td>" * 9_000,
]
WIDE = ["<a " * 300_000, "<!--" * 300_000, "<" * 900_000, "&" * 900_000, "<p>" * 300_000 + "x", "</" * 300_000]


@pytest.mark.requirement("D-fetch-bombs")
@pytest.mark.parametrize("html", DEEP + WIDE, ids=lambda html: html[:12])
@pytest.mark.parametrize("library", ["html_to_markdown", "no_such_library"])
async def test_no_page_takes_longer_than_it_may(html: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ore.ext.tools.fetch.pages.READ_S", 1.0)
    monkeypatch.setattr("ore.ext.tools.fetch.pages.LIBRARY", library)
    began = time.monotonic()
    async with serving(page(html)) as server:
        with growth() as grown_bytes:
            result = await got(server.url)
            assert grown_bytes() < 200 << 20
    assert time.monotonic() - began < 10
    assert len(result.content) < 51_000


def failing_program(folder: Path) -> Path:
    """The one that reads pages, with a library that fails."""
    program = folder / "program.py"
    working = Path(page_program.__file__).read_text()
    program.write_text(working.replace("from html_to_markdown import", "from library_that_fails import"))
    return program


@pytest.mark.requirement("D-fetch-bombs")
async def test_a_page_that_takes_too_long_is_given_up_with_its_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ore.ext.tools.fetch.pages.READ_S", 0.1)
    monkeypatch.setattr("ore.ext.tools.fetch.pages.LIBRARY", "no_such_library")
    async with asyncio.timeout(4), serving(page("<a " * 300_000)) as server:
        result = await got(server.url)
    assert result.is_error and "could not be read in 0.1 s; raw=true gives it as it is" in result.content


@pytest.mark.requirement("D-fetch-bombs")
async def test_a_page_that_breaks_the_library_is_plain_text(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("ore.ext.tools.fetch.pages._PROGRAM", failing_program(tmp_path))
    read = await page_text("<title>t</title><p>some text", "http://x/")
    assert (read.text, read.title) == ("some text", "t")
    assert read.notice == "read as plain text: it could not be made Markdown"


def test_the_network_is_loaded_with_the_first_page() -> None:
    code = (
        "import sys, ore.ext.tools.fetch as f; f.tools(); sys.exit('aiohttp' in sys.modules or 'yarl' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=15).returncode == 0


async def test_a_person_may_see_each_address_first() -> None:
    asked: list[str | None] = []

    async def deny(question: Question) -> Answer:
        asked.append(question.arguments)
        return Answer(key=question.key, decision="deny")

    async with serving(page("reached")) as server:
        script = call("fetch", json.dumps({"url": server.url}))
        agent = Agent(ScriptedProvider(script, answer("ok")), tools=[fetch(allow=["127.0.0.1"], approve=True)])
        await agent.run("go", store=MemoryStore(), on_question=deny)
        assert server.opened == 0
        assert asked == [json.dumps({"url": server.url})]
