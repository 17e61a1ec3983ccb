"""A request over a connection that is open already: sent as the first one was, and every promise holds for it."""

import asyncio
import gzip
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from ore.errors import ConnectionFailedError, ProtocolError, ProviderError, ProviderTimeoutError
from ore.ext.providers.aiohttp_transport import AiohttpReply, AiohttpTransport
from ore.ext.providers.transport import Limits
from providers.loopback import Answering, Exchange, Server, serving
from providers.test_transport import (
    CERTIFICATE,
    LIMITS,
    SOON,
    blocks,
    hints_without_end,
    nothing,
    one_and_no_more,
    one_two,
    only_early_hints,
)

HEADERS = {"content-type": "application/json", "authorization": "Bearer sk-canary-0123"}


class Opened:
    """A transport that has read one answer, and has its connection still."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.transport = AiohttpTransport()

    async def post(
        self, body: bytes = b"{}", headers: Mapping[str, str] = HEADERS, limits: Limits = LIMITS
    ) -> AiohttpReply:
        async with asyncio.timeout(5):
            return await self.transport.post(f"{self.server.url}/v1/talk?x=1", body, headers, limits)

    async def got(self, body: bytes = b"{}", headers: Mapping[str, str] = HEADERS, limits: Limits = LIMITS) -> bytes:
        return b"".join(await blocks(await self.post(body, headers, limits)))

    async def failure(self, limits: Limits = LIMITS) -> ProviderError:
        try:
            await self.got(limits=limits)
        except ProviderError as error:
            assert (error.__cause__, error.__context__) == (None, None)
            return error
        raise AssertionError("expected a failure")


@asynccontextmanager
async def opened(answering: Answering, *, tls: ssl.SSLContext | None = None) -> AsyncIterator[Opened]:
    """A server that has answered once, and answers as the test says from then on."""

    async def first(exchange: Exchange) -> None:
        await (one_two if len(server.requests) == 1 else answering)(exchange)

    async with serving(first, tls=tls) as server:
        found = Opened(server)
        assert await found.got() == b"onetwo"
        yield found


@pytest.fixture
def nothing_made_anew(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From the call on aiohttp must not be asked to make a request."""

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a request was made anew")

    return lambda: monkeypatch.setattr(aiohttp.ClientSession, "_request", refuse)


async def test_the_same_is_sent_with_another_body(nothing_made_anew: Callable[[], None]) -> None:
    more = asyncio.Event()

    async def answering(exchange: Exchange) -> None:
        exchange.head(418, {"X-Request-ID": "r2"})
        exchange.send(b"one")
        await more.wait()
        exchange.send(b"two", b"three")
        exchange.end()

    async with opened(answering) as open_:
        nothing_made_anew()
        reply = await open_.post(b'{"a": "\xc3\xa9"}')
        assert (reply.status, reply.headers["x-request-id"]) == (418, "r2")
        assert await anext(aiter(reply)) == b"one"
        more.set()
        assert b"".join(await blocks(reply)) == b"twothree"
        for _ in range(3):
            assert await open_.got() == b"onetwothree"
    first, second, *_ = open_.server.requests
    assert (second.method, second.target, second.body) == ("POST", "/v1/talk?x=1", b'{"a": "\xc3\xa9"}')
    assert {**first.headers, "content-length": "11"} == second.headers
    assert open_.server.opened == 1


async def test_it_is_the_same_over_tls(monkeypatch: pytest.MonkeyPatch, nothing_made_anew: Callable[[], None]) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    connect = aiohttp.TCPConnector.__init__
    trusting = ssl.create_default_context(cafile=str(CERTIFICATE))
    trusting.check_hostname = False
    monkeypatch.setattr(aiohttp.TCPConnector, "__init__", lambda self, **more: connect(self, ssl=trusting, **more))
    async with opened(one_two, tls=context) as open_:
        nothing_made_anew()
        assert await open_.got() == b"onetwo"
    assert open_.server.opened == 1


@pytest.mark.parametrize(
    ("body", "headers"), [(b"x" * 100_000, HEADERS), (b"{}", {**HEADERS, "x-more": "1"}), (b"{}", {})]
)
async def test_what_is_not_the_same_is_made_anew(body: bytes, headers: Mapping[str, str]) -> None:
    """A long body goes out as the other side takes it; other headers are another request."""
    async with opened(one_two) as open_:
        assert await open_.got(body, headers) == b"onetwo"
        asked = open_.server.requests[1]
        assert asked.body == body
        assert ("x-more" in asked.headers, "authorization" in asked.headers) == (
            "x-more" in headers,
            "authorization" in headers,
        )
    assert open_.server.opened == 1


