"""The network by aiohttp, against servers of this machine."""

import asyncio
import gc
import ssl
import subprocess
import sys
import warnings
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path

import pytest

from ore.errors import ConnectionFailedError, ProtocolError, ProviderError, ProviderTimeoutError
from ore.ext.providers.aiohttp_transport import AiohttpReply, AiohttpTransport
from ore.ext.providers.transport import Limits
from providers.loopback import Exchange, Server, serving, serving_in_a_thread

CERTIFICATE = Path(__file__).parent / "tls" / "server.pem"
LIMITS = Limits(connect_s=4, silence_s=4, total_s=8)
SOON = Limits(connect_s=4, silence_s=0.02, total_s=8)


async def post(
    transport: AiohttpTransport, url: str, body: bytes = b"{}", headers: Mapping[str, str] = {}, limits: Limits = LIMITS
) -> AiohttpReply:
    async with asyncio.timeout(5):
        return await transport.post(url, body, headers, limits)


async def blocks(reply: AiohttpReply) -> list[bytes]:
    async with asyncio.timeout(5):
        return [block async for block in reply]


async def got(transport: AiohttpTransport, url: str, limits: Limits = LIMITS) -> bytes:
    reply = await post(transport, url, limits=limits)
    return b"".join(await blocks(reply))


async def failure(url: str, limits: Limits = LIMITS) -> ProviderError:
    """What a request there fails with."""
    try:
        await got(AiohttpTransport(), url, limits)
    except ProviderError as error:
        return error
    raise AssertionError("expected a failure")


async def one_two(exchange: Exchange) -> None:
    exchange.whole(b"one", b"two")


async def one_and_no_more(exchange: Exchange) -> None:
    exchange.head()
    exchange.send(b"one")
    await exchange.gone.wait()


async def nothing(exchange: Exchange) -> None:
    await exchange.gone.wait()


async def test_status_headers_and_blocks_come_as_they_were_sent() -> None:
    more = asyncio.Event()

    async def answering(exchange: Exchange) -> None:
        exchange.head(418, {"X-Request-ID": "r1", "Content-Type": "text/plain"})
        exchange.send(b"one")
        await more.wait()
        exchange.send(b"two")
        exchange.end()

    async with serving(answering) as server:
        reply = await post(AiohttpTransport(), f"{server.url}/v1/talk?x=1", b'{"a":1}', {"x-api-key": "k"})
        assert (reply.status, reply.headers["x-request-id"], reply.headers["content-type"]) == (418, "r1", "text/plain")
        assert await anext(aiter(reply)) == b"one"
        more.set()
        assert await blocks(reply) == [b"two"]
    asked = server.requests[0]
    assert (asked.method, asked.target, asked.body) == ("POST", "/v1/talk?x=1", b'{"a":1}')
    assert (asked.headers["x-api-key"], asked.headers["accept-encoding"]) == ("k", "identity")


async def test_a_connection_is_used_again_once_its_answer_was_read() -> None:
    async with serving(one_two) as server:
        transport = AiohttpTransport()
        for _ in range(3):
            assert await got(transport, server.url) == b"onetwo"
        assert (len(server.requests), server.opened) == (3, 1)


async def test_a_body_of_megabytes_is_sent_without_a_warning() -> None:
    body = b'"' + b"x" * (3 << 20) + b'"'
    async with serving(one_two) as server:
        await blocks(await post(AiohttpTransport(), server.url, body))
    assert server.requests[0].body == body


async def test_cookies_are_not_kept() -> None:
    async def answering(exchange: Exchange) -> None:
        exchange.whole(b"x", headers={"set-cookie": "a=b"})

    async with serving(answering) as server:
        transport = AiohttpTransport()
        for _ in range(2):
            await got(transport, server.url)
    assert "cookie" not in server.requests[1].headers


async def test_a_redirect_is_an_answer_and_nothing_is_sent_on() -> None:
    async def answering(exchange: Exchange) -> None:
        exchange.whole(status=307, headers={"location": "/elsewhere"})

    async with serving(answering) as server:
        reply = await post(AiohttpTransport(), server.url)
        assert (reply.status, await blocks(reply), len(server.requests)) == (307, [], 1)


