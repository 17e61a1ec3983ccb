"""How many calls Python makes for a request until the first word of its answer is there."""

import asyncio
import cProfile
import pstats
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing

import aiohttp
import pytest

from bars.test_chunk_calls import Played, chat, messages
from bars.test_chunk_calls_of_other_wires import gemini, ollama, responses
from ore.artifact import Text, TextDelta
from ore.ext.providers.aiohttp_transport import AiohttpTransport
from ore.ext.providers.anthropic import VENDOR as ANTHROPIC
from ore.ext.providers.google import VENDOR as GOOGLE
from ore.ext.providers.ollama import VENDOR as OLLAMA
from ore.ext.providers.openai import VENDOR as OPENAI
from ore.ext.providers.openai_responses import VENDOR as RESPONSES
from ore.ext.providers.transport import Limits
from ore.ext.providers.vendor import Access, Vendor, connect
from ore.ledger import Role, Thread, Turn
from ore.models import Spec
from ore.provider import Provider
from providers.loopback import Exchange, serving_in_a_thread

ASKED = Turn(id="u", role=Role.USER, artifacts=(Text(content="Hello?"),))
HEADERS: Mapping[str, str] = {"content-type": "application/json", "authorization": "Bearer any"}
PIECES = 5


def calls_of(profile: cProfile.Profile) -> int:
    """All that were made, of Python and of C."""
    counts = pstats.Stats(profile).stats.values()  # type: ignore[attr-defined]  # typeshed does not know it
    return sum(calls for _, calls, *_ in counts)


async def first_word(provider: Provider) -> int:
    """The calls from the question of a new conversation to its first word."""
    thread = Thread()
    thread.append(ASKED)
    profile = cProfile.Profile()
    profile.enable()
    async with aclosing(provider.invoke(thread, Spec(name="m", max_output_tokens=9))) as batches:
        async for batch in batches:
            if type(batch[-1]) is TextDelta:
                profile.disable()
                return calls_of(profile)
    raise AssertionError("expected a word")


@pytest.mark.requirement("D-bar-request")
@pytest.mark.parametrize(
    ("vendor", "body", "bar"),
    [
        pytest.param(OPENAI, chat(), 300, id="openai-chat"),
        pytest.param(ANTHROPIC, messages(), 350, id="anthropic"),
        pytest.param(RESPONSES, responses("text"), 370, id="openai-responses"),
        pytest.param(GOOGLE, gemini("text"), 355, id="gemini"),
        pytest.param(OLLAMA, ollama("text"), 465, id="ollama"),
    ],
)
async def test_a_request_costs_few_calls_until_its_first_word(vendor: Vendor, body: bytes, bar: int) -> None:
    """What is known of the model, the body, framing and decoding together; the network is not among them."""
    provider = connect(vendor, Access(api_key="any", base_url="http://127.0.0.1:9", transport=Played(body)))
    await first_word(provider)
    assert await first_word(provider) <= bar


async def in_pieces(exchange: Exchange) -> None:
    """Each event is a chunk of its own, and all of them are one write."""
    chunks = b"b\r\ndata: one\n\n\r\n" * PIECES
    exchange.raw(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n%b0\r\n\r\n" % chunks)


async def counted(ask: Callable[[], Awaitable[int]]) -> int:
    """The fewest calls of one request over a connection that is open: an answer may come in more reads than one."""
    found = []
    for _ in range(10):
        profile = cProfile.Profile()
        profile.enable()
        size = await ask()
        profile.disable()
        assert size == PIECES * 11
        found.append(calls_of(profile))
    return min(found)


@pytest.mark.requirement("D-bar-request")
def test_a_request_over_an_open_connection_costs_half_the_calls_of_the_library_s_own() -> None:
    """Both read the same answer to its end, one after the other, from a server in another thread."""

    async def both(url: str) -> tuple[int, int]:
        transport, limits = AiohttpTransport(), Limits(connect_s=4, silence_s=4, total_s=8)
        async with aiohttp.ClientSession() as session:

            async def theirs() -> int:
                async with session.post(url, data=b"{}", headers=HEADERS) as response:
                    return sum([len(block) async for block in response.content.iter_any()])

            async def ours() -> int:
                reply = await transport.post(url, b"{}", HEADERS, limits)
                return sum([len(block) async for block in reply])

            return await counted(ours), await counted(theirs)

    with serving_in_a_thread(in_pieces) as server:
        ours, theirs = asyncio.run(both(server.url))
    assert ours <= theirs / 2