async def test_two_at_once_have_a_connection_each() -> None:
    async with opened(one_two) as open_:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(open_.got()) for _ in range(5)]
        assert [task.result() for task in tasks] == [b"onetwo"] * 5
    assert open_.server.opened == 5


async def test_a_connection_that_was_closed_meanwhile_is_not_used() -> None:
    async with opened(one_two) as open_:
        open_.server.requests[0].close()
        async with asyncio.timeout(5):
            await open_.server.empty()
        for _ in range(3):  # until the client has seen it too
            await asyncio.sleep(0)
        assert await open_.got() == b"onetwo"
    assert open_.server.opened == 2


@pytest.mark.parametrize("way", ["reset", "close"])
async def test_a_connection_that_breaks_before_the_answer_is_said(
    way: str, nothing_made_anew: Callable[[], None]
) -> None:
    async def answering(exchange: Exchange) -> None:
        getattr(exchange, way)()

    async with opened(answering) as open_:
        nothing_made_anew()
        error = await open_.failure()
    assert type(error) is ConnectionFailedError
    assert "broke before an answer" in str(error)
    assert error.retryable


@pytest.mark.parametrize("way", ["reset", "close"])
async def test_a_connection_that_breaks_inside_the_answer_gives_what_came_and_then_fails(
    way: str, nothing_made_anew: Callable[[], None]
) -> None:
    read = asyncio.Event()

    async def answering(exchange: Exchange) -> None:
        exchange.head()
        exchange.send(b"one")
        await read.wait()
        getattr(exchange, way)()

    async with opened(answering) as open_:
        nothing_made_anew()
        reply = await open_.post()
        assert await anext(aiter(reply)) == b"one"
        read.set()
        with pytest.raises(ConnectionFailedError, match="broke inside the answer"):
            await blocks(reply)


@pytest.mark.requirement("D-http-limits")
@pytest.mark.parametrize("answering", [nothing, one_and_no_more, only_early_hints])
async def test_silence_before_and_inside_an_answer_ends_it(
    answering: Callable[[Exchange], Awaitable[None]], nothing_made_anew: Callable[[], None]
) -> None:
    async with opened(answering) as open_:
        nothing_made_anew()
        error = await open_.failure(SOON)
        await open_.server.settled()
    assert type(error) is ProviderTimeoutError
    assert str(error) == f"no byte from {open_.server.url} for 0.02 s; --timeout-s allows more"


async def words_without_end(exchange: Exchange) -> None:
    exchange.head()
    while not exchange.gone.is_set():
        exchange.send(b"x" * 100)
        await asyncio.sleep(0)


@pytest.mark.requirement("D-http-limits")
@pytest.mark.parametrize("answering", [nothing, hints_without_end, words_without_end])
async def test_an_answer_is_cut_at_the_limit_of_all(
    answering: Callable[[Exchange], Awaitable[None]], nothing_made_anew: Callable[[], None]
) -> None:
    async with opened(answering) as open_:
        nothing_made_anew()
        error = await open_.failure(Limits(connect_s=4, silence_s=4, total_s=0.1))
        await open_.server.settled()
    assert str(error) == f"the answer of {open_.server.url} had not ended after 0.1 s in all"


@pytest.mark.requirement("D-http-limits")
async def test_an_answer_that_is_larger_than_any_is_given_up(nothing_made_anew: Callable[[], None]) -> None:
    async with opened(words_without_end) as open_:
        nothing_made_anew()
        error = await open_.failure(Limits(connect_s=4, silence_s=4, total_s=8, answer_bytes=10_000))
        await open_.server.settled()
    assert type(error) is ProtocolError


async def test_a_server_that_speaks_something_else_breaks_the_protocol(nothing_made_anew: Callable[[], None]) -> None:
    async def answering(exchange: Exchange) -> None:
        exchange.raw(b"SSH-2.0-OpenSSH_9.2 my-secret-prompt\r\n")

    async with opened(answering) as open_:
        nothing_made_anew()
        error = await open_.failure()
    assert type(error) is ProtocolError
    assert "secret" not in str(error)


