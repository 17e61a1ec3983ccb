"""What a played OpenAI sends as a response, event by event where it matters."""

from typing import Any

import pytest

from mock.asking import Answer, ask
from ore.artifact import Reasoning, ReasoningDelta, StopReason, Text, TextDelta, ToolCall, ToolCallDelta, Usage
from ore.ext.mock import Failure, MockServer, script_of

USER = {"role": "user", "content": "Hi"}
ASK: dict[str, Any] = {"model": "gpt-5", "input": [USER]}
STREAMED = {**ASK, "stream": True}
ENCRYPTED = {**ASK, "include": ["reasoning.encrypted_content"], "store": False}
SAID = Usage(prompt_tokens=10, completion_tokens=2, total_tokens=12, cache_read_tokens=4, reasoning_tokens=1)
FRAGMENTS = [
    ReasoningDelta(content="Hm."),
    TextDelta(content=""),
    TextDelta(content="Let me "),
    TextDelta(content="see."),
    ToolCallDelta(index=0, id="c1", name="weather", arguments='{"city"'),
    ToolCallDelta(index=1, id="c2", name="time", arguments="{}"),
    ToolCallDelta(index=0, arguments=': "Lisbon"}'),
    SAID,
]
TEXT = {"type": "output_text", "text": "Let me see.", "annotations": [], "logprobs": []}
OUTPUT: list[dict[str, Any]] = [
    {"type": "reasoning", "id": "rs_mock000001x0", "summary": [{"type": "summary_text", "text": "Hm."}]},
    {"type": "message", "id": "msg_mock000001x1", "role": "assistant", "status": "completed", "content": [TEXT]},
    {
        "type": "function_call",
        "id": "fc_mock000001x2",
        "call_id": "c1",
        "name": "weather",
        "arguments": '{"city": "Lisbon"}',
        "status": "completed",
    },
    {
        "type": "function_call",
        "id": "fc_mock000001x3",
        "call_id": "c2",
        "name": "time",
        "arguments": "{}",
        "status": "completed",
    },
]


async def post(server: MockServer, body: Any) -> Answer:
    return await ask(server, body, "/v1/responses")


@pytest.mark.requirement("D-mock")
async def test_an_answer_that_is_not_streamed_is_one_response() -> None:
    async with MockServer(script_of(FRAGMENTS)) as server:
        body = (await post(server, {**ASK, "instructions": "Be brief."})).body
    assert (body["id"], body["object"], body["status"], body["model"]) == (
        "resp_mock000001",
        "response",
        "completed",
        "gpt-5",
    )
    assert body["output"] == OUTPUT
    assert (body["instructions"], body["tools"], body["error"], body["incomplete_details"]) == (
        "Be brief.",
        [],
        None,
        None,
    )
    assert body["usage"] == {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 0},
        "output_tokens": 2,
        "output_tokens_details": {"reasoning_tokens": 1},
        "total_tokens": 12,
    }


@pytest.mark.requirement("D-mock")
async def test_a_stream_has_numbered_events_one_item_after_the_other() -> None:
    async with MockServer(script_of(FRAGMENTS)) as server:
        events = (await post(server, STREAMED)).events
    assert [data["sequence_number"] for _, data in events] == list(range(len(events)))
    assert [(name.removeprefix("response."), data.get("output_index"), data.get("delta")) for name, data in events] == [
        ("created", None, None),
        ("in_progress", None, None),
        ("output_item.added", 0, None),
        ("reasoning_summary_part.added", 0, None),
        ("reasoning_summary_text.delta", 0, "Hm."),
        ("reasoning_summary_text.done", 0, None),
        ("reasoning_summary_part.done", 0, None),
        ("output_item.done", 0, None),
        ("output_item.added", 1, None),
        ("content_part.added", 1, None),
        ("output_text.delta", 1, "Let me "),
        ("output_text.delta", 1, "see."),
        ("output_text.done", 1, None),
        ("content_part.done", 1, None),
        ("output_item.done", 1, None),
        ("output_item.added", 2, None),
        ("function_call_arguments.delta", 2, '{"city"'),
        ("function_call_arguments.delta", 2, ': "Lisbon"}'),
        ("function_call_arguments.done", 2, None),
        ("output_item.done", 2, None),
        ("output_item.added", 3, None),
        ("function_call_arguments.delta", 3, "{}"),
        ("function_call_arguments.done", 3, None),
        ("output_item.done", 3, None),
        ("completed", None, None),
    ]
    assert [data["item"] for name, data in events if name.endswith("item.done")] == OUTPUT
    begun = [data["item"] for name, data in events if name.endswith("item.added")]
    assert [item.get("content", item.get("arguments", item.get("summary"))) for item in begun] == [[], [], "", ""]
    assert (events[0][1]["response"]["output"], events[-1][1]["response"]["output"]) == ([], OUTPUT)


