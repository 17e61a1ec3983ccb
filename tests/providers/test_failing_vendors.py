"""Whatever a vendor does, a session says what it was, stays usable, and its history can be sent on."""

import asyncio
import gc
import json
import logging
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from ore import Agent
from ore.errors import ProviderError
from ore.event import Entry, ErrorEvent
from ore.ext.providers import anthropic, google, ollama, openai, openai_responses
from ore.ext.providers.aiohttp_transport import AiohttpTransport
from ore.ext.providers.backoff import Backoff
from ore.ext.providers.transport import Limits
from ore.ext.providers.vendor import Access, Vendor, connect
from ore.ledger import MemoryStore, Role, TurnStatus, export_thread
from ore.models import Spec
from ore.provider import Provider
from ore.testing.contracts.provider import Answer
from ore.testing.sendable import check_sendable
from providers.loopback import EVENTS, Answering, Exchange, serving
from providers.vendor_answers import CHAT, CLAUDE, GEMINI, JSON, OLLAMA, RESPONSES, Speech, answering, chat

KEY = "sk-canary-0123"
CERTIFICATE = Path(__file__).parent / "tls" / "server.pem"
PATIENT = Limits(connect_s=4, silence_s=4, total_s=8)
HELLO = Answer(text=("Hel", "lo"))
BEGUN = Answer(text=("Once ", "upon"), end="breaks")
HTML = {"content-type": "text/html"}


@dataclass(frozen=True, slots=True)
class Kind:
    """A vendor, and how it speaks."""

    vendor: Vendor
    model: str
    speech: Speech

    def begin(self, exchange: Exchange) -> None:
        """The beginning of an answer."""
        exchange.head(headers=self.speech.headers)
        exchange.send(*self.speech.stream(BEGUN))


KINDS = {
    "openai": Kind(openai.VENDOR, "gpt-6-sol", CHAT),
    "anthropic": Kind(anthropic.VENDOR, "claude-sonnet-5-5", CLAUDE),
    "openai-responses": Kind(openai_responses.VENDOR, "gpt-6-sol", RESPONSES),
    "google": Kind(google.VENDOR, "gemini-3.8-flash", GEMINI),
    "ollama": Kind(ollama.VENDOR, "qwen3", OLLAMA),
}


async def no_wait(seconds: float) -> None:
    """Go on at once."""


def provider(kind: Kind, url: str, limits: Limits = PATIENT) -> Provider:
    access = Access(
        api_key=KEY,
        base_url=url,
        transport=AiohttpTransport(),
        limits=limits,
        backoff=Backoff(attempts=2, sleep=no_wait),
    )
    return connect(kind.vendor, access)


Misbehaving = Callable[[Kind, Exchange], Awaitable[None]]


async def refuses_the_key(kind: Kind, exchange: Exchange) -> None:
    error = {"type": "authentication_error", "message": f"invalid key {KEY}", "code": "invalid_api_key"}
    exchange.whole(json.dumps({"type": "error", "error": error}).encode(), status=401, headers=JSON)


async def knows_no_such_model(kind: Kind, exchange: Exchange) -> None:
    error = {"type": "not_found_error", "message": f"model: {kind.model}", "code": "model_not_found"}
    exchange.whole(json.dumps({"type": "error", "error": error}).encode(), status=404, headers=JSON)


async def is_overloaded(kind: Kind, exchange: Exchange) -> None:
    exchange.whole(b"{}", status=503, headers=JSON)


async def limits_the_rate(kind: Kind, exchange: Exchange) -> None:
    exchange.whole(b"{}", status=429, headers={**JSON, "retry-after": "7"})


async def shows_a_page(kind: Kind, exchange: Exchange) -> None:
    exchange.whole(b"<html>Once upon a time</html>", headers=HTML)


async def redirects(kind: Kind, exchange: Exchange) -> None:
    exchange.whole(status=301, headers={"location": "https://other.test/v1"})


async def answers_with_nothing(kind: Kind, exchange: Exchange) -> None:
    exchange.whole(headers=EVENTS)


async def says_nothing(kind: Kind, exchange: Exchange) -> None:
    await exchange.gone.wait()


async def stalls(kind: Kind, exchange: Exchange) -> None:
    kind.begin(exchange)
    await exchange.gone.wait()


