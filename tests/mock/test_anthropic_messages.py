"""What a played Anthropic sends, byte for byte where it matters."""

from typing import Any

import pytest

from mock.asking import ANTHROPIC, ask_anthropic
from ore.artifact import (
    BlockEnd,
    Reasoning,
    ReasoningDelta,
    ServerTool,
    StopReason,
    Text,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    Usage,
)
from ore.ext.mock import MockServer, script_of

SAID = Usage(prompt_tokens=10, completion_tokens=16, total_tokens=26, cache_read_tokens=1, cache_write_tokens=2)
USAGE = {
    "input_tokens": 7,
    "cache_creation_input_tokens": 2,
    "cache_read_input_tokens": 1,
    "output_tokens": 16,
    "service_tier": "standard",
}
HEAD: dict[str, Any] = {
    "id": "msg_mock000001",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-4-5",
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
}
STREAMED = {**ANTHROPIC, "stream": True}


def delta(index: int, kind: str, **fields: str) -> tuple[str, Any]:
    data = {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}
    return "content_block_delta", data


def start(index: int, **block: Any) -> tuple[str, Any]:
    return "content_block_start", {"type": "content_block_start", "index": index, "content_block": block}


def stop(index: int) -> tuple[str, Any]:
    return "content_block_stop", {"type": "content_block_stop", "index": index}


PING = ("ping", {"type": "ping"})
FRAGMENTS = [
    ReasoningDelta(content="Hm"),
    ReasoningDelta(content="."),
    TextDelta(content="Let me see."),
    ToolCallDelta(index=0, id="toolu_1", name="weather", arguments='{"city"'),
    ToolCallDelta(index=0, arguments=': "Lisbon"}'),
    ToolCallDelta(index=1, id="toolu_2", name="time"),
    SAID,
]


@pytest.mark.requirement("D-mock")
async def test_a_stream_has_named_events_one_block_after_the_other_and_usage_that_counts_from_the_beginning() -> None:
    async with MockServer(script_of(FRAGMENTS), vendor="anthropic") as server:
        answer = await ask_anthropic(server, STREAMED)
    assert answer.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["request-id"] == "req_mock000001"
    figures = {name: count for name, count in USAGE.items() if name != "service_tier"}
    ended = {"stop_reason": "tool_use", "stop_sequence": None}
    assert answer.events == [
        ("message_start", {"type": "message_start", "message": {**HEAD, "usage": {**USAGE, "output_tokens": 1}}}),
        start(0, type="thinking", thinking="", signature=""),
        PING,
        delta(0, "thinking_delta", thinking="Hm"),
        delta(0, "thinking_delta", thinking="."),
        delta(0, "signature_delta", signature="sigmock000001x1"),
        stop(0),
        start(1, type="text", text=""),
        delta(1, "text_delta", text="Let me see."),
        stop(1),
        start(2, type="tool_use", id="toolu_1", name="weather", input={}),
        delta(2, "input_json_delta", partial_json=""),
        delta(2, "input_json_delta", partial_json='{"city"'),
        delta(2, "input_json_delta", partial_json=': "Lisbon"}'),
        stop(2),
        start(3, type="tool_use", id="toolu_2", name="time", input={}),
        delta(3, "input_json_delta", partial_json=""),
        stop(3),
        ("message_delta", {"type": "message_delta", "delta": ended, "usage": figures}),
        ("message_stop", {"type": "message_stop"}),
    ]


@pytest.mark.requirement("D-mock")
async def test_an_answer_that_is_not_streamed_is_one_message() -> None:
    async with MockServer(script_of(FRAGMENTS), vendor="anthropic") as server:
        answer = await ask_anthropic(server, ANTHROPIC)
    assert answer.body == {
        **HEAD,
        "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "sigmock000001x0"},
            {"type": "text", "text": "Let me see."},
            {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Lisbon"}},
            {"type": "tool_use", "id": "toolu_2", "name": "time", "input": {}},
        ],
        "stop_reason": "tool_use",
        "usage": USAGE,
    }


@pytest.mark.requirement("D-mock")
async def test_calls_whose_fragments_alternate_come_one_after_the_other() -> None:
    """The vendor has one block open at a time."""
    calls = [
        ToolCallDelta(index=0, id="a", name="f", arguments='{"n"'),
        ToolCallDelta(index=1, id="b", name="g", arguments='{"m"'),
        ToolCallDelta(index=0, arguments=": 1}"),
        ToolCallDelta(index=1, arguments=": 2}"),
        TextDelta(content="Done."),
    ]
    async with MockServer(script_of(calls), vendor="anthropic") as server:
        answer = await ask_anthropic(server, STREAMED)
    assert [
        (data["index"], data.get("delta", {}).get("partial_json"))
        for name, data in answer.events
        if name in ("content_block_delta", "content_block_stop") and data["index"] < 2
    ] == [(0, ""), (0, '{"n"'), (0, ": 1}"), (0, None), (1, ""), (1, '{"m"'), (1, ": 2}"), (1, None)]