async def test_heads_before_the_head_of_an_answer_are_none(nothing_made_anew: Callable[[], None]) -> None:
    async def answering(exchange: Exchange) -> None:
        exchange.raw(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n")
        exchange.whole(b"one")

    async with opened(answering) as open_:
        nothing_made_anew()
        assert [await open_.got() for _ in range(2)] == [b"one", b"one"]
    assert open_.server.opened == 1


async def test_a_body_with_a_length_one_without_and_none_at_all_are_read(
    nothing_made_anew: Callable[[], None],
) -> None:
    async def answering(exchange: Exchange) -> None:
        match len(exchange.body):
            case 2:
                exchange.raw(b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\none")
            case 3:
                exchange.raw(b"HTTP/1.1 204 No Content\r\n\r\n")
            case _:
                exchange.raw(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\none")
                exchange.close()

    async with opened(answering) as open_:
        nothing_made_anew()
        assert [await open_.got(b"x" * size) for size in (2, 3, 4)] == [b"one", b"", b"one"]


async def test_a_compressed_body_is_read_though_nobody_asked_for_it(nothing_made_anew: Callable[[], None]) -> None:
    async def answering(exchange: Exchange) -> None:
        packed = gzip.compress(b"one" * 1000)
        exchange.whole(packed[:20], packed[20:], headers={"content-encoding": "gzip"})

    async with opened(answering) as open_:
        nothing_made_anew()
        assert await open_.got() == b"one" * 1000


async def test_a_reader_that_falls_behind_holds_the_server_up_and_loses_nothing(
    nothing_made_anew: Callable[[], None],
) -> None:
    async def answering(exchange: Exchange) -> None:
        exchange.head()
        exchange.send(*[b"x" * 1_000] * 16_000)
        exchange.end()

    async with opened(answering) as open_:
        nothing_made_anew()
        reply = await open_.post()
        await open_.server.settled()
        for _ in range(300):  # the loop reads what it may
            await asyncio.sleep(0)
        async with asyncio.timeout(20):
            sizes = [len(block) async for block in reply]
    assert sizes[0] < 2 << 20
    assert sum(sizes) == 16_000_000


async def test_a_closed_answer_gives_its_connection_up(nothing_made_anew: Callable[[], None]) -> None:
    async with opened(one_and_no_more) as open_:
        nothing_made_anew()
        reply = await open_.post()
        assert await anext(aiter(reply)) == b"one"
        reply.close()
        reply.close()
        async with asyncio.timeout(5):
            await open_.server.empty()


@pytest.mark.parametrize("answering", [nothing, one_and_no_more])
async def test_a_cancelled_request_gives_its_connection_up(
    answering: Callable[[Exchange], Awaitable[None]], nothing_made_anew: Callable[[], None]
) -> None:
    async with opened(answering) as open_, asyncio.timeout(5):
        nothing_made_anew()
        open_.server.asked.clear()

        async def read() -> None:
            reply = await open_.transport.post(f"{open_.server.url}/v1/talk?x=1", b"{}", HEADERS, LIMITS)
            try:
                async for _ in reply:
                    pass
            finally:
                reply.close()

        reading = asyncio.ensure_future(read())
        await open_.server.asked.wait()
        reading.cancel()
        await asyncio.wait((reading,))
        await open_.server.empty()
    assert reading.cancelled()


async def test_what_is_kept_of_a_request_does_not_show_its_key() -> None:
    async with opened(one_two) as open_:
        pool = open_.transport.pools.mine()
        assert pool is not None
        asked = pool.asked(f"{open_.server.url}/v1/talk?x=1", HEADERS)
        assert asked is not None
        assert b"sk-canary-0123" in asked.head
        assert "canary" not in f"{asked!r} {pool!r} {open_.transport!r}"


async def test_what_was_learnt_from_a_long_body_holds_for_a_short_one() -> None:
    async with serving(one_two) as server:
        open_ = Opened(server)
        assert await open_.got(b"x" * (3 << 20)) == b"onetwo"
        assert await open_.got(b"{}") == b"onetwo"
    second = server.requests[1]
    assert (second.body, second.headers["content-length"]) == (b"{}", "2")
    assert second.headers["authorization"] == HEADERS["authorization"]
    assert "transfer-encoding" not in second.headers
