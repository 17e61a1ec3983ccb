"""What OpenAI's chat completions refuse, each by the place that is wrong."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.testing import ShapeError, check_openai_chat
from testing.shapes import CLOSED, OBJECT, PNG, Json, encoded, places, refused, replaced, taken_or_refused, values

USER = {"role": "user", "content": "Weather in Lisbon?"}
TOOL = {"type": "function", "function": {"name": "weather", "description": "Now.", "parameters": OBJECT}}


def call(id: str = "c1", arguments: str = '{"city": "Lisbon"}', name: str = "weather") -> Json:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def calls(*given: Json, **more: Any) -> Json:
    return {"role": "assistant", "content": None, "tool_calls": list(given), **more}


def result(id: str = "c1", content: Any = "21 °C") -> Json:
    return {"role": "tool", "tool_call_id": id, "content": content}


def request(*messages: Json, **more: Any) -> Json:
    return {"model": "gpt-4o", "messages": list(messages or (USER,)), **more}


def format(schema: Json, **more: Any) -> Json:
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, **more}}


FULL = request(
    {"role": "system", "content": "Be brief."},
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "Look."},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}", "detail": "low"}},
            {"type": "file", "file": {"file_data": f"data:application/pdf;base64,{PNG}", "filename": "a.pdf"}},
        ],
    },
    calls(call("c1"), call("c2", "{}"), content="Let me see."),
    result("c2"),
    result("c1", [{"type": "text", "text": "21 °C"}]),
    {"role": "assistant", "content": [{"type": "text", "text": "Sunny."}, {"type": "refusal", "refusal": "No."}]},
    USER,
    tools=[TOOL],
    tool_choice={"type": "function", "function": {"name": "weather"}},
    parallel_tool_calls=True,
    stream=True,
    stream_options={"include_usage": True},
    temperature=0,
    top_p=1,
    seed=7,
    stop=["END"],
    max_completion_tokens=64,
    frequency_penalty=-2,
    presence_penalty=2,
    metadata={"a": "b"},
    response_format=format(CLOSED, strict=True),
    prompt_cache_key="k" * 64,
)

TAKEN = [
    pytest.param(request(), id="one message"),
    pytest.param(FULL, id="everything at once"),
    pytest.param(request({"role": "developer", "content": "x"}, USER), id="a developer message"),
    pytest.param(request({"role": "user", "content": ""}), id="an empty string, which this vendor takes"),
    pytest.param(request(USER, {"role": "system", "content": "x"}), id="a system message at the end"),
    pytest.param(request(USER, calls(call("s:1")), result("s:1"), calls(call("s:1")), result("s:1")), id="B10"),
    pytest.param(request(temperature=None, stop="END", tool_choice=None), id="null is absent"),
    pytest.param(request(model="o3", temperature=1, reasoning_effort="low"), id="a default, said"),
    pytest.param(request(model="gpt-5.1", temperature=0, reasoning_effort="none"), id="no reasoning, so it samples"),
    pytest.param(request(model="openai/gpt-5", max_tokens=5), id="a name of a gateway says nothing"),
]

REFUSED = [
    # What it is
    ("no model", {"messages": [USER]}, "model"),
    ("no messages", request() | {"messages": []}, "messages"),
    ("an unknown field", request(top_k=5), "top_k"),
    ("an unknown field of a message", request({**USER, "id": "1"}), "messages[0].id"),
    (
        "reasoning of a gateway",
        request(calls(call(), reasoning_content="x"), result()),
        "messages[0].reasoning_content",
    ),
    ("an unknown role", request({"role": "human", "content": "x"}), "messages[0].role"),
    ("no content", request({"role": "user"}), "messages[0].content"),
    ("null as content", request({"role": "user", "content": None}), "messages[0].content"),
    ("a number as content", request({"role": "user", "content": 1}), "messages[0].content"),
    ("no parts", request({"role": "user", "content": []}), "messages[0].content"),
    (
        "an empty text part",
        request({"role": "user", "content": [{"type": "text", "text": ""}]}),
        "messages[0].content[0].text",
    ),
    (
        "an image in a system message",
        request({"role": "system", "content": [{"type": "image_url", "image_url": {"url": "https://a.b/c"}}]}),
        "messages[0].content[0].type",
    ),
    (
        "an unknown part",
        request({"role": "user", "content": [{"type": "tool_result", "text": "x"}]}),
        "messages[0].content[0].type",
    ),
    ("an answer of nothing", request({"role": "assistant", "content": None}), "messages[0].content"),
    # Pairs
    ("a result without its call", request(USER, result()), "messages[1].tool_call_id"),
    ("a call without a result", request(USER, calls(call())), "messages[1].tool_calls"),
    ("something between", request(calls(call()), USER, result()), "messages[1].role"),
    ("half of the results", request(calls(call(), call("c2")), result(), USER), "messages[2].role"),
    ("two results", request(calls(call()), result(), result()), "messages[2].tool_call_id"),
    ("another id", request(calls(call()), result("c9")), "messages[1].tool_call_id"),
    ("one id for two calls", request(calls(call(), call()), result()), "messages[0].tool_calls[1].id"),
    ("an empty id", request(calls(call("")), result("")), "messages[0].tool_calls[0].id"),
    ("a long id", request(calls(call("c" * 41)), result("c" * 41)), "messages[0].tool_calls[0].id"),
    ("no calls at all", request(calls()), "messages[0].tool_calls"),
    (
        "arguments that are no JSON",
        request(calls(call(arguments='{"a')), result()),
        "messages[0].tool_calls[0].function.arguments",
    ),
    (
        "empty arguments",
        request(calls(call(arguments="")), result()),
        "messages[0].tool_calls[0].function.arguments",
    ),
    (
        "arguments that are a list",
        request(calls(call(arguments="[]")), result()),
        "messages[0].tool_calls[0].function.arguments",
    ),
    (
        "arguments that are an object",
        request(calls({"id": "c", "type": "function", "function": {"name": "w", "arguments": {}}}), result("c")),
        "messages[0].tool_calls[0].function.arguments",
    ),
    (
        "a name with a dot",
        request(calls(call(name="a.b")), result()),
        "messages[0].tool_calls[0].function.name",
    ),
    ("a call without a type", request(calls({"id": "c1", "function": {}}), result()), "messages[0].tool_calls[0].type"),
    # Options
    ("a hot temperature", request(temperature=2.1), "temperature"),
    ("a temperature in words", request(temperature="0"), "temperature"),
    ("top_p above 1", request(top_p=1.5), "top_p"),
    ("a strong penalty", request(frequency_penalty=3), "frequency_penalty"),
    ("a weak penalty", request(presence_penalty=-3), "presence_penalty"),
    ("no tokens", request(max_tokens=0), "max_tokens"),
    ("tokens in halves", request(max_completion_tokens=1.5), "max_completion_tokens"),
    ("two limits", request(max_tokens=1, max_completion_tokens=1), "max_tokens"),
    ("five stops", request(stop=list("abcde")), "stop"),
    ("an empty stop", request(stop=[""]), "stop[0]"),
    ("true as a number", request(seed=True), "seed"),
    ("top_logprobs alone", request(top_logprobs=3), "top_logprobs"),
    ("a long cache key", request(prompt_cache_key="k" * 65), "prompt_cache_key"),
    ("an unknown effort", request(reasoning_effort="huge"), "reasoning_effort"),
    ("17 labels", request(metadata={str(n): "" for n in range(17)}), "metadata"),
    ("a label of no name", request(metadata={"": "a"}), "metadata, a key"),
    ("a label that is no text", request(metadata={"a": 1}), "metadata.a"),
    ("a biased token", request(logit_bias={"5": 101}), "logit_bias.5"),
    ("stream_options without a stream", request(stream_options={"include_usage": True}), "stream_options"),
    ("an unknown stream option", request(stream=True, stream_options={"usage": True}), "stream_options.usage"),
    # Models
    ("max_tokens where it reasons", request(model="gpt-5", max_tokens=9), "max_tokens"),
    ("a temperature where it reasons", request(model="o4-mini", temperature=0), "temperature"),
    (
        "a penalty where it reasons",
        request(model="gpt-5.5", presence_penalty=1, reasoning_effort="low"),
        "presence_penalty",
    ),
    ("a temperature where it reasons unasked", request(model="gpt-5.5", temperature=0.5), "temperature"),
    ("tools where it reasons unasked", request(model="gpt-6-sol", tools=[TOOL]), "tools"),
    ("tools where it is told to reason", request(model="gpt-5.4", tools=[TOOL], reasoning_effort="low"), "tools"),
    ("an effort where it does not", request(model="gpt-4o", reasoning_effort="low"), "reasoning_effort"),
    # Tools
    ("an empty list of tools", request(tools=[]), "tools"),
    ("129 tools", request(tools=[TOOL] * 129), "tools"),
    ("one name for two tools", request(tools=[TOOL, TOOL]), "tools[1].function.name"),
    ("a tool without a type", request(tools=[{"function": {"name": "a"}}]), "tools[0].type"),
    ("a tool that is flat", request(tools=[{"type": "function", "name": "a"}]), "tools[0].name"),
    (
        "a description that is no text",
        request(tools=[{"type": "function", "function": {"name": "a", "description": 1}}]),
        "tools[0].function.description",
    ),
    ("a long name", request(tools=[{"type": "function", "function": {"name": "x" * 65}}]), "tools[0].function.name"),
    (
        "parameters that are no object",
        request(tools=[{"type": "function", "function": {"name": "a", "parameters": {"type": "string"}}}]),
        "tools[0].function.parameters.type",
    ),
    (
        "a strict tool that is open",
        request(tools=[{"type": "function", "function": {"name": "a", "strict": True, "parameters": OBJECT}}]),
        "tools[0].function.parameters.additionalProperties",
    ),
    ("tool_choice without tools", request(tool_choice="auto"), "tool_choice"),
    ("parallel_tool_calls without tools", request(parallel_tool_calls=False), "parallel_tool_calls"),
    ("an unknown choice", request(tools=[TOOL], tool_choice="any"), "tool_choice"),
    (
        "a tool that is not there",
        request(tools=[TOOL], tool_choice={"type": "function", "function": {"name": "other"}}),
        "tool_choice.function.name",
    ),
    # Answers
    (
        "a format of no name",
        request(response_format={"type": "json_schema", "json_schema": {}}),
        "response_format.json_schema.name",
    ),
    ("a format that nobody knows", request(response_format={"type": "xml"}), "response_format.type"),
    ("json_object without the word", request(response_format={"type": "json_object"}), "messages"),
    (
        "a strict answer that is open",
        request(response_format=format(OBJECT, strict=True)),
        "response_format.json_schema.schema.additionalProperties",
    ),
    # Media
    (
        "an image of another type",
        request(
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{PNG}"}}]}
        ),
        "messages[0].content[0].image_url.url",
    ),
    (
        "an image of no known type",
        request(
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/bmp;base64,AAAA"}}]}
        ),
        "messages[0].content[0].image_url.url",
    ),
    (
        "an image in no base64",
        request({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,é"}}]}),
        "messages[0].content[0].image_url.url",
    ),
    (
        "an image of no bytes",
        request({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,"}}]}),
        "messages[0].content[0].image_url.url",
    ),
    (
        "an image as a file",
        request({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "file:///a.png"}}]}),
        "messages[0].content[0].image_url.url",
    ),
    (
        "a file of no name",
        request({"role": "user", "content": [{"type": "file", "file": {"file_data": "AAAA"}}]}),
        "messages[0].content[0].file.filename",
    ),
]


@pytest.mark.requirement("D-shapes")
@pytest.mark.parametrize("body", TAKEN)
def test_what_the_vendor_takes_is_taken(body: Json) -> None:
    check_openai_chat(body)
    check_openai_chat(encoded(body))


@pytest.mark.requirement("D-shapes")
@pytest.mark.parametrize(("body", "path"), [pytest.param(body, path, id=name) for name, body, path in REFUSED])
def test_what_the_vendor_refuses_is_refused_at_its_place(body: Json, path: str) -> None:
    assert refused(check_openai_chat, body).path == path


@pytest.mark.requirement("D-shapes")
@pytest.mark.parametrize(
    ("body", "got"),
    [
        (b"\xff", "another byte at 0"),
        (b"{", "an error at character 1: Expecting property name enclosed in double quotes"),
        (b"[]", "a list of 0"),
        (b'{"seed": NaN}', "NaN, which is no JSON"),
        (b"[" * 100_000, None),
    ],
)
def test_what_is_no_json_object_is_refused(body: bytes, got: str | None) -> None:
    error = refused(check_openai_chat, body)
    assert (error.path, error.got) == ("body", got or error.got)


@pytest.mark.requirement("D-shapes")
def test_a_lone_surrogate_is_refused_where_it_stands() -> None:
    body = json.dumps(request({"role": "user", "content": "x\ud800y"})).encode()
    error = refused(check_openai_chat, body)
    assert (error.path, error.got) == ("messages[0].content", "a lone surrogate")


@pytest.mark.requirement("D-shapes")
def test_fields_of_a_gateway_are_taken_where_they_are_named() -> None:
    body = request(calls(call(), reasoning_content="x"), result(), reasoning={"include": True})
    assert refused(check_openai_chat, body).path == "reasoning"
    check_openai_chat(body, extra=("reasoning", "reasoning_content"))


@pytest.mark.requirement("D-shapes")
def test_a_refusal_says_what_was_expected_and_measures_content_instead_of_showing_it() -> None:
    body = request({"role": "user", "content": [{"type": "text", "text": ["a secret plan"]}]})
    error = refused(check_openai_chat, body)
    assert isinstance(error, AssertionError)
    assert str(error) == "messages[0].content[0].text: expected a string, got a list of 1"
    assert str(refused(check_openai_chat, request(seed="a secret plan"))) == (
        "seed: expected a whole number, got a string of 13 characters"
    )


@pytest.mark.requirement("D-shapes")
@given(values)
def test_any_value_is_taken_or_refused(value: Any) -> None:
    taken_or_refused(check_openai_chat, value)
    taken_or_refused(check_openai_chat, encoded(value))


@pytest.mark.requirement("D-shapes")
@given(st.sampled_from(list(places(FULL))), values)
def test_a_request_that_is_wrong_at_one_place_is_taken_or_refused(path: tuple[Any, ...], value: Any) -> None:
    taken_or_refused(check_openai_chat, replaced(FULL, path, value))


@pytest.mark.requirement("D-shapes")
@given(st.lists(st.sampled_from(("user", "c1", "c2", "r1", "r2")), max_size=6))
def test_pairs_are_taken_exactly_where_each_call_has_its_result_next(story: list[str]) -> None:
    """However messages follow each other."""
    made = {"user": USER, "c1": calls(call("1")), "c2": calls(call("2")), "r1": result("1"), "r2": result("2")}
    is_paired = all(
        (name[0] == "r") == (before is not None and before[0] == "c") and (name[0] != "r" or before == f"c{name[1]}")
        for before, name in zip([None, *story], [*story, "user"], strict=True)
    )
    try:
        check_openai_chat(request(USER, *(made[name] for name in story)))
        assert is_paired
    except ShapeError:
        assert not is_paired
