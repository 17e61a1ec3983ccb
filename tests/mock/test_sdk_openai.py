"""OpenAI's own client takes what a mock of OpenAI sends for the real thing."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from pydantic import BaseModel

from mock.command import mocking
from ore.artifact import ReasoningDelta, StopReason, TextDelta, ToolCallDelta, Usage
from ore.ext.mock import Failure, Hang, MockServer, script_of

openai = pytest.importorskip("openai", reason="the openai client is not installed")

MESSAGES = [{"role": "user", "content": "Weather in Lisbon?"}]
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "weather",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": ["city"],
                "additionalProperties": False,
            },
            "strict": True,
        },
    }
]
CALLS = [
    ReasoningDelta(content="Hm."),
    ToolCallDelta(index=0, id="c1", name="weather", arguments='{"city"'),
    ToolCallDelta(index=0, arguments=': "Lisbon"}'),
    ToolCallDelta(index=1, id="c2", name="weather", arguments='{"city": "Porto"}'),
    Usage(prompt_tokens=10, completion_tokens=5, total_tokens=15, cache_read_tokens=4),
]
HI = TextDelta(content="21 °C")


class Weather(BaseModel):
    """What is asked for."""

    city: str
    degrees: int


@pytest_asyncio.fixture
async def server() -> AsyncIterator[MockServer]:
    script = script_of(CALLS, [HI, TextDelta(content=", clear.")])
    async with MockServer(script, api_key="right") as server:
        yield server


def client(server: MockServer, *, retries: int = 0, key: str = "right") -> Any:
    return openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key=key, max_retries=retries)


@pytest.mark.requirement("D-mock-sdk")
async def test_a_round_with_tools_that_is_not_streamed(server: MockServer) -> None:
    async with client(server) as api:
        first = await api.chat.completions.create(model="gpt-4o", messages=MESSAGES, tools=TOOLS)
        message = first.choices[0].message
        calls = message.tool_calls
        assert [(call.id, call.function.name, call.function.arguments) for call in calls] == [
            ("c1", "weather", '{"city": "Lisbon"}'),
            ("c2", "weather", '{"city": "Porto"}'),
        ]
        assert (first.choices[0].finish_reason, first.usage.prompt_tokens_details.cached_tokens) == ("tool_calls", 4)
        sent = message.model_dump(exclude_none=True, exclude={"reasoning_content", "annotations"})
        results = [{"role": "tool", "tool_call_id": call.id, "content": "21"} for call in calls]
        second = await api.chat.completions.create(model="gpt-4o", messages=[*MESSAGES, sent, *results], tools=TOOLS)
    assert second.choices[0].message.content == "21 °C, clear."
    assert [recorded.status for recorded in server.requests] == [200, 200]


@pytest.mark.requirement("D-mock-sdk")
async def test_a_round_with_tools_that_is_streamed(server: MockServer) -> None:
    options = {"model": "gpt-4o", "messages": MESSAGES, "tools": TOOLS, "stream_options": {"include_usage": True}}
    async with client(server) as api:
        async with api.chat.completions.stream(**options) as stream:
            kinds = {event.type async for event in stream}
            first = await stream.get_final_completion()
        async with api.chat.completions.stream(**options) as stream:
            pieces = [event.delta async for event in stream if event.type == "content.delta"]
    assert {"tool_calls.function.arguments.delta", "tool_calls.function.arguments.done"} <= kinds
    assert [call.function.parsed_arguments for call in first.choices[0].message.tool_calls] == [
        {"city": "Lisbon"},
        {"city": "Porto"},
    ]
    assert first.usage.total_tokens == 15
    assert pieces == ["", "21 °C", ", clear."]


@pytest.mark.requirement("D-mock-sdk")
async def test_an_answer_of_a_type() -> None:
    script = script_of([TextDelta(content='{"city": "Lisbon", '), TextDelta(content='"degrees": 21}')])
    async with MockServer(script) as server, client(server) as api:
        parsed = await api.chat.completions.parse(model="gpt-4o", messages=MESSAGES, response_format=Weather)
    assert parsed.choices[0].message.parsed == Weather(city="Lisbon", degrees=21)


@pytest.mark.requirement("D-mock-sdk")
@pytest.mark.parametrize(
    ("code", "kind", "status"),
    [
        ("authentication", "AuthenticationError", 401),
        ("rate_limit", "RateLimitError", 429),
        ("overloaded", "InternalServerError", 503),
        ("timeout", "InternalServerError", 504),
        ("context_overflow", "BadRequestError", 400),
        ("content_filter", "BadRequestError", 400),
        ("bad_request", "BadRequestError", 400),
    ],
)
async def test_errors_are_those_of_the_client(code: str, kind: str, status: int) -> None:
    async with MockServer(script_of([Failure(code, "why")])) as server, client(server) as api:
        with pytest.raises(getattr(openai, kind)) as caught:
            await api.chat.completions.create(model="gpt-4o", messages=MESSAGES)
    assert (caught.value.status_code, caught.value.body["message"], caught.value.request_id) == (
        status,
        "why",
        "req_mock000001",
    )


@pytest.mark.requirement("D-mock-sdk")
async def test_the_client_waits_as_long_as_it_is_told_and_asks_again() -> None:
    script = script_of([Failure("rate_limit", "why", 0.01)], [Failure("connection", "why")], [HI])
    async with MockServer(script) as server, client(server, retries=2) as api:
        answer = await api.chat.completions.create(model="gpt-4o", messages=MESSAGES)
        assert answer.choices[0].message.content == "21 °C"
        assert [recorded.status for recorded in server.requests] == [429, None, 200]


@pytest.mark.requirement("D-mock-sdk")
async def test_an_error_inside_a_stream_and_a_connection_that_breaks_there() -> None:
    script = script_of([HI, Failure("overloaded", "why")], [HI, Failure("connection", "why")])
    async with MockServer(script) as server, client(server) as api:
        for kind in (openai.APIError, openai.APIConnectionError):
            stream = await api.chat.completions.create(model="gpt-4o", messages=MESSAGES, stream=True)
            seen = []
            with pytest.raises(kind):
                async for chunk in stream:
                    seen.append(chunk.choices[0].delta.content)
            assert seen == ["", "21 °C"]


@pytest.mark.requirement("D-mock-sdk")
async def test_an_answer_that_hangs_runs_into_the_limit_of_the_client() -> None:
    async with MockServer(script_of([Hang()])) as server, client(server) as api:
        with pytest.raises(openai.APITimeoutError):
            await api.chat.completions.create(model="gpt-4o", messages=MESSAGES, timeout=0.05)
        await server.idle()
        assert server.requests[0].ending == "left"


@pytest.mark.requirement("D-mock-sdk")
async def test_an_answer_that_was_cut_by_its_limit() -> None:
    script = script_of([TextDelta(content='{"city'), StopReason(reason="length")])
    async with MockServer(script) as server, client(server) as api:
        with pytest.raises(openai.LengthFinishReasonError):
            await api.chat.completions.parse(model="gpt-4o", messages=MESSAGES, response_format=Weather)


@pytest.mark.requirement("D-mock-sdk")
async def test_what_openai_would_refuse_is_refused(server: MockServer) -> None:
    message = {"role": "tool", "tool_call_id": "c1", "content": "x"}
    async with client(server) as api:
        with pytest.raises(openai.BadRequestError, match=r"messages\[0\].tool_call_id: expected a message with tool"):
            await api.chat.completions.create(model="gpt-4o", messages=[message])
    async with client(server, key="wrong") as api:
        with pytest.raises(openai.AuthenticationError, match="Incorrect API key provided"):
            await api.chat.completions.create(model="gpt-4o", messages=MESSAGES)


@pytest.mark.requirement("D-mock-sdk")
async def test_a_round_with_tools_over_responses() -> None:
    tools = [{"type": "function", **TOOLS[0]["function"]}]  # type: ignore[dict-item]
    async with MockServer(script_of(CALLS, [HI, TextDelta(content=", clear.")])) as server, client(server) as api:
        async with api.responses.stream(model="gpt-5", input=MESSAGES, tools=tools) as stream:
            kinds = {event.type async for event in stream}
            first = await stream.get_final_response()
        calls = [item for item in first.output if item.type == "function_call"]
        outputs = [{"type": "function_call_output", "call_id": call.call_id, "output": "21"} for call in calls]
        items = [item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in first.output]
        second = await api.responses.create(model="gpt-5", input=[*MESSAGES, *items, *outputs], tools=tools)
        assert [recorded.fault for recorded in server.requests] == [None, None]
    assert {"response.created", "response.reasoning_summary_text.delta", "response.completed"} <= kinds
    assert [(call.call_id, call.parsed_arguments) for call in calls] == [
        ("c1", {"city": "Lisbon"}),
        ("c2", {"city": "Porto"}),
    ]
    assert (first.usage.input_tokens_details.cached_tokens, second.output_text) == (4, "21 °C, clear.")


@pytest.mark.requirement("D-mock-sdk")
async def test_errors_over_responses() -> None:
    script = script_of([Failure("rate_limit", "why")], [HI, Failure("overloaded", "why")])
    async with MockServer(script) as server, client(server) as api:
        with pytest.raises(openai.RateLimitError):
            await api.responses.create(model="gpt-5", input="Hi")
        stream = await api.responses.create(model="gpt-5", input="Hi", stream=True)
        with pytest.raises(openai.APIError, match="why"):
            async for _ in stream:
                pass


@pytest.mark.requirement("D-mock-sdk", "D-mock-command")
def test_the_client_without_a_loop_speaks_to_the_command(tmp_path: Path) -> None:
    with (
        mocking(tmp_path, [{"kind": "text_delta", "content": "Hello"}], repeat=True) as (url, _),
        openai.OpenAI(base_url=f"{url}/v1", api_key="any", max_retries=0) as api,
    ):
        whole = api.chat.completions.create(model="gpt-4o", messages=MESSAGES)
        with api.chat.completions.stream(model="gpt-4o", messages=MESSAGES) as stream:
            streamed = stream.get_final_completion()
    assert whole.choices[0].message.content == streamed.choices[0].message.content == "Hello"
