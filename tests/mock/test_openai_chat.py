"""What a played OpenAI sends, byte for byte where it matters."""

import pytest

from mock.asking import OPENAI, STREAM, ask, deltas
from ore.artifact import (
    Reasoning,
    ReasoningDelta,
    StopReason,
    Text,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    Usage,
)
from ore.ext.mock import MockServer, script_of

HEAD = {
    "id": "chatcmpl-mock000001",
    "object": "chat.completion.chunk",
    "created": 1767225600,
    "model": "gpt-4o",
    "service_tier": "default",
    "system_fingerprint": "fp_mock",
}
USAGE = {
    "prompt_tokens": 10,
    "completion_tokens": 2,
    "total_tokens": 12,
    "prompt_tokens_details": {"cached_tokens": 4, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 1, "audio_tokens": 0},
}
SAID = Usage(prompt_tokens=10, completion_tokens=2, total_tokens=12, cache_read_tokens=4, reasoning_tokens=1)
CALL = ToolCallDelta(index=0, id="c1", name="weather", arguments='{"city"')


@pytest.mark.requirement("D-mock")
async def test_a_stream_has_chunks_the_usage_that_was_asked_for_and_an_end() -> None:
    async with MockServer(script_of([TextDelta(content="Hi"), TextDelta(content=" 北"), SAID])) as server:
        answer = await ask(server, {**OPENAI, **STREAM})

    def chunk(delta: dict[str, object], reason: str | None = None) -> tuple[str, object]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return "", {**HEAD, "choices": [choice], "usage": None}

    assert answer.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["x-request-id"] == "req_mock000001"
    assert answer.events == [
        chunk({"role": "assistant", "content": "", "refusal": None}),
        chunk({"content": "Hi"}),
        chunk({"content": " 北"}),
        chunk({}, "stop"),
        ("", {**HEAD, "choices": [], "usage": USAGE}),
        ("", "[DONE]"),
    ]


@pytest.mark.requirement("D-mock")
async def test_without_being_asked_a_stream_says_nothing_of_usage() -> None:
    async with MockServer(script_of([TextDelta(content="Hi"), SAID])) as server:
        answer = await ask(server, {**OPENAI, "stream": True})
    assert b"usage" not in answer.content
    assert answer.events[-1] == ("", "[DONE]")


@pytest.mark.requirement("D-mock")
async def test_an_answer_that_is_not_streamed_is_one_completion() -> None:
    items = [ReasoningDelta(content="Hm."), TextDelta(content="Let me "), TextDelta(content="see."), CALL]
    rest = ToolCallDelta(index=0, arguments=': "Lisbon"}')
    async with MockServer(script_of([*items, rest, SAID])) as server:
        answer = await ask(server, OPENAI)
    function = {"name": "weather", "arguments": '{"city": "Lisbon"}'}
    assert answer.body == {
        **HEAD,
        "object": "chat.completion",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "Let me see.",
                    "refusal": None,
                    "annotations": [],
                    "reasoning_content": "Hm.",
                    "tool_calls": [{"id": "c1", "type": "function", "function": function}],
                },
                "logprobs": None,
                "finish_reason": "tool_calls",
            }
        ],
        "usage": USAGE,
    }


@pytest.mark.requirement("D-mock")
async def test_the_first_fragment_of_a_call_names_it_and_the_others_only_go_on() -> None:
    second = ToolCallDelta(index=1, name="time")
    calls = [CALL, second, ToolCallDelta(index=0, arguments=": 1}"), ToolCallDelta(index=1, arguments="{}")]
    async with MockServer(script_of(calls)) as server:
        answer = await ask(server, {**OPENAI, "stream": True})
    assert [delta["tool_calls"][0] for delta in deltas(answer)[1:-1]] == [
        {"index": 0, "id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city"'}},
        {"index": 1, "id": "call_mock000001x1", "type": "function", "function": {"name": "time", "arguments": ""}},
        {"index": 0, "function": {"arguments": ": 1}"}},
        {"index": 1, "function": {"arguments": "{}"}},
    ]
    assert answer.events[-2][1]["choices"][0]["finish_reason"] == "tool_calls"


@pytest.mark.requirement("D-mock")
async def test_complete_artifacts_come_as_one_fragment_each() -> None:
    items = [Reasoning(content="Hm."), Text(content="Hi"), ToolCall(id="a", name="f", arguments="{}")]
    async with MockServer(script_of([*items, ToolCall(id="b", name="f", arguments="{}")])) as server:
        answer = await ask(server, {**OPENAI, "stream": True})
    assert deltas(answer)[1:-1] == [
        {"reasoning_content": "Hm."},
        {"content": "Hi"},
        {"tool_calls": [{"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"tool_calls": [{"index": 1, "id": "b", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
    ]


@pytest.mark.requirement("D-mock")
@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("tool_use", "tool_calls"),
        ("refusal", "content_filter"),
        ("other", "stop"),
    ],
)
async def test_reasons_are_said_in_the_vendors_words(reason: str, said: str) -> None:
    script = script_of([TextDelta(content="Hi"), StopReason(reason=reason)], repeat=True)  # type: ignore[arg-type]
    async with MockServer(script) as server:
        whole, streamed = await ask(server, OPENAI), await ask(server, {**OPENAI, "stream": True})
    assert whole.body["choices"][0]["finish_reason"] == said
    assert streamed.events[-2][1]["choices"][0]["finish_reason"] == said


@pytest.mark.requirement("D-mock")
async def test_the_model_that_was_asked_for_answers_under_the_shorter_path_too() -> None:
    async with MockServer(script_of([TextDelta(content="Hi")])) as server:
        answer = await ask(server, {**OPENAI, "model": "any/model"}, "/chat/completions")
    assert answer.body["model"] == "any/model"


@pytest.mark.requirement("D-mock")
async def test_usage_that_the_script_leaves_out_is_estimated() -> None:
    async with MockServer(script_of([TextDelta(content="a"), TextDelta(content="b")])) as server:
        usage = (await ask(server, OPENAI)).body["usage"]
    assert usage["completion_tokens"] == 2
    assert usage["total_tokens"] == usage["prompt_tokens"] + 2 > 2
