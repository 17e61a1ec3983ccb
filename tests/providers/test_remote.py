"""What stands between any wire and the network."""

import asyncio
import gc
import json
import traceback
from collections.abc import Iterator, Sequence
from contextlib import aclosing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ore import Agent
from ore.artifact import Artifact, Notice, StopReason, Text, TextDelta, Usage
from ore.errors import (
    AuthenticationError,
    BadRequestError,
    ConnectionFailedError,
    ContextOverflowError,
    ModelNotFoundError,
    OverloadedError,
    ProtocolError,
    ProviderError,
    ProviderTimeoutError,
    RateLimitError,
)
from ore.event import CURRENT, EventContext
from ore.ext.providers.address import Address
from ore.ext.providers.aiohttp_transport import AiohttpTransport
from ore.ext.providers.credentials import Credentials
from ore.ext.providers.endpoint import Endpoint
from ore.ext.providers.remote import RemoteProvider
from ore.ext.providers.transport import Limits
from ore.ext.wires.wire import Ask, WireRequest
from ore.ledger import Buffer, Role
from ore.models import Spec
from ore.provider import Option, Provider, RequestOption
from providers.loopback import EVENTS, Answering, Exchange, Server, serving, serving_in_a_thread
from providers.plain_wire import END, PATH, PlainWire, line

CANARY = "sk-canary-0123"
NOW_S = 1792567678.0  # 2026-10-21 07:27:58
LIMITS = Limits(connect_s=4, silence_s=4, total_s=8)
SOON = Limits(connect_s=4, silence_s=0.02, total_s=8)
HELLO = [TextDelta(content="Hel"), TextDelta(content="lo")]
ENDING = [StopReason(reason="stop"), Usage(prompt_tokens=7, completion_tokens=3)]
HTML = {"content-type": "text/html; charset=utf-8"}
JSON = {"content-type": "application/json"}


def remote(url: str, wire: PlainWire | None = None, *, connections: int = 0, limits: Limits = LIMITS) -> RemoteProvider:
    endpoint = Endpoint(
        address=Address(url, path=PATH),
        credentials=Credentials({"authorization": f"Bearer {CANARY}"}),
        transport=AiohttpTransport(connections),
        limits=limits,
        clock=lambda: NOW_S,
    )
    return RemoteProvider(name="plain", wire=wire or PlainWire(), endpoint=endpoint)


def asked() -> Buffer:
    state = Buffer()
    state.add(Role.USER, Text(content="Hello?"))
    return state


async def answer(provider: Provider, *options: Option) -> list[Artifact]:
    async with asyncio.timeout(5), aclosing(provider.invoke(asked(), Spec(name="m"), *options)) as batches:
        return [artifact async for batch in batches for artifact in batch]


async def failed(provider: Provider) -> tuple[list[Artifact], ProviderError]:
    """What came, and the failure behind it."""
    seen: list[Artifact] = []
    try:
        async with asyncio.timeout(5), aclosing(provider.invoke(asked(), Spec(name="m"))) as batches:
            async for batch in batches:
                seen += batch
    except ProviderError as error:
        return seen, error
    raise AssertionError(f"expected a failure, got {seen}")


async def failure(answering: Answering) -> ProviderError:
    async with serving(answering) as server:
        seen, error = await failed(remote(server.url))
    assert (seen, error.provider) == ([], "plain")
    return error


async def hello(exchange: Exchange) -> None:
    exchange.whole(line("Hel"), line("lo"), END)


async def hangs(exchange: Exchange) -> None:
    exchange.head()
    exchange.send(line("Hel"))
    await exchange.gone.wait()


def refusing(status: int, body: bytes = b"no", headers: dict[str, str] = JSON) -> Answering:
    async def answering(exchange: Exchange) -> None:
        exchange.whole(body, status=status, headers=headers)

    return answering


async def test_an_answer_comes_as_the_wire_reads_it() -> None:
    async with serving(hello) as server:
        assert await answer(remote(server.url, PlainWire(headers={"x-version": "1"}))) == [*HELLO, *ENDING]
    asked = server.requests[0]
    assert (asked.method, asked.target, asked.asked) == (
        "POST",
        "/v1/plain/talk",
        {"model": "m", "said": 1, "session": None},
    )
    sent = {name: asked.headers[name] for name in ("authorization", "content-type", "x-version")}
    assert sent == {"authorization": f"Bearer {CANARY}", "content-type": "application/json", "x-version": "1"}