async def test_what_the_netrc_file_holds_is_not_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login ada password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    async with serving(one_two) as server:
        await got(AiohttpTransport(), server.url)
    assert "authorization" not in server.requests[0].headers


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
async def test_a_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    async with serving(one_two) as server:
        monkeypatch.setenv(variable, f"http://ada:secret@127.0.0.1:{server.port}")
        assert await got(AiohttpTransport(), "http://vendor.test/v1/talk") == b"onetwo"
    asked = server.requests[0]
    assert (asked.target, asked.headers["host"]) == ("http://vendor.test/v1/talk", "vendor.test")
    assert asked.headers["proxy-authorization"] == "Basic YWRhOnNlY3JldA=="


@pytest.mark.parametrize(("host", "no_proxy"), [("127.0.0.1", ""), ("localhost", "*")])
async def test_this_machine_is_never_asked_through_a_proxy(
    monkeypatch: pytest.MonkeyPatch, host: str, no_proxy: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", no_proxy)
    async with serving(one_two) as server:
        assert await got(AiohttpTransport(), f"http://{host}:{server.port}/") == b"onetwo"


@pytest.mark.parametrize(
    ("status", "again"), [(302, False), (403, False), (407, False), (408, True), (429, True), (502, True)]
)
async def test_a_proxy_that_refuses_is_named_without_its_password(
    monkeypatch: pytest.MonkeyPatch, status: int, again: bool
) -> None:
    """And is asked again only where that may help."""

    async def answering(exchange: Exchange) -> None:
        exchange.whole(status=status)

    async with serving(answering) as server:
        monkeypatch.setenv("HTTPS_PROXY", f"http://ada:secret@127.0.0.1:{server.port}")
        error = await failure("https://vendor.test/v1/talk")
    assert (type(error), error.retryable) == (ConnectionFailedError, again)
    told = f"no connection to https://vendor.test: the proxy at 127.0.0.1:{server.port} answered with status {status}; "
    assert str(error).startswith(told)
    assert not any(word in str(error) for word in ("ada", "secret"))


async def test_a_proxy_that_is_not_there_is_named_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://ada:secret@127.0.0.1:1")
    error = await failure("https://vendor.test/v1/talk")
    assert type(error) is ConnectionFailedError
    assert "no connection to https://vendor.test: the proxy at 127.0.0.1:1 gives no connection: " in str(error)
    assert not any(word in str(error) for word in ("ada", "secret"))


async def test_a_proxy_that_wants_a_password_is_told_from_the_server_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async def answering(exchange: Exchange) -> None:
        exchange.whole(status=407)

    async with serving(answering) as server:
        monkeypatch.setenv("HTTP_PROXY", f"http://ada:secret@127.0.0.1:{server.port}")
        error = await failure("http://vendor.test/v1/talk")
    assert (type(error), error.retryable) == (ConnectionFailedError, False)
    assert f"the proxy at 127.0.0.1:{server.port} answered with status 407" in str(error)
    assert not any(word in str(error) for word in ("ada", "secret"))


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("bytes_sent", [b"", b"\x05\x00\x00garbage\r\n\r\n", b"HTTP/1.1 200 Conn"])
async def test_what_fails_behind_a_proxy_names_it(
    monkeypatch: pytest.MonkeyPatch, scheme: str, bytes_sent: bytes
) -> None:
    async def answering(exchange: Exchange) -> None:
        if bytes_sent:
            exchange.raw(bytes_sent)
        exchange.close()

    async with serving(answering) as server:
        monkeypatch.setenv(f"{scheme.upper()}_PROXY", f"http://ada:secret@127.0.0.1:{server.port}")
        error = await failure(f"{scheme}://vendor.test/v1/talk")
    assert f"{scheme}://vendor.test through the proxy at 127.0.0.1:{server.port}" in str(error)
    assert not any(word in str(error) for word in ("ada", "secret"))


async def test_a_tunnel_that_closes_at_once_names_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    async def answering(exchange: Exchange) -> None:
        exchange.raw(b"HTTP/1.1 200 Connection established\r\n\r\n")
        exchange.close()

    async with serving(answering) as server:
        monkeypatch.setenv("HTTPS_PROXY", f"http://ada:secret@127.0.0.1:{server.port}")
        error = await failure("https://vendor.test/v1/talk")
    assert type(error) is ConnectionFailedError
    assert f"https://vendor.test through the proxy at 127.0.0.1:{server.port}" in str(error)


# ── What goes wrong ──────────────────────────────────────────────────────────


async def test_a_port_where_nobody_listens_is_said_with_advice() -> None:
    error = await failure("http://127.0.0.1:1/v1")
    assert type(error) is ConnectionFailedError
    assert str(error) == (
        "no connection to http://127.0.0.1:1: connection refused; is the address right, and does the server run?"
    )


async def test_a_host_that_has_no_address_is_said_with_advice() -> None:
    error = await failure("http://nowhere.invalid/v1")
    assert type(error) is ConnectionFailedError
    assert str(error).startswith("no connection to http://nowhere.invalid: its name cannot be looked up (")


async def test_a_certificate_that_nobody_vouches_for_is_refused_and_will_be() -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(CERTIFICATE)
    async with serving(one_two, tls=context) as server:
        error = await failure(server.url)
    assert (type(error), error.retryable, ConnectionFailedError.retryable) == (ConnectionFailedError, False, True)
    assert "TLS: its certificate is not trusted (self-signed certificate)" in str(error)
    assert "SSL_CERT_FILE" in str(error)
    assert server.requests == []


async def test_tls_to_a_server_that_speaks_none_is_said_with_advice() -> None:
    async def greeting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    listening = await asyncio.start_server(greeting, "127.0.0.1", 0)
    async with listening:
        error = await failure(f"https://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1")
    assert type(error) is ConnectionFailedError
    assert "TLS failed" in str(error)
    assert "is http:// meant?" in str(error)


async def test_a_server_that_speaks_something_else_breaks_the_protocol() -> None:
    async def answering(exchange: Exchange) -> None:
        exchange.raw(b"SSH-2.0-OpenSSH_9.2 my-secret-prompt\r\n")

    async with serving(answering) as server:
        error = await failure(server.url)
    assert type(error) is ProtocolError
    assert str(error).startswith(f"expected HTTP from {server.url}, got something else")


@pytest.mark.parametrize("way", ["reset", "close"])
async def test_a_connection_that_breaks_before_the_answer_is_said(way: str) -> None:
    async def answering(exchange: Exchange) -> None:
        getattr(exchange, way)()

    async with serving(answering) as server:
        error = await failure(server.url)
    assert type(error) is ConnectionFailedError
    assert "broke before an answer" in str(error)


@pytest.mark.parametrize("way", ["reset", "close"])
async def test_a_connection_that_breaks_inside_the_answer_gives_what_came_and_then_fails(way: str) -> None:
    read = asyncio.Event()

    async def answering(exchange: Exchange) -> None:
        exchange.head()
        exchange.send(b"one")
        await read.wait()
        getattr(exchange, way)()

    async with serving(answering) as server:
        reply = await post(AiohttpTransport(), server.url)
        assert await anext(aiter(reply)) == b"one"
        read.set()
        with pytest.raises(ConnectionFailedError, match="broke inside the answer"):
            await blocks(reply)


@pytest.mark.parametrize(
    ("encoding", "name"), [("gzip", "gzip"), ("deflate", "deflate"), ("br", "br"), ("zstd", "zstd")]
)
async def test_an_answer_that_cannot_be_unpacked_says_in_which_encoding_and_is_not_asked_for_again(
    encoding: str, name: str
) -> None:
    async def answering(exchange: Exchange) -> None:
        exchange.whole(b"data: my-secret-words\n\n", headers={"content-encoding": encoding})

    async with serving(answering) as server:
        transport = AiohttpTransport()
        with pytest.raises(ProviderError) as raised:
            await got(transport, server.url)
    assert (type(raised.value), raised.value.retryable) == (ProtocolError, False)
    assert "content-encoding" in str(raised.value)
    assert name in str(raised.value)
    assert "secret" not in str(raised.value)


@pytest.mark.requirement("D-http-limits")
@pytest.mark.parametrize("answering", [nothing, one_and_no_more])
async def test_silence_before_and_inside_an_answer_ends_it(answering: Callable[[Exchange], Awaitable[None]]) -> None:
    async with serving(answering) as server:
        error = await failure(server.url, SOON)
        await server.settled()
    assert type(error) is ProviderTimeoutError
    assert str(error) == f"no byte from {server.url} for 0.02 s; --timeout-s allows more"


async def only_early_hints(exchange: Exchange) -> None:
    exchange.raw(b"HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n")
    await exchange.gone.wait()


async def hints_without_end(exchange: Exchange) -> None:
    while not exchange.gone.is_set():
        exchange.raw(b"HTTP/1.1 102 Processing\r\n\r\n")
        await asyncio.sleep(0)


@pytest.mark.requirement("D-http-limits")
async def test_what_comes_before_the_head_of_an_answer_is_no_answer() -> None:
    async def answering(exchange: Exchange) -> None:
        exchange.raw(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n")
        exchange.whole(b"one")

    async with serving(answering) as server:
        transport = AiohttpTransport()
        assert [await got(transport, server.url) for _ in range(2)] == [b"one", b"one"]
    assert server.opened == 1


@pytest.mark.requirement("D-http-limits")
async def test_silence_behind_an_http_1xx_ends_it() -> None:
    async with serving(only_early_hints) as server:
        error = await failure(server.url, SOON)
        await server.settled()
    assert str(error) == f"no byte from {server.url} for 0.02 s; --timeout-s allows more"


@pytest.mark.requirement("D-http-limits")
async def test_heads_without_an_answer_are_cut_at_the_limit_of_all() -> None:
    async with serving(hints_without_end) as server:
        error = await failure(server.url, Limits(connect_s=4, silence_s=4, total_s=0.1))
        await server.settled()
    assert str(error) == f"the answer of {server.url} had not ended after 0.1 s in all"


@pytest.mark.requirement("D-http-limits")
async def test_an_answer_that_is_larger_than_any_is_given_up() -> None:
    async def answering(exchange: Exchange) -> None:
        exchange.head()
        while not exchange.gone.is_set():
            exchange.send(b"x" * 1000)
            await asyncio.sleep(0)

    async with serving(answering) as server:
        error = await failure(server.url, Limits(connect_s=4, silence_s=4, total_s=8, answer_bytes=10_000))
        await server.settled()
    assert type(error) is ProtocolError
    assert f"at most 10000 bytes from {server.url}, got more" in str(error)


async def test_silence_counts_only_while_somebody_waits() -> None:
    """A reader may take its time; that is not the server's fault."""
    read = asyncio.Event()

    async def answering(exchange: Exchange) -> None:
        exchange.head()
        exchange.send(b"one")
        await read.wait()
        exchange.send(b"two")
        exchange.end()

    async with serving(answering) as server:
        reply = await post(AiohttpTransport(), server.url, limits=SOON)
        assert await anext(aiter(reply)) == b"one"
        looks = asyncio.Event()
        asyncio.get_running_loop().call_later(SOON.silence_s * 3, looks.set)
        await looks.wait()
        read.set()
        await server.settled()
        assert await blocks(reply) == [b"two"]


@pytest.mark.requirement("D-http-limits")
async def test_an_answer_without_an_end_is_cut_at_the_limit_of_all() -> None:
    async def answering(exchange: Exchange) -> None:
        exchange.head()
        while not exchange.gone.is_set():
            exchange.send(b"x")
            await asyncio.sleep(0)

    async with serving(answering) as server:
        error = await failure(server.url, Limits(connect_s=4, silence_s=4, total_s=0.1))
        await server.settled()
    assert type(error) is ProviderTimeoutError
    assert str(error) == f"the answer of {server.url} had not ended after 0.1 s in all"


@pytest.mark.requirement("D-http-limits")
async def test_no_answer_at_all_is_cut_at_the_limit_of_all_where_that_is_shorter() -> None:
    async with serving(nothing) as server:
        error = await failure(server.url, Limits(connect_s=4, silence_s=4, total_s=0.05))
        await server.settled()
    assert str(error) == f"the answer of {server.url} had not ended after 0.05 s in all"


@pytest.mark.requirement("D-http-limits")
async def test_a_connection_that_is_not_made_in_time_is_said() -> None:
    """All places are taken, and waiting for one counts."""
    async with serving(one_and_no_more) as server:
        transport = AiohttpTransport(connections=1)
        reply = await post(transport, server.url)
        with pytest.raises(ProviderTimeoutError, match=r"no connection to http://127.0.0.1:\d+ within 0.02 s"):
            await post(transport, server.url, limits=Limits(connect_s=0.02))
        reply.close()


async def test_no_error_holds_the_request() -> None:
    """aiohttp's own do, with its headers; a log would show them."""
    async with serving(one_and_no_more) as server:
        for url, limits in (("http://127.0.0.1:1/", LIMITS), (server.url, SOON)):
            error = await failure(url, limits)
            assert (error.__cause__, error.__context__) == (None, None)


# ── Who closes ───────────────────────────────────────────────────────────────


async def test_a_closed_answer_gives_its_connection_up() -> None:
    async with serving(one_and_no_more) as server:
        reply = await post(AiohttpTransport(), server.url)
        assert await anext(aiter(reply)) == b"one"
        reply.close()
        reply.close()
        async with asyncio.timeout(5):
            await server.empty()


@pytest.mark.parametrize("answering", [nothing, one_and_no_more])
async def test_a_cancelled_request_gives_its_connection_up(
    answering: Callable[[Exchange], Awaitable[None]],
) -> None:
    async def read(server: Server) -> None:
        reply = await AiohttpTransport().post(server.url, b"{}", {}, LIMITS)
        try:
            async for _ in reply:
                pass
        finally:
            reply.close()

    async with serving(answering) as server, asyncio.timeout(5):
        reading = asyncio.ensure_future(read(server))
        await server.asked.wait()
        reading.cancel()
        await asyncio.wait((reading,))
        await server.empty()
    assert reading.cancelled()


@pytest.fixture
def thread_server() -> Iterator[Server]:
    with serving_in_a_thread(one_two) as server:
        yield server


@pytest.mark.requirement("B104")
def test_one_transport_serves_one_loop_after_another_and_leaves_nothing(thread_server: Server) -> None:
    transport = AiohttpTransport()

    async def third() -> bytes:
        gc.collect()
        return await got(transport, thread_server.url)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [asyncio.run(got(transport, thread_server.url)) for _ in range(2)] == [b"onetwo", b"onetwo"]
        assert asyncio.run(third()) == b"onetwo"
        gc.collect()
    assert len(transport.pools) == 0


@pytest.mark.requirement("B104")
async def test_one_transport_serves_two_threads_at_once(thread_server: Server) -> None:
    transport = AiohttpTransport()

    def run() -> bytes:
        return asyncio.run(got(transport, thread_server.url))

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(asyncio.to_thread(run)) for _ in range(4)]
    assert [task.result() for task in tasks] == [b"onetwo"] * 4
    assert len(transport.pools) == 0


def test_connections_of_a_loop_that_was_just_closed_are_dropped(thread_server: Server) -> None:
    transport = AiohttpTransport()
    loop = asyncio.new_event_loop()
    assert loop.run_until_complete(got(transport, thread_server.url)) == b"onetwo"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # asyncio's, for a loop that nobody shut down
        loop.close()
        assert asyncio.run(got(transport, thread_server.url)) == b"onetwo"
        gc.collect()
    assert len(transport.pools) == 0


def test_the_limits_are_those_of_the_contract() -> None:
    assert Limits() == Limits(connect_s=10, silence_s=300, total_s=1800)


def test_aiohttp_is_imported_with_the_first_request() -> None:
    program = (
        "import sys\nfrom ore.ext.providers.shared_transport import shared_transport\nshared_transport()\n"
        "assert 'aiohttp' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
