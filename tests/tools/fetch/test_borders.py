"""Only public addresses are asked, however they are written, named or led to; nothing is told of whoever asks."""

import asyncio
import ssl
from collections.abc import Sequence
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.errors import InputError, ToolError
from ore.ext.tools.fetch import fetch
from ore.ext.tools.fetch.addresses import Addresses, why_not
from ore.ext.tools.fetch.urls import checked
from providers import test_transport
from providers.loopback import Exchange, serving
from tools.fetch.get import got, page, path_of, serves

# ── Addresses ────────────────────────────────────────────────────────────────

REFUSED = [
    *("0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254"),
    *("169.254.169.254", "169.254.0.1", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.168.1.1"),
    *("198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255"),
    *("168.63.129.16", "192.88.99.1"),
    *("::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0:7f00:1"),
    *(
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::1",
        "100::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "2002:a00:1::",
    ),
    *("2001:0:0:0:0:0:80ff:fffe", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%1", "fec0::1", "ff02::1", "4000::1"),
]
PUBLIC = ["1.1.1.1", "93.184.216.34", "172.32.0.1", "2606:4700::1111", "64:ff9b::101:101", "2002:101:101::1"]


@pytest.mark.requirement("D-fetch-addresses")
@pytest.mark.parametrize("address", REFUSED)
def test_an_address_that_is_not_public_is_not_asked(address: str) -> None:
    assert why_not(ip_address(address))
    with pytest.raises(ToolError, match="expected a public address"):
        Addresses().check("name.test", ["1.1.1.1", address])


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_may_be_asked(address: str) -> None:
    assert why_not(ip_address(address)) == ""


@pytest.mark.requirement("D-fetch-addresses")
@given(st.sampled_from(["10.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "192.168.0.0/16", "172.16.0.0/12"]), st.data())
def test_no_address_of_a_private_network_is_asked_in_any_dress(network: str, data: st.DataObject) -> None:
    chosen = ip_network(network)
    number = data.draw(st.integers(int(chosen.network_address), int(chosen.broadcast_address)))
    four = ip_address(number)
    high, low = number >> 16, number & 0xFFFF
    for dress in (f"{four}", f"::ffff:{four}", f"64:ff9b::{high:x}:{low:x}", f"2002:{high:x}:{low:x}::1"):
        assert why_not(ip_address(dress))


@pytest.mark.parametrize(
    ("allow", "host", "address", "may"),
    [
        (("127.0.0.1",), "a.test", "127.0.0.1", True),
        (("127.0.0.1",), "a.test", "127.0.0.2", False),
        (("10.1.0.0/16",), "a.test", "10.1.2.3", True),
        (("10.1.0.0/16",), "a.test", "10.2.2.3", False),
        (("Wiki.Internal",), "wiki.internal.", "10.9.9.9", True),
        (("wiki.internal",), "evil.wiki.internal", "10.9.9.9", False),
        (("[::1]",), "::1", "::1", True),
        ((), "localhost", "127.0.0.1", False),
    ],
)
def test_what_is_allowed_by_name_may_be_asked_and_nothing_beside_it(
    allow: Sequence[str], host: str, address: str, may: bool
) -> None:
    if may:
        Addresses(allow).check(host, [address])
    else:
        with pytest.raises(ToolError):
            Addresses(allow).check(host, [address])


@pytest.mark.parametrize("item", ["", "http://x", "host:80", "10.0.0.0/99"])
def test_what_can_be_no_host_is_not_allowed(item: str) -> None:
    with pytest.raises(InputError, match="expected a host"):
        fetch(allow=[item])


# ── How they are written ─────────────────────────────────────────────────────

NOT_ASKED = [
    *(
        "file:///etc/passwd",
        "ftp://example.com/",
        "javascript:alert(1)",
        "data:text/html,x",
        "gopher://x/",
        "//x/y",
        "x",
    ),
    *("http://user:secret@{here}/", "http://user@{here}/", "http://@{here}/", "http://{here}@evil.test/", "http:///x"),
    *("http://evil.test\\@{here}/", "http://{here}/\r\nX: y", "http://{here}/a b", "http://{here}\t/", "http://[::1/"),
    *(
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://0x7f.0.0.1/",
        "http://0/",
    ),
    *(
        "http://127.0.0.1:{port}/",
        "http://[::1]:{port}/",
        "http://[::ffff:127.0.0.1]:{port}/",
        "http://localhost:{port}/",
    ),
    *("http://①②⑦.0.0.1:{port}/", "http://127。0。0。1:{port}/", "http://localhost.:{port}/", "http://[::]:{port}/"),
    *("http://0.0.0.0:{port}/", "http://[fe80::1%25lo]:{port}/", "http://[::ffff:7f00:1]:{port}/", "http://{here}:0/"),
    *(
        "",
        " ",
        "http://",
        "http://h%00/",
        "http://a..b/",
        "https://" + "a" * 9_000,
        "http://x:99999/",
        "http://\u200b/",
    ),
    *("http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/", "http://metadata.test:{port}/"),
]


@pytest.mark.requirement("D-fetch-addresses")
@pytest.mark.parametrize("url", NOT_ASKED)
async def test_however_it_is_written_it_is_not_asked(url: str) -> None:
    async def lookup(host: str, port: int) -> Sequence[str]:
        return {"metadata.test": ["169.254.169.254"]}.get(host, ["127.0.0.1"])

    async with serving(page("reached")) as server:
        told = url.format(port=server.port, here=f"127.0.0.1:{server.port}")
        result = await got(told, allow=(), lookup=lookup)
        assert server.opened == 0
    assert result.is_error and "reached" not in result.content and "secret" not in result.content


@given(st.text(st.sampled_from("htps:/@#?[]\\%.10xa-é \n\0①"), max_size=30))
def test_any_text_is_an_address_or_refused(text: str) -> None:
    try:
        url = checked(text)
    except ToolError:
        return
    assert url.scheme in ("http", "https") and url.raw_host and url.raw_user is None


# ── Where they lead ──────────────────────────────────────────────────────────


@pytest.mark.requirement("D-fetch-redirects")
@pytest.mark.parametrize(
    "location",
    [
        *(
            "http://127.0.0.2:{port}/secret",
            "//127.0.0.2:{port}/secret",
            "http://[::1]:{port}/secret",
            "file:///etc/passwd",
        ),
        *("http://user:pass@127.0.0.1:{port}/secret", "http://2130706434:{port}/", "http://localhost:{port}/secret"),
        *(
            "javascript:alert(1)",
            "http://169.254.169.254/",
            "http://evil.test:{port}/secret",
            "\\\\127.0.0.2\\x",
        ),
    ],
)
async def test_no_redirect_leads_where_one_may_not_go(location: str) -> None:
    async def lookup(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.2"]

    async def answering(exchange: Exchange) -> None:
        if path_of(exchange) == "/secret":
            exchange.whole(b"the secret")
        else:
            where = location.format(port=server.port)
            exchange.whole(b"", status=302, headers={"location": where})

    async with serving(answering) as server:
        result = await got(f"{server.url}/", lookup=lookup)
        assert [path_of(exchange) for exchange in server.requests] == ["/"]
    assert result.is_error and "the secret" not in result.content and "root:" not in result.content


@pytest.mark.requirement("D-fetch-redirects")
@pytest.mark.parametrize(("hops", "ends"), [(5, True), (6, False)])
async def test_redirects_are_followed_up_to_five(hops: int, ends: bool) -> None:
    async def answering(exchange: Exchange) -> None:
        at = int(path_of(exchange)[1:])
        if at == hops:
            exchange.whole(b"the end", headers={"content-type": "text/plain"})
        else:
            status = (301, 302, 303, 307, 308)[at % 5]
            exchange.whole(b"", status=status, headers={"location": f"{at + 1}"})

    async with serving(answering) as server:
        result = await got(f"{server.url}/0#fragment")
        assert len(server.requests) == 6
    assert result.is_error is not ends
    assert ("the end" in result.content) is ends
    assert ends or "at most 5 redirects" in result.content


@pytest.mark.requirement("D-fetch-rebinding")
async def test_a_name_is_looked_up_once_and_what_was_checked_is_asked() -> None:
    """Another answer a moment later leads nowhere: nobody asks again."""
    answers = [["127.0.0.1"], ["127.0.0.2"]]
    asked: list[str] = []

    async def lookup(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return answers[min(len(asked) - 1, 1)]

    async with serving(page("here")) as server:
        result = await got(f"http://rebinding.test:{server.port}/", lookup=lookup)
        assert asked == ["rebinding.test"]
        assert not result.is_error and "here" in result.content
        assert server.requests[0].headers["host"] == f"rebinding.test:{server.port}"


@pytest.mark.requirement("D-fetch-rebinding")
async def test_a_name_that_changes_between_two_redirects_is_refused() -> None:
    asked: list[str] = []

    async def lookup(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["127.0.0.1", "127.0.0.2"]

    async with serving(serves({"/": (302, {"location": "/next"}), "/next": "reached"})) as server:
        result = await got(f"http://rebinding.test:{server.port}/", lookup=lookup)
        assert [path_of(exchange) for exchange in server.requests] == ["/"]
    assert result.is_error and asked == ["rebinding.test"] * 2


# ── What is told of whoever asks ─────────────────────────────────────────────


@pytest.mark.requirement("D-fetch-credentials")
async def test_nothing_is_sent_that_names_anybody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".netrc").write_text("machine site.test login me password canary\n")
    (tmp_path / ".netrc").chmod(0o600)
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://canary:canary@127.0.0.1:1")
    first = (302, {"location": "/next", "set-cookie": "id=canary; Path=/", "www-authenticate": "Basic realm=x"})

    async def lookup(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"]  # a host with a name: those that are addresses get no cookies anyway

    async with serving(serves({"/": first, "/next": "done"})) as server:
        assert "done" in (await got(f"http://site.test:{server.port}/?q=canary", lookup=lookup)).content
        sent = [exchange.headers for exchange in server.requests]
    assert len(sent) == 2
    for headers in sent:
        assert set(headers) == {"host", "user-agent", "accept", "accept-encoding", "connection"}
        assert "canary" not in str(headers)


async def test_a_certificate_that_nobody_vouches_for_is_refused() -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(test_transport.CERTIFICATE)
    async with serving(page("reached"), tls=context) as server:
        result = await got(server.url)
    assert result.is_error and "no safe connection" in result.content


async def test_a_call_that_is_cancelled_gives_its_connection_up() -> None:
    async def silent(exchange: Exchange) -> None:
        await exchange.gone.wait()

    async with asyncio.timeout(10), serving(silent) as server:
        task = asyncio.create_task(got(server.url))
        await server.asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await server.empty()