async def test_the_wire_learns_who_is_asked_in_which_session_and_what_was_encoded_before() -> None:
    asks: list[Ask] = []

    class Curious(PlainWire):
        def request(self, ask: Ask) -> WireRequest:
            asks.append(ask)
            return super().request(ask)

    token = CURRENT.set(EventContext(thread_id="t1"))
    state, option = asked(), object()
    async with (
        serving(hello) as server,
        aclosing(remote(server.url, Curious()).invoke(state, Spec(name="m"), option)) as batches,
    ):
        async for _ in batches:
            pass
    CURRENT.reset(token)
    (ask,) = asks
    assert (ask.provider, ask.session, ask.spec, list(ask.options)) == ("plain", "t1", Spec(name="m"), [option])
    assert list(ask.turns) == list(state.turns)
    assert ask.encoded is state.derived


async def test_whoever_wants_to_sees_the_body_of_each_request_as_it_is_sent() -> None:
    seen: list[bytes] = []
    async with serving(hello) as server:
        provider = remote(server.url)
        for _ in range(2):
            assert await answer(provider, RequestOption(seen.append)) == [*HELLO, *ENDING]
    assert [json.loads(body) for body in seen] == [asked.asked for asked in server.requests]


async def test_what_was_left_out_is_said_before_anything_is_sent() -> None:
    notice = Notice(content="top_k is left out")
    async with serving(hello) as server:
        provider = remote(server.url, PlainWire(notice))
        async with asyncio.timeout(5), aclosing(provider.invoke(asked(), Spec(name="m"))) as batches:
            assert await anext(batches) == (notice,)
            assert server.requests == []
            assert [artifact async for batch in batches for artifact in batch] == [*HELLO, *ENDING]


async def test_what_is_left_out_of_each_request_is_said_once_in_a_conversation() -> None:
    notice = Notice(content="top_k is left out")
    async with serving(hello) as server, asyncio.timeout(5):
        agent = Agent(remote(server.url, PlainWire(notice)), store="memory:", spec=Spec(name="m"))
        for _ in range(2):
            async with agent.session() as session:
                told = []
                for _ in range(3):
                    run = session.stream("Hi")
                    told += [entry.event async for entry in run.events("notice")]
                assert told == [notice]


# ── Where an answer ends ─────────────────────────────────────────────────────


@pytest.mark.requirement("B33")
@pytest.mark.parametrize("way", ["end", "close", "reset"])
async def test_an_answer_that_ended_by_its_protocol_is_whole_however_its_connection_ends(way: str) -> None:
    read = asyncio.Event()

    async def answering(exchange: Exchange) -> None:
        exchange.head()
        exchange.send(line("Hel"), line("lo"), END)
        await read.wait()
        getattr(exchange, way)()

    async with serving(answering) as server:
        seen: list[Artifact] = []
        async with asyncio.timeout(5), aclosing(remote(server.url).invoke(asked(), Spec(name="m"))) as batches:
            async for batch in batches:
                seen += batch
                read.set()
    assert seen == [*HELLO, *ENDING]


@pytest.mark.requirement("B33")
@pytest.mark.parametrize(
    ("way", "kind"), [("end", ProtocolError), ("close", ConnectionFailedError), ("reset", ConnectionFailedError)]
)
async def test_an_answer_that_was_cut_says_whether_the_server_or_the_connection_cut_it(
    way: str, kind: type[ProviderError]
) -> None:
    read = asyncio.Event()

    async def answering(exchange: Exchange) -> None:
        exchange.head()
        exchange.send(line("Hel"))
        await read.wait()
        getattr(exchange, way)()

    async with serving(answering) as server:
        seen: list[Artifact] = []
        with pytest.raises(kind) as caught:
            async with asyncio.timeout(5), aclosing(remote(server.url).invoke(asked(), Spec(name="m"))) as batches:
                async for batch in batches:
                    seen += batch
                    read.set()
    assert (seen, type(caught.value), caught.value.provider) == (HELLO[:1], kind, "plain")


async def test_an_empty_answer_is_no_answer() -> None:
    error = await failure(refusing(200, b"", EVENTS))
    assert type(error) is ProtocolError


async def test_the_server_s_own_error_inside_an_answer_names_its_request() -> None:
    async def answering(exchange: Exchange) -> None:
        exchange.whole(line("Hel"), b"error overloaded\n", headers={**EVENTS, "X-Request-Id": "r7"})

    async with serving(answering) as server:
        seen, error = await failed(remote(server.url))
    assert (seen, type(error), error.request_id) == (HELLO[:1], OverloadedError, "r7")


# ── What is no answer ────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, BadRequestError),
        (401, AuthenticationError),
        (404, ModelNotFoundError),
        (413, ContextOverflowError),
        (429, RateLimitError),
        (503, OverloadedError),
    ],
)
async def test_a_refusal_is_what_the_wire_makes_of_it(status: int, kind: type[ProviderError]) -> None:
    header = "apim-request-id" if status == 429 else "request-id"
    error = await failure(refusing(status, b"no", {**JSON, header: "r8"}))
    assert (type(error), error.status, str(error), error.request_id) == (kind, status, f"status {status}: no", "r8")


