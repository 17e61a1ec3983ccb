"""Anthropic's own client takes what a mock of Anthropic sends for the real thing."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from mock.command import mocking
from ore.artifact import ReasoningDelta, StopReason, TextDelta, ToolCallDelta, Usage
from ore.ext.mock import Failure, Hang, MockServer, script_of

anthropic = pytest.importorskip("anthropic", reason="the anthropic client is not installed")

ASK: dict[str, Any] = {
    "model": "mock",
    "max_tokens": 4096,
    "messages": [{"role": "user", "content": "Weather in Lisbon?"}],
    "thinking": {"type": "enabled", "budget_tokens": 1024},
    "tools": [
        {"name": "weather", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}}},
    ],
}
PLAIN = {name: ASK[name] for name in ("model", "max_tokens", "messages")}
CALLS = [
    ReasoningDelta(content="Let me "),
    ReasoningDelta(content="see."),
    TextDelta(content="One moment."),
    ToolCallDelta(index=0, id="toolu_1", name="weather", arguments='{"city"'),
    ToolCallDelta(index=0, arguments=': "Lisbon"}'),
    ToolCallDelta(index=1, id="toolu_2", name="weather"),
    Usage(prompt_tokens=10, completion_tokens=16, total_tokens=26, cache_read_tokens=1),
]
HI = TextDelta(content="21 °C")


@pytest_asyncio.fixture
async def server() -> AsyncIterator[MockServer]:
    script = script_of(CALLS, [HI, TextDelta(content=", clear.")])
    async with MockServer(script, vendor="anthropic", api_key="right") as server:
        yield server


def client(server: MockServer, *, retries: int = 0, key: str = "right") -> Any:
    return anthropic.AsyncAnthropic(base_url=server.url, api_key=key, max_retries=retries)


def continued(message: Any) -> list[Any]:
    """The conversation with the answer, as the client itself writes it, and the results."""
    blocks = [block.model_dump(exclude_none=True) for block in message.content]
    for block in blocks:
        block.pop("parsed_output", None)
    results = [
        {"type": "tool_result", "tool_use_id": block["id"], "content": "21"}
        for block in blocks
        if block["type"] == "tool_use"
    ]
    return [*ASK["messages"], {"role": "assistant", "content": blocks}, {"role": "user", "content": results}]


@pytest.mark.requirement("D-mock-sdk")
async def test_a_round_with_thinking_and_tools_that_is_not_streamed(server: MockServer) -> None:
    async with client(server) as api:
        first = await api.messages.create(**ASK)
        second = await api.messages.create(**{**ASK, "messages": continued(first)})
    assert [block.type for block in first.content] == ["thinking", "text", "tool_use", "tool_use"]
    assert [block.input for block in first.content[2:]] == [{"city": "Lisbon"}, {}]
    assert (first.stop_reason, first.usage.input_tokens, first.usage.output_tokens) == ("tool_use", 9, 16)
    assert [block.text for block in second.content] == ["21 °C, clear."]
    assert [recorded.status for recorded in server.requests] == [200, 200]


@pytest.mark.requirement("D-mock-sdk")
async def test_a_round_with_thinking_and_tools_that_is_streamed(server: MockServer) -> None:
    async with client(server) as api:
        async with api.messages.stream(**ASK) as stream:
            kinds = {event.type async for event in stream}
            first = await stream.get_final_message()
        async with api.messages.stream(**{**ASK, "messages": continued(first)}) as stream:
            pieces = [piece async for piece in stream.text_stream]
    assert {"thinking", "signature", "text", "input_json", "content_block_stop", "message_stop"} <= kinds
    assert first.content[0].thinking == "Let me see."
    assert [block.input for block in first.content[2:]] == [{"city": "Lisbon"}, {}]
    assert (first.usage.cache_read_input_tokens, first.usage.output_tokens) == (1, 16)
    assert pieces == ["21 °C", ", clear."]


@pytest.mark.requirement("D-mock-sdk")
@pytest.mark.parametrize(
    ("code", "kind", "status"),
    [
        ("authentication", "AuthenticationError", 401),
        ("rate_limit", "RateLimitError", 429),
        ("overloaded", "InternalServerError", 529),
        ("timeout", "InternalServerError", 504),
        ("context_overflow", "BadRequestError", 400),
        ("content_filter", "BadRequestError", 400),
        ("bad_request", "BadRequestError", 400),
    ],
)
async def test_errors_are_those_of_the_client(code: str, kind: str, status: int) -> None:
    async with MockServer(script_of([Failure(code, "why")]), vendor="anthropic") as server, client(server) as api:
        with pytest.raises(getattr(anthropic, kind)) as caught:
            await api.messages.create(**PLAIN)
    assert (caught.value.status_code, caught.value.request_id) == (status, "req_mock000001")
    assert caught.value.body["error"]["message"].endswith("why")


@pytest.mark.requirement("D-mock-sdk")
async def test_the_client_waits_as_long_as_it_is_told_and_asks_again() -> None:
    script = script_of([Failure("rate_limit", "why", 0.01)], [Failure("connection", "why")], [HI])
    async with MockServer(script, vendor="anthropic") as server, client(server, retries=2) as api:
        answer = await api.messages.create(**PLAIN)
        assert answer.content[0].text == "21 °C"
        assert [recorded.status for recorded in server.requests] == [429, None, 200]


@pytest.mark.requirement("D-mock-sdk")
async def test_an_error_inside_a_stream() -> None:
    script = script_of([HI, Failure("overloaded", "why")])
    async with (
        MockServer(script, vendor="anthropic") as server,
        client(server) as api,
        api.messages.stream(**PLAIN) as stream,
    ):
        with pytest.raises(anthropic.APIStatusError) as caught:
            await stream.get_final_message()
    assert caught.value.body["error"] == {"type": "overloaded_error", "message": "why"}


@pytest.mark.requirement("D-mock-sdk")
async def test_an_answer_that_hangs_runs_into_the_limit_of_the_client() -> None:
    async with MockServer(script_of([Hang()]), vendor="anthropic") as server, client(server) as api:
        with pytest.raises(anthropic.APITimeoutError):
            await api.messages.create(**PLAIN, timeout=0.05)
        await server.idle()
        assert server.requests[0].ending == "left"


@pytest.mark.requirement("D-mock-sdk")
@pytest.mark.parametrize(("reason", "said"), [("length", "max_tokens"), ("refusal", "refusal")])
async def test_other_endings(reason: Any, said: str) -> None:
    script = script_of([TextDelta(content="No"), StopReason(reason=reason)])
    async with (
        MockServer(script, vendor="anthropic") as server,
        client(server) as api,
        api.messages.stream(**PLAIN) as stream,
    ):
        assert (await stream.get_final_message()).stop_reason == said


@pytest.mark.requirement("D-mock-sdk")
async def test_what_anthropic_would_refuse_is_refused(server: MockServer) -> None:
    async with client(server) as api:
        first = await api.messages.create(**ASK)
        messages = continued(first)
        messages[1]["content"][0]["thinking"] = "Something else."
        with pytest.raises(anthropic.BadRequestError, match=r"expected the thinking that its signature signs"):
            await api.messages.create(**{**ASK, "messages": messages})
        with pytest.raises(anthropic.BadRequestError, match=r"expected a tool_result for each tool_use"):
            await api.messages.create(**{**ASK, "messages": [*messages[:2], *ASK["messages"]]})
    async with client(server, key="wrong") as api:
        with pytest.raises(anthropic.AuthenticationError, match="invalid x-api-key"):
            await api.messages.create(**PLAIN)


@pytest.mark.requirement("D-mock-sdk", "D-mock-command")
def test_the_client_without_a_loop_speaks_to_the_command(tmp_path: Path) -> None:
    with (
        mocking(
            tmp_path, [{"kind": "text_delta", "content": "Hello"}], vendor="anthropic", repeat=True
        ) as (url, _),
        anthropic.Anthropic(base_url=url, api_key="any", max_retries=0) as api,
    ):  # fmt: skip
        whole = api.messages.create(**PLAIN)
        with api.messages.stream(**PLAIN) as stream:
            streamed = stream.get_final_message()
    assert whole.content[0].text == streamed.content[0].text == "Hello"