async def ends_early(kind: Kind, exchange: Exchange) -> None:
    kind.begin(exchange)
    exchange.end()


async def closes_early(kind: Kind, exchange: Exchange) -> None:
    kind.begin(exchange)
    exchange.close()


async def never_ends(kind: Kind, exchange: Exchange) -> None:
    kind.begin(exchange)
    while not exchange.gone.is_set():
        exchange.send(b"\n\n")
        await asyncio.sleep(0)


async def sends_one_line_of_50_mb(kind: Kind, exchange: Exchange) -> None:
    kind.begin(exchange)
    exchange.send(b"data: ")
    block = b"x" * (1 << 20)
    for _ in range(50):
        if exchange.gone.is_set():
            return
        exchange.send(block)
        await asyncio.sleep(0)


async def sends_no_json(kind: Kind, exchange: Exchange) -> None:
    kind.begin(exchange)
    exchange.send(b"data: {Once upon a time\n\n")
    exchange.end()


async def resets(kind: Kind, exchange: Exchange) -> None:
    exchange.reset()


SOON = Limits(connect_s=4, silence_s=0.05, total_s=8)
SHORT = Limits(connect_s=4, silence_s=4, total_s=0.2)

CASES: dict[str, tuple[Misbehaving, str, str, Limits]] = {
    "wrong key": (refuses_the_key, "authentication", "key", PATIENT),
    "unknown model": (knows_no_such_model, "not_found", "model", PATIENT),
    "no capacity": (is_overloaded, "overloaded", "503", PATIENT),
    "too many requests": (limits_the_rate, "rate_limit", "429", PATIENT),
    "a web page": (shows_a_page, "protocol", "is the base URL right?", PATIENT),
    "a redirect": (redirects, "protocol", "give its address as the base URL", PATIENT),
    "an empty answer": (answers_with_nothing, "protocol", "", PATIENT),
    "no answer": (says_nothing, "timeout", "for 0.05 s; --timeout-s allows more", SOON),
    "a stall": (stalls, "timeout", "for 0.05 s; --timeout-s allows more", SOON),
    "an early end": (ends_early, "protocol", "", PATIENT),
    "an early close": (closes_early, "connection", "broke inside the answer", PATIENT),
    "no end": (never_ends, "timeout", "had not ended after 0.2 s in all", SHORT),
    "a line of 50 MB": (sends_one_line_of_50_mb, "protocol", "16777216 bytes", PATIENT),
    "no JSON": (sends_no_json, "protocol", "", PATIENT),
    "a reset": (resets, "connection", "broke before an answer", PATIENT),
}


def misbehaving(kind: Kind, how: Misbehaving) -> Answering:
    async def answer(exchange: Exchange) -> None:
        await how(kind, exchange)

    return answer


async def check_failure(kind: Kind, asked: Provider, code: str, words: str, caplog: pytest.LogCaptureFixture) -> None:
    """A message fails as it should, and another one, at another server, is answered with the history so far."""
    caplog.set_level(0)
    store, spec = MemoryStore(), Spec(name=kind.model)
    events: list[Entry] = []
    async with asyncio.timeout(15), Agent(asked, store=store, spec=spec).session("s") as session:
        reader = session.handle.subscribe(after="")
        with pytest.raises(ProviderError) as caught:
            await session.run("Tell me a story.")
        events += reader.take()
        reader.close()
    error = caught.value
    assert (error.code, error.provider) == (code, kind.vendor.name)
    assert words in str(error)
    (told,) = [entry.event for entry in events if isinstance(entry.event, ErrorEvent)]
    assert (told.code, told.message, told.provider) == (code, str(error), kind.vendor.name)
    for other in KINDS.values():
        hello = answering([HELLO], other.speech)
        async with serving(hello) as server, asyncio.timeout(15):
            agent = Agent(provider(other, server.url), store=store, spec=Spec(name=other.model))
            async with agent.session("s") as session:
                assert (await session.run("Go on.")).text == "Hello"
                check_sendable(session.turns)
                failed = [turn for turn in session.turns if turn.status is TurnStatus.FAILED]
                assert all(turn.role is Role.ASSISTANT for turn in failed)
    thread = await store.load("s")
    said = "".join(
        [str(error), caplog.text, *(entry.json.decode() for entry in events), export_thread(thread).decode()]
    )
    assert KEY not in said