@pytest.mark.requirement("B39")
@pytest.mark.parametrize(("value", "seconds"), [("2", 2.0), ("Wed, 21 Oct 2026 07:28:00 GMT", 2.0), ("", None)])
async def test_the_wait_that_a_server_asks_for_is_on_its_error(value: str, seconds: float | None) -> None:
    error = await failure(refusing(429, b"no", {**JSON, "retry-after": value}))
    assert error.retry_after_s == seconds


@pytest.mark.parametrize("body", [b"<!DOCTYPE html><html>secret</html>", b"\n  <HTML>secret", b"secret"])
async def test_a_web_page_instead_of_an_answer_is_said_with_advice(body: bytes) -> None:
    for status, headers in ((200, HTML), (404, HTML), (200, {}), (404, JSON)):
        if headers is HTML or body != b"secret":
            error = await failure(refusing(status, body, headers))
            assert (type(error), error.status) == (ProtocolError, status)
            assert "got a web page" in str(error)
            assert "is the base URL right?" in str(error)
            assert "secret" not in str(error)


@pytest.mark.parametrize(("begin", "name"), [(b"\x1f\x8b\x08", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd")])
async def test_a_packed_answer_whose_header_does_not_say_so_is_told(begin: bytes, name: str) -> None:
    async def answering(exchange: Exchange) -> None:
        exchange.whole(begin + b"\x00\x01")

    error = await failure(answering)
    assert type(error) is ProtocolError
    assert f"packed with {name}" in str(error)


@pytest.mark.parametrize("status", [201, 202, 204])
async def test_a_good_status_that_no_answer_has_is_said_with_advice(status: int) -> None:
    async def answering(exchange: Exchange) -> None:
        if status == 204:
            exchange.raw(b"HTTP/1.1 204 No Content\r\n\r\n")
        else:
            exchange.whole(b'{"status": "queued"}', status=status, headers={"content-type": "application/json"})

    error = await failure(answering)
    assert (type(error), error.status) == (ProtocolError, status)
    assert f"got {status}; is the base URL right?" in str(error)


async def test_a_web_page_with_a_status_that_says_enough_is_gone_by_its_status() -> None:
    error = await failure(refusing(503, b"<html>secret", HTML))
    assert (type(error), str(error)) == (OverloadedError, "status 503: ")


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("https://ada:secret@other.test:8443/v1/plain/talk?key=secret", "to https://other.test:8443/v1/plain/talk"),
        ("/v2", "elsewhere on the same server"),
        ("", "elsewhere on the same server"),
        ("https://[", "to an address that cannot be read"),
    ],
)
async def test_a_redirect_is_not_followed_and_where_to_is_said(location: str, shown: str) -> None:
    error = await failure(refusing(308, b"", {"location": location}))
    assert (type(error), error.status) == (ProtocolError, 308)
    assert str(error).startswith(f"the server redirects {shown} (status 308)")
    assert "secret" not in str(error)


async def test_of_an_error_without_end_only_the_beginning_is_read() -> None:
    async def answering(exchange: Exchange) -> None:
        exchange.head(400, JSON)
        while not exchange.gone.is_set():
            exchange.send(b"x" * 1000)
            await asyncio.sleep(0)

    error = await failure(answering)
    assert (type(error), len(str(error))) == (BadRequestError, len("status 400: ") + 65536)


async def test_an_error_whose_text_does_not_come_is_gone_by_its_status(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ore.ext.providers.refusal.BODY_S", 0.02)

    async def answering(exchange: Exchange) -> None:
        exchange.head(429, JSON)
        exchange.send(b"slow")
        await exchange.gone.wait()

    error = await failure(answering)
    assert (type(error), str(error)) == (RateLimitError, "status 429: slow")


async def test_silence_and_an_answer_without_end_are_failures_with_the_limit_s_name() -> None:
    async with serving(hangs) as server:
        seen, error = await failed(remote(server.url, limits=SOON))
        await server.settled()
    assert (seen, type(error)) == (HELLO[:1], ProviderTimeoutError)
    assert "no byte from" in str(error)
    async with serving(hangs) as server:
        seen, error = await failed(remote(server.url, limits=Limits(total_s=0.05)))
        await server.settled()
    assert (seen, type(error)) == (HELLO[:1], ProviderTimeoutError)
    assert "had not ended after 0.05 s in all" in str(error)


HEADS = [
    b"HTTP/1.1 200 OK\r\n\r\n",
    b"HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n",
    b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
    b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n",
    b"HTTP/1.1 503 No\r\ncontent-encoding: br\r\n\r\n",
    b"HTTP/1.1 429 No\r\nretry-after: ",
    b"HTTP/1.1 ",
    b"",
]


@given(st.sampled_from(HEADS), st.lists(st.binary(max_size=30), max_size=5))
@settings(max_examples=60)
async def test_whatever_bytes_a_server_sends_it_is_the_provider_s_failure(head: bytes, blocks: list[bytes]) -> None:
    async def answering(exchange: Exchange) -> None:
        for block in (head, *blocks):
            exchange.raw(block)
            await asyncio.sleep(0)
        exchange.close()

    async with serving(answering) as server:
        seen, error = await failed(remote(server.url))
    assert (seen, error.provider) == ([], "plain")


# ── Who closes ───────────────────────────────────────────────────────────────


@pytest.mark.requirement("B41")
async def test_twenty_cancelled_streams_leave_no_connection(caplog: pytest.LogCaptureFixture) -> None:
    async def answering(exchange: Exchange) -> None:
        await (hangs if len(server.requests) <= 20 else hello)(exchange)

    async with serving(answering) as server:
        provider = remote(server.url, connections=4)
        begun = asyncio.Event()

        async def read() -> None:
            async with aclosing(provider.invoke(asked(), Spec(name="m"))) as batches:
                async for _ in batches:
                    begun.set()

        for _ in range(20):
            begun.clear()
            async with asyncio.timeout(5), asyncio.TaskGroup() as group:
                reading = group.create_task(read())
                await begun.wait()
                reading.cancel()
        async with asyncio.timeout(5):
            await server.empty()
        assert server.opened == 20
        assert await answer(provider) == [*HELLO, *ENDING]
    gc.collect()
    assert caplog.records == []


async def test_an_inference_that_is_closed_between_two_fragments_gives_its_connection_up() -> None:
    async with serving(hangs) as server, asyncio.timeout(5):
        batches = remote(server.url).invoke(asked(), Spec(name="m"))
        assert await anext(batches) == (HELLO[0],)
        await batches.aclose()
        await server.empty()


@pytest.fixture
def thread_server() -> Iterator[Server]:
    with serving_in_a_thread(hello) as server:
        yield server


@pytest.mark.requirement("B104")
def test_one_provider_serves_one_loop_after_another(thread_server: Server) -> None:
    provider = remote(thread_server.url)

    async def third() -> Sequence[Artifact]:
        gc.collect()
        return await answer(provider)

    for work in (answer(provider), answer(provider), third()):
        assert asyncio.run(work) == [*HELLO, *ENDING]


# ── Secrets ──────────────────────────────────────────────────────────────────


def shown(error: BaseException) -> str:
    """All that a log could show of an error, with what led to it."""
    seen: list[BaseException] = []
    todo: list[BaseException | None] = [error]
    while todo:
        one = todo.pop()
        if one is not None and one not in seen:
            seen.append(one)
            todo += [one.__cause__, one.__context__]
    return "\n".join(f"{one!r} {vars(one)} {''.join(traceback.format_exception(one))}" for one in seen)


async def echoes(exchange: Exchange) -> None:
    exchange.whole(f"your key {exchange.headers['authorization']} is wrong".encode(), status=401, headers=JSON)


async def echoes_inside(exchange: Exchange) -> None:
    exchange.whole(line("Hel"), b"error " + exchange.headers["authorization"].encode() + b"\n")


async def redirects(exchange: Exchange) -> None:
    exchange.whole(status=302, headers={"location": f"https://other.test/{CANARY}"})


async def resets(exchange: Exchange) -> None:
    exchange.reset()


async def speaks_something_else(exchange: Exchange) -> None:
    exchange.raw(f"{CANARY}\r\n\r\n".encode())


@pytest.mark.requirement("D-http-secrets")
@pytest.mark.parametrize(
    "answering",
    [echoes, echoes_inside, redirects, resets, hangs, speaks_something_else, refusing(200, b"<html>", HTML)],
)
async def test_a_key_is_in_no_failure(answering: Answering, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(0)
    async with serving(answering) as server:
        provider = remote(server.url, limits=SOON)
        _, error = await failed(provider)
        await server.settled()
    assert CANARY not in shown(error)
    assert CANARY not in repr(provider)
    assert CANARY not in caplog.text


@pytest.mark.requirement("D-http-secrets")
async def test_a_key_is_in_no_failure_without_a_server() -> None:
    for url in ("http://127.0.0.1:1", "http://ada:sk-canary-0123@127.0.0.1:1/v1", "https://nowhere.invalid"):
        provider = remote(url)
        _, error = await failed(provider)
        assert CANARY not in shown(error) + repr(provider)