@pytest.mark.requirement("D-mock")
async def test_vendor_data_of_the_script_is_sent_as_it_stands_there() -> None:
    block = {"type": "server_tool_use", "id": "srv1", "name": "web_search", "input": {"query": "x"}}
    items = [
        Reasoning(content="Hm.", provider_data={"signature": "S1"}),
        Reasoning(content="", provider_data={"redacted": "R1"}),
        ServerTool(name="web_search", provider_data={"block": block}),
        Text(content="One."),
        Text(content="Two."),
        ToolCall(id="", name="f", arguments='{"n'),
        StopReason(reason="length"),
    ]
    async with MockServer(script_of(items, repeat=True), vendor="anthropic") as server:
        whole, streamed = await ask_anthropic(server, ANTHROPIC), await ask_anthropic(server, STREAMED)
    assert whole.body["content"] == [
        {"type": "thinking", "thinking": "Hm.", "signature": "S1"},
        {"type": "redacted_thinking", "data": "R1"},
        block,
        {"type": "text", "text": "One."},
        {"type": "text", "text": "Two."},
        {"type": "tool_use", "id": "toolu_mock000001x5", "name": "f", "input": {}},
    ]
    begun = [data["content_block"] for name, data in streamed.events if name == "content_block_start"]
    assert begun == [
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "redacted_thinking", "data": "R1"},
        block,
        {"type": "text", "text": ""},
        {"type": "text", "text": ""},
        {"type": "tool_use", "id": "toolu_mock000002x5", "name": "f", "input": {}},
    ]
    assert ("content_block_delta", delta(0, "signature_delta", signature="S1")[1]) in streamed.events


@pytest.mark.requirement("D-mock")
async def test_the_end_of_a_block_brings_its_signature() -> None:
    items = [
        ReasoningDelta(content="One."),
        BlockEnd(provider_data={"signature": "S1"}),
        ReasoningDelta(content="Two."),
        BlockEnd(provider_data={"signature": "S2"}),
        TextDelta(content="Hi"),
    ]
    async with MockServer(script_of(items, repeat=True), vendor="anthropic") as server:
        whole, streamed = await ask_anthropic(server, ANTHROPIC), await ask_anthropic(server, STREAMED)
    thoughts = [(block["thinking"], block["signature"]) for block in whole.body["content"][:2]]
    assert thoughts == [("One.", "S1"), ("Two.", "S2")]
    signed = [data["delta"]["signature"] for name, data in streamed.events if "signature" in data.get("delta", {})]
    assert signed == ["S1", "S2"]


@pytest.mark.requirement("D-mock")
@pytest.mark.parametrize(
    ("reason", "said"),
    [
        *(("stop", "end_turn"), ("length", "max_tokens"), ("tool_use", "tool_use")),
        *(("refusal", "refusal"), ("other", "stop_sequence")),
    ],
)
async def test_reasons_are_said_in_the_vendors_words(reason: str, said: str) -> None:
    script = script_of([TextDelta(content="Hi"), StopReason(reason=reason)], repeat=True)  # type: ignore[arg-type]
    async with MockServer(script, vendor="anthropic") as server:
        whole, streamed = await ask_anthropic(server, ANTHROPIC), await ask_anthropic(server, STREAMED)
    assert whole.body["stop_reason"] == streamed.events[-2][1]["delta"]["stop_reason"] == said


@pytest.mark.requirement("D-mock")
async def test_thinking_comes_back_as_it_was_issued_or_not_at_all() -> None:
    def turn(**block: str) -> dict[str, Any]:
        thought = {"type": "thinking", "thinking": "Hm.", "signature": "sigmock000001x1", **block}
        answer = {"role": "assistant", "content": [thought, {"type": "text", "text": "Hi"}]}
        return {**ANTHROPIC, "messages": [*ANTHROPIC["messages"], answer, *ANTHROPIC["messages"]]}  # type: ignore[misc]

    script = script_of([ReasoningDelta(content="Hm."), TextDelta(content="Hi")], repeat=True)
    async with MockServer(script, vendor="anthropic") as server:
        refused = await ask_anthropic(server, turn())
        await ask_anthropic(server, STREAMED)
        taken = await ask_anthropic(server, turn())
        changed = await ask_anthropic(server, turn(thinking="Hm!"))
    assert (refused.status, taken.status, changed.status) == (400, 200, 400)
    assert changed.body["error"]["message"] == (
        "messages[1].content[0].thinking: expected the thinking that its signature signs, got another"
    )
