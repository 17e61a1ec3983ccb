"""What OpenAI's Responses refuse, each by the place that is wrong."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.testing import ShapeError, check_openai_responses
from testing.shapes import CLOSED, OBJECT, PNG, Json, encoded, places, refused, replaced, taken_or_refused, values

USER = {"role": "user", "content": "Weather in Lisbon?"}
TOOL = {"type": "function", "name": "weather", "description": "Now.", "parameters": OBJECT, "strict": False}
TEXT = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}


def reasoning(id: str = "rs_1", **more: Any) -> Json:
    return {"type": "reasoning", "id": id, "summary": [], "encrypted_content": f"E-{id}", **more}


def said(id: str = "msg_1", text: str = "Let me see.") -> Json:
    return {**TEXT, "id": id, "content": [{"type": "output_text", "text": text, "annotations": []}]}


def call(call_id: str = "c1", arguments: str = '{"city": "Lisbon"}', **more: Any) -> Json:
    return {"type": "function_call", "call_id": call_id, "name": "weather", "arguments": arguments, **more}


def output(id: str = "c1", content: Any = "21 °C") -> Json:
    return {"type": "function_call_output", "call_id": id, "output": content}


def request(*items: Json, **more: Any) -> Json:
    return {"model": "gpt-5", "input": list(items or (USER,)), **more}


B23 = (
    USER,
    reasoning(),
    said(),
    call("c1", id="fc_1"),
    call("c2", id="fc_2"),
    output("c1"),
    output("c2", [{"type": "input_text", "text": "x"}]),
)
ISSUED = [[reasoning(), said(), call("c1", id="fc_1"), call("c2", id="fc_2")]]

FULL = request(
    *B23,
    {
        "type": "message",
        "role": "user",
        "content": [
            {"type": "input_text", "text": "Look."},
            {"type": "input_image", "detail": "auto", "image_url": f"data:image/png;base64,{PNG}"},
            {"type": "input_file", "file_url": "https://a.b/c.pdf"},
        ],
    },
    reasoning("rs_2"),
    {"type": "custom_tool_call", "call_id": "c3", "name": "sql", "input": "SELECT 1"},
    {"type": "custom_tool_call_output", "call_id": "c3", "output": "1"},
    reasoning("rs_3"),
    {"type": "web_search_call", "id": "ws_1", "status": "completed"},
    instructions="Be brief.",
    tools=[TOOL, {"type": "web_search"}, {"type": "custom", "name": "sql"}],
    tool_choice={"type": "function", "name": "weather"},
    reasoning={"effort": "low", "summary": "auto"},
    include=["reasoning.encrypted_content"],
    text={"format": {"type": "json_schema", "name": "answer", "schema": CLOSED, "strict": True}, "verbosity": "low"},
    store=False,
    stream=True,
    max_output_tokens=16,
    truncation="auto",
    prompt_cache_key="k",
)

TAKEN = [
    pytest.param(request(), id="one message"),
    pytest.param({"model": "m", "input": "Hi"}, id="text"),
    pytest.param(FULL, id="everything at once"),
    pytest.param(request(output(), previous_response_id="resp_1"), id="a call that the vendor remembers"),
    pytest.param(request(reasoning(encrypted_content=None), said()), id="reasoning that the vendor remembers"),
    pytest.param(request(USER, call(), said(), output()), id="something between, which this interface takes"),
    pytest.param(request({"role": "assistant", "content": "Sunny."}, USER), id="an answer as text"),
    pytest.param(request({"type": "item_reference", "id": "msg_1"}), id="a reference"),
    pytest.param(request(reasoning(), reasoning("rs_2"), said()), id="reasoning behind reasoning"),
]

REFUSED = [
    # What it is
    ("no model", {"input": "x"}, "model"),
    ("no input", {"model": "m"}, "input"),
    ("an empty text", {"model": "m", "input": ""}, "input"),
    ("no items", request() | {"input": []}, "input"),
    ("messages", {"model": "m", "messages": [USER]}, "messages"),
    ("an unknown field", request(stop=["x"]), "stop"),
    ("an item of nothing", request({}), "input[0].type"),
    ("an unknown role", request({"role": "tool", "content": "x"}), "input[0].role"),
    (
        "a part of the other interface",
        request({"role": "user", "content": [{"type": "text", "text": "x"}]}),
        "input[0].content[0].type",
    ),
    (
        "what was said, asked",
        request({"role": "user", "content": [{"type": "output_text", "text": "x"}]}),
        "input[0].content[0].type",
    ),
    (
        "what is asked, said",
        request({"role": "assistant", "content": [{"type": "input_text", "text": "x"}]}),
        "input[0].content[0].type",
    ),
    (
        "an empty part",
        request({"role": "user", "content": [{"type": "input_text", "text": ""}]}),
        "input[0].content[0].text",
    ),
    (
        "an image of another type",
        request({"role": "user", "content": [{"type": "input_image", "image_url": f"data:image/gif;base64,{PNG}"}]}),
        "input[0].content[0].image_url",
    ),
    (
        "an image of two sources",
        request({"role": "user", "content": [{"type": "input_image", "image_url": "https://a.b", "file_id": "f"}]}),
        "input[0].content[0]",
    ),
    ("a file of no source", request({"role": "user", "content": [{"type": "input_file"}]}), "input[0].content[0]"),
    # Pairs
    ("an output without its call", request(USER, output()), "input[1].call_id"),
    ("an output before its call", request(USER, output(), call()), "input[1].call_id"),
    ("a call without an output", request(USER, call()), "input[1].call_id"),
    ("two outputs", request(USER, call(), output(), output()), "input[3].call_id"),
    ("two outputs, remembered", request(output(), output(), previous_response_id="resp_1"), "input[1].call_id"),
    ("one id for two calls", request(USER, call(), output(), call(), output()), "input[3].call_id"),
    (
        "an output of another kind",
        request({"type": "custom_tool_call", "call_id": "c1", "name": "a", "input": ""}, output()),
        "input[1].call_id",
    ),
    ("arguments that are no JSON", request(call(arguments="{"), output()), "input[0].arguments"),
    ("arguments that are no object", request(call(arguments="1"), output()), "input[0].arguments"),
    ("an id of another kind", request(call(id="call_1"), output()), "input[0].id"),
    ("a long id", request(call("c" * 65), output("c" * 65)), "input[0].call_id"),
    ("a name with a dot", request({**call(), "name": "a.b"}, output()), "input[0].name"),
    # Reasoning
    ("reasoning at the end", request(USER, reasoning()), "input[1]"),
    ("reasoning before the user", request(reasoning(), USER), "input[0]"),
    ("reasoning before an output", request(call(), reasoning(), output()), "input[1]"),
    (
        "reasoning that nobody keeps",
        request(reasoning(encrypted_content=None), said(), store=False),
        "input[0].encrypted_content",
    ),
    ("reasoning without its summary", request({"type": "reasoning", "id": "rs_1"}, said()), "input[0].summary"),
    ("reasoning under another id", request(reasoning("r1"), said()), "input[0].id"),
    # Options
    ("few tokens", request(max_output_tokens=15), "max_output_tokens"),
    ("a temperature where it reasons", request(temperature=0), "temperature"),
    ("an unknown effort", request(reasoning={"effort": "huge"}), "reasoning.effort"),
    ("an effort of the other interface", request(reasoning_effort="low"), "reasoning_effort"),
    ("a format of the other interface", request(response_format={"type": "text"}), "response_format"),
    ("a format of no schema", request(text={"format": {"type": "json_schema", "name": "a"}}), "text.format.schema"),
    (
        "a strict format that is open",
        request(text={"format": {"type": "json_schema", "name": "a", "schema": OBJECT, "strict": True}}),
        "text.format.schema.additionalProperties",
    ),
    ("what cannot be included", request(include=["usage"]), "include[0]"),
    ("stream_options without a stream", request(stream_options={"include_obfuscation": False}), "stream_options"),
    (
        "usage as an option",
        request(stream=True, stream_options={"include_usage": True}),
        "stream_options.include_usage",
    ),
    ("another response's id", request(previous_response_id="chatcmpl-1"), "previous_response_id"),
    ("two memories", request(previous_response_id="resp_1", conversation="conv_1"), "conversation"),
    # Tools
    (
        "a tool of the other interface",
        request(tools=[{"type": "function", "function": {"name": "a"}}]),
        "tools[0].name",
    ),
    ("a description that is no text", request(tools=[{**TOOL, "description": 1}]), "tools[0].description"),
    ("one name for two tools", request(tools=[TOOL, TOOL]), "tools[1].name"),
    (
        "a strict tool that is open",
        request(tools=[{**TOOL, "strict": True}]),
        "tools[0].parameters.additionalProperties",
    ),
    (
        "a tool that is not there",
        request(tools=[TOOL], tool_choice={"type": "function", "name": "b"}),
        "tool_choice.name",
    ),
    ("a forced tool without tools", request(tool_choice="required"), "tool_choice"),
]


def check_issued(body: Any) -> None:
    check_openai_responses(body, issued=ISSUED)


@pytest.mark.requirement("D-shapes")
@pytest.mark.parametrize("body", TAKEN)
def test_what_the_vendor_takes_is_taken(body: Json) -> None:
    check_openai_responses(body)
    check_openai_responses(encoded(body))


@pytest.mark.requirement("D-shapes")
@pytest.mark.parametrize(("body", "path"), [pytest.param(body, path, id=name) for name, body, path in REFUSED])
def test_what_the_vendor_refuses_is_refused_at_its_place(body: Json, path: str) -> None:
    assert refused(check_openai_responses, body).path == path


@pytest.mark.requirement("D-shapes")
def test_items_come_back_as_they_were_issued_and_in_their_order() -> None:
    check_issued(request(*B23))
    assert refused(check_issued, request(USER, said(), call("c1"), output("c1"))).path == "input[1]"
    assert refused(check_issued, request(USER, reasoning(encrypted_content="E"), said())).path == (
        "input[1].encrypted_content"
    )
    assert refused(check_issued, request(USER, call("c1", "{}", id="fc_1"), output("c1"))).path == "input[1].arguments"
    assert refused(check_issued, request(USER, said("msg_9"))).path == "input[1].id"


@pytest.mark.requirement("D-shapes")
def test_items_that_were_issued_may_be_left_out_or_sent_without_their_ids() -> None:
    check_issued(request(USER, call("c1"), output("c1")))
    check_issued(request(USER, {"role": "assistant", "content": "Let me see."}, USER))
    check_issued(request(USER, {"type": "item_reference", "id": "fc_2"}))


@pytest.mark.requirement("D-shapes")
def test_fields_of_a_gateway_are_taken_where_they_are_named() -> None:
    body = request(provider={"order": []})
    assert refused(check_openai_responses, body).path == "provider"
    check_openai_responses(body, extra=("provider",))


@pytest.mark.requirement("D-shapes")
@given(values)
def test_any_value_is_taken_or_refused(value: Any) -> None:
    taken_or_refused(check_openai_responses, value)
    taken_or_refused(check_openai_responses, encoded(value))


@pytest.mark.requirement("D-shapes")
@given(st.sampled_from(list(places(FULL))), values)
def test_a_request_that_is_wrong_at_one_place_is_taken_or_refused(path: tuple[Any, ...], value: Any) -> None:
    taken_or_refused(check_openai_responses, replaced(FULL, path, value))
    taken_or_refused(check_issued, replaced(FULL, path, value))


@pytest.mark.requirement("D-shapes")
@given(st.permutations(("c1", "c2", "o1", "o2")))
def test_an_output_has_its_call_somewhere_before_it(order: list[str]) -> None:
    body = request(USER, *(call(name[1]) if name[0] == "c" else output(name[1]) for name in order))
    is_paired = all(order.index(f"c{number}") < order.index(f"o{number}") for number in "12")
    try:
        check_openai_responses(body)
        assert is_paired
    except ShapeError:
        assert not is_paired