@pytest.mark.requirement("D-mock")
async def test_complete_artifacts_are_items_at_once_and_items_of_the_script_stay_as_they_are() -> None:
    own = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    items = [
        Reasoning(content=""),
        Text(content="Hi"),
        Text(content="", provider_data={"item": own}),
        ToolCall(id="c1", name="f", arguments="{}"),
    ]
    async with MockServer(script_of(items, repeat=True)) as server:
        whole, streamed = await post(server, ENCRYPTED), await post(server, {**ENCRYPTED, "stream": True})
    output = whole.body["output"]
    assert [item["type"] for item in output] == ["reasoning", "message", "web_search_call", "function_call"]
    assert (output[0]["summary"], output[0]["encrypted_content"], output[2]) == ([], "encmock000001x0", own)
    done = [data["item"]["type"] for name, data in streamed.events if name.endswith("item.done")]
    assert done == [item["type"] for item in output]


@pytest.mark.requirement("D-mock")
@pytest.mark.parametrize(("reason", "said"), [("length", "max_output_tokens"), ("refusal", "content_filter")])
async def test_an_answer_that_was_cut_is_incomplete(reason: Any, said: str) -> None:
    async with MockServer(script_of([TextDelta(content="Hi"), StopReason(reason=reason)], repeat=True)) as server:
        whole, streamed = await post(server, ASK), await post(server, STREAMED)
    name, data = streamed.events[-1]
    assert (whole.body["status"], whole.body["incomplete_details"]) == ("incomplete", {"reason": said})
    assert (name, data["response"]["status"]) == ("response.incomplete", "incomplete")


@pytest.mark.requirement("D-mock-failures")
async def test_a_failure_inside_a_stream_is_an_error_and_a_response_that_failed() -> None:
    script = script_of([TextDelta(content="Hi"), Failure("overloaded", "why")], [Failure("rate_limit", "why", 2)])
    async with MockServer(script) as server:
        streamed, refused = await post(server, STREAMED), await post(server, STREAMED)
    (error, told), (failed, ended) = streamed.events[-2:]
    assert (error, told["error"]["code"]) == ("error", "server_is_overloaded")
    assert (failed, ended["response"]["status"], ended["response"]["error"]) == (
        "response.failed",
        "failed",
        {"code": "server_is_overloaded", "message": "why"},
    )
    assert (refused.status, refused.headers["Retry-After"]) == (429, "2")


@pytest.mark.requirement("D-mock-strict")
async def test_items_come_back_as_they_were_issued_and_beside_their_neighbours() -> None:
    outputs = [{"type": "function_call_output", "call_id": id, "output": "x"} for id in ("c1", "c2")]

    def again(*items: Any) -> Any:
        return {**ASK, "input": [USER, *items, *outputs]}

    script = script_of(FRAGMENTS, [TextDelta(content="Done.")], repeat=True)
    async with MockServer(script) as server:
        await post(server, ASK)
        refused = await post(server, again(*OUTPUT[1:]))
        changed = await post(server, again(*OUTPUT[:2], {**OUTPUT[2], "arguments": "{}"}, OUTPUT[3]))
        taken = await post(server, again(*OUTPUT))
    assert refused.body["error"]["message"].startswith(
        "input[1]: expected the reasoning 'rs_mock000001x0' right before"
    )
    assert changed.body["error"]["message"].startswith("input[3].arguments: expected what was issued as ")
    assert taken.status == 200
