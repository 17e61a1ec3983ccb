"""What a read takes: little, however much could come."""

import asyncio
import ssl
import tracemalloc

import aiohttp
import pytest

from ore.ext.providers.aiohttp_transport import AiohttpReply, AiohttpTransport
from providers.loopback import Exchange, serving
from providers.test_transport import CERTIFICATE, blocks, post


@pytest.fixture(params=["plain", "tls"])
def tls(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext | None:
    """What the server speaks; whoever asks it trusts it."""
    if request.param == "plain":
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    trusting = ssl.create_default_context(cafile=str(CERTIFICATE))
    trusting.check_hostname = False
    connect = aiohttp.TCPConnector.__init__
    monkeypatch.setattr(aiohttp.TCPConnector, "__init__", lambda self, **more: connect(self, ssl=trusting, **more))
    return context


async def memory_of_a_read(reply: AiohttpReply, exchange: Exchange) -> int:
    """Bytes that were taken at once, at most, while two were read."""
    tracemalloc.start()
    try:
        exchange.send(b"two")
        assert await anext(reply) == b"two"
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


async def test_a_fragment_is_read_without_memory_for_a_long_answer(tls: ssl.SSLContext | None) -> None:
    """A first request and one over the open connection: 256 KiB a read cost more than what is read."""
    goes_on = asyncio.Event()

    async def in_two(exchange: Exchange) -> None:
        exchange.head()
        exchange.send(b"one")
        await goes_on.wait()
        exchange.end()

    async with asyncio.timeout(30), serving(in_two, tls=tls) as server:
        transport = AiohttpTransport()
        for _ in range(2):
            goes_on.clear()
            reply = await post(transport, server.url)
            assert await anext(reply) == b"one"
            assert await memory_of_a_read(reply, server.requests[-1]) < 128 << 10
            goes_on.set()
            assert await blocks(reply) == []
        assert server.opened == 1


async def test_a_long_answer_comes_whole_though_it_is_read_in_small_pieces(tls: ssl.SSLContext | None) -> None:
    lines = [b"%06d " % number * 100 for number in range(2_000)]

    async def at_once(exchange: Exchange) -> None:
        exchange.whole(*lines)

    async with asyncio.timeout(30), serving(at_once, tls=tls) as server:
        transport = AiohttpTransport()
        for _ in range(2):
            assert b"".join(await blocks(await post(transport, server.url))) == b"".join(lines)
        assert server.opened == 1
