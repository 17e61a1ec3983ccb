"""How an answer ends: refused without a word, cut behind its usage, and in one piece."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from ore import Agent
from ore.artifact import Text, Usage
from ore.errors import ConnectionFailedError, ContentFilterError, OreError, ProtocolError
from ore.ext.providers import anthropic, openai
from ore.ext.providers.backoff import Backoff
from ore.ext.providers.vendor import Access, connect
from ore.ledger import Turn, TurnStatus
from ore.models import Spec
from providers.loopback import EVENTS, Exchange, serving

VENDORS = {"openai": openai.VENDOR, "anthropic": anthropic.VENDOR}
JSON = {"content-type": "application/json"}
COUNTS = {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12}


def chat(*deltas: Mapping[str, Any], reason: str | None = None, usage: bool = True) -> bytes:
    choices: list[dict[str, Any]] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices += [{"index": 0, "delta": {}, "finish_reason": reason}] if reason else []
    chunks: list[Mapping[str, Any]] = [{"choices": [choice]} for choice in choices]
    chunks += [{"choices": [], "usage": COUNTS}] if usage else []
    return b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks)


def claude(*texts: str, reason: str | None = None) -> bytes:
    usage = {"input_tokens": 5, "output_tokens": 7}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {"usage": usage}}]
    for index, text in enumerate(texts):
        begun = {"type": "text", "text": ""}
        events.append({"type": "content_block_start", "index": index, "content_block": begun})
        delta = {"type": "text_delta", "text": text}
        events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    if reason:
        events += [{"type": "message_delta", "delta": {"stop_reason": reason}}, {"type": "message_stop"}]
    return b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)


class Came:
    """What came of one message: its error, and what the failed or whole turn holds."""

    def __init__(self, error: OreError | None, turns: Sequence[Turn]) -> None:
        last = turns[-1]
        self.error = error
        self.status = last.status
        self.text = "".join(one.content for one in last.artifacts if isinstance(one, Text))
        self.tokens = tokens_of(last)


def tokens_of(turn: Turn) -> int:
    return sum(one.total_tokens or 0 for one in turn.artifacts if isinstance(one, Usage))


async def came(vendor: str, body: bytes, headers: Mapping[str, str] = EVENTS, *, breaks: bool = False) -> Came:
    async def answer(exchange: Exchange) -> None:
        if breaks:
            exchange.head(headers=headers)
            exchange.send(body)
            exchange.close()
        else:
            exchange.whole(body, headers=headers)

    async with serving(answer) as server:
        provider = connect(VENDORS[vendor], Access(api_key="sk-x", base_url=server.url, backoff=Backoff(attempts=1)))
        error: OreError | None = None
        async with Agent(provider, store="memory:", spec=Spec(name="m")).session() as session:
            try:
                await session.run("Hi")
            except OreError as failure:
                error = failure
            assert len(server.requests) == 1
            assert (session.usage.total_tokens or 0) == sum(map(tokens_of, session.handle.history.all_turns))
            return Came(error, session.handle.history.all_turns)


@pytest.mark.requirement("D-refusal")
@pytest.mark.parametrize(
    ("vendor", "body"),
    [
        ("openai", chat({"role": "assistant", "content": ""}, reason="content_filter")),
        ("openai", chat({"reasoning_content": "Hm."}, reason="content_filter")),
        ("anthropic", claude(reason="refusal")),
    ],
)
async def test_a_refusal_without_a_word_is_a_failure_that_says_so_and_what_it_cost(vendor: str, body: bytes) -> None:
    found = await came(vendor, body)
    assert type(found.error) is ContentFilterError
    assert "refused to answer" in str(found.error) and found.error.provider == vendor
    assert (found.status, found.text, found.tokens) == (TurnStatus.FAILED, "", 12)


@pytest.mark.requirement("D-refusal")
@pytest.mark.parametrize(
    ("vendor", "body"),
    [
        ("openai", chat({"content": "I would rather not."}, reason="content_filter")),
        ("openai", chat({"refusal": "I would rather not."}, reason="stop")),
        ("anthropic", claude("I would rather not.", reason="refusal")),
    ],
)
async def test_a_refusal_in_words_is_an_answer(vendor: str, body: bytes) -> None:
    found = await came(vendor, body)
    assert (found.error, found.status, found.text) == (None, TurnStatus.COMPLETE, "I would rather not.")


@pytest.mark.parametrize("breaks", [False, True])
@pytest.mark.parametrize(
    ("vendor", "body"),
    [
        (
            "openai",
            chat({"content": "Half"}, usage=False)
            + b'data: {"choices":[{"delta":{"content":" an "}}],'
            + b'"usage":'
            + json.dumps(COUNTS).encode()
            + b"}\n\n",
        ),
        ("anthropic", claude("Half", " an ")),
    ],
)
async def test_what_a_cut_answer_cost_is_kept(vendor: str, body: bytes, breaks: bool) -> None:
    found = await came(vendor, body, breaks=breaks)
    assert type(found.error) is (ConnectionFailedError if breaks else ProtocolError)
    assert (found.status, found.text, found.tokens) == (TurnStatus.FAILED, "Half an ", 12)


@pytest.mark.parametrize("end", [b"", b"data: [DONE]\n\n"])
async def test_a_usage_alone_is_no_answer_and_is_kept(end: bytes) -> None:
    found = await came("openai", chat() + end)
    assert type(found.error) is ProtocolError and "got none; try again" in str(found.error)
    assert (found.status, found.tokens) == (TurnStatus.FAILED, 12)


WHOLE = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "thinking", "thinking": "Hm.", "signature": "s"}, {"type": "text", "text": "Hello."}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 5, "output_tokens": 7},
}


async def test_an_answer_of_anthropic_s_in_one_piece_is_an_answer() -> None:
    found = await came("anthropic", json.dumps(WHOLE, indent=1).encode(), JSON)
    assert (found.error, found.text, found.tokens) == (None, "Hello.", 12)


@pytest.mark.parametrize("vendor", ["openai", "anthropic"])
@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (b'{"type":"error","error":{"type":"overloaded_error","message":"x"}}', "overloaded", ""),
        (b'{"ok": true}', "protocol", "neither"),
        (b'{"content": "half', "protocol", "one object"),
        (b"[1, 2]", "protocol", "one object"),
        (b"  \r\n", "protocol", "try again"),
        (b"", "protocol", "try again"),
        (b"Hello, I am no API.\n\n", "protocol", "else"),
        (b": just a comment\n\n", "protocol", ""),
    ],
)
async def test_what_is_no_stream_is_said_with_what_to_do(vendor: str, body: bytes, code: str, words: str) -> None:
    async def answer(exchange: Exchange) -> None:
        exchange.whole(body, headers={"content-type": "application/json"})

    async with serving(answer) as server:
        provider = connect(VENDORS[vendor], Access(api_key="sk-x", base_url=server.url, backoff=Backoff(attempts=1)))
        with pytest.raises(OreError) as raised:
            await Agent(provider, spec=Spec(name="m")).run("Hi")
    assert raised.value.code == code
    if code == "protocol":
        assert words in str(raised.value)


async def test_events_of_another_protocol_are_said_to_be_of_another() -> None:
    for vendor, body in (
        ("anthropic", chat({"content": "a"}, reason="stop")),
        ("openai", claude("a", reason="end_turn")),
    ):
        found = await came(vendor, body)
        assert type(found.error) is ProtocolError
        assert "does the base URL name a server that speaks another protocol?" in str(found.error)