@pytest.mark.requirement("D-vendor-failures", "D-http-secrets")
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("vendor", KINDS)
async def test_a_vendor_that_misbehaves_fails_one_message_and_no_more(
    vendor: str, case: str, caplog: pytest.LogCaptureFixture
) -> None:
    kind = KINDS[vendor]
    how, code, words, limits = CASES[case]
    async with serving(misbehaving(kind, how)) as server:
        await check_failure(kind, provider(kind, server.url, limits), code, words, caplog)


@pytest.mark.requirement("D-vendor-failures")
@pytest.mark.parametrize("vendor", KINDS)
async def test_a_vendor_that_is_not_there_fails_one_message_and_no_more(
    vendor: str, caplog: pytest.LogCaptureFixture
) -> None:
    kind = KINDS[vendor]
    await check_failure(kind, provider(kind, "http://127.0.0.1:1"), "connection", "does the server run?", caplog)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(CERTIFICATE)
    async with serving(misbehaving(kind, ends_early), tls=context) as server:
        await check_failure(kind, provider(kind, server.url), "connection", "SSL_CERT_FILE", caplog)


@pytest.mark.requirement("B33")
@pytest.mark.parametrize("vendor", KINDS)
async def test_an_answer_that_has_ended_is_whole_though_its_connection_stays_open(
    vendor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ore.ext.providers.remote.END_S", 0.02)
    kind = KINDS[vendor]

    async def answer(exchange: Exchange) -> None:
        exchange.head(headers=kind.speech.headers)
        exchange.send(*kind.speech.stream(HELLO))
        await exchange.gone.wait()

    limits = SOON if kind.speech is GEMINI else PATIENT  # nothing in Gemini's protocol says that no more will come
    async with serving(answer) as server, asyncio.timeout(3):
        result = await Agent(provider(kind, server.url, limits), spec=Spec(name=kind.model)).run("Hi")
        assert (result.text, result.usage.total_tokens) == ("Hello", 10)
        await server.empty()


@pytest.mark.parametrize("vendor", KINDS)
async def test_the_connection_of_an_answer_is_used_for_the_next_one(vendor: str) -> None:
    kind = KINDS[vendor]
    async with serving(answering([HELLO] * 3, kind.speech)) as server, asyncio.timeout(5):
        agent = Agent(provider(kind, server.url), spec=Spec(name=kind.model))
        assert [(await agent.run("Hi")).text for _ in range(3)] == ["Hello"] * 3
    assert server.opened == 1


@pytest.mark.requirement("B41")
async def test_messages_that_are_cancelled_one_after_the_other_leave_no_connection(
    caplog: pytest.LogCaptureFixture,
) -> None:
    kind = KINDS["openai"]

    async def answer(exchange: Exchange) -> None:
        if len(server.requests) <= 20:
            await stalls(kind, exchange)
        else:
            exchange.whole(*chat(HELLO), headers=EVENTS)

    access = Access(base_url="http://127.0.0.1", transport=AiohttpTransport(connections=4), limits=PATIENT)
    async with serving(answer) as server, asyncio.timeout(15):
        asked = connect(kind.vendor, replace(access, base_url=server.url))
        async with Agent(asked, store="memory:", spec=Spec(name=kind.model)).session() as session:
            for _ in range(20):
                run = session.stream("Tell me a story.")
                await anext(aiter(run.text()))
                session.handle.cancel()
                assert (await run.result()).status == "cancelled"
            await server.empty()
            assert (await session.run("Go on.")).text == "Hello"
            check_sendable(session.turns)
        assert server.opened == 21
    gc.collect()
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_a_hundred_sessions_at_once_share_one_pool() -> None:
    kind = KINDS["openai"]
    async with serving(answering([HELLO] * 100)) as server, asyncio.timeout(15):
        agent = Agent(provider(kind, server.url), spec=Spec(name=kind.model))
        async with asyncio.TaskGroup() as group:
            runs = [group.create_task(agent.run("Hi")) for _ in range(100)]
        assert {run.result().text for run in runs} == {"Hello"}
        assert server.opened <= 100
