"""How a model of OpenAI's Responses is asked: spec, tools, answers of a schema, the cache, dialects."""

import json
from typing import Any

import pytest
from pydantic import BaseModel

from ore.errors import BadRequestError, UnsupportedError
from ore.ext.wires.openai_responses import AZURE, COMPATIBLE, OpenAIResponses
from ore.models import Spec, ThinkingLevel
from ore.provider import MaxTokensOption, OutputOption, PromptCacheOption, WithTools
from ore.tool import Example, SchemaBody, Tool, Traits, tool, wire_name
from wires.responses_request import asked, body, request

OFF, MINIMAL, LOW, MEDIUM, HIGH, MAX = ThinkingLevel


def of(spec: Spec, **more: Any) -> dict[str, Any]:
    return body(asked(spec=spec, **more))


# ── The spec ─────────────────────────────────────────────────────────────────


def test_a_request_says_no_more_than_what_was_asked_and_that_nothing_shall_be_stored() -> None:
    assert body(asked(model="gpt-4o")) == {
        "model": "gpt-4o",
        "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello."}]}],
        "store": False,
        "stream": True,
    }


def test_a_model_that_reasons_is_asked_for_its_reasoning_in_the_form_in_which_it_can_go_back() -> None:
    """One that does not reason would refuse the request."""
    for name in (
        "gpt-5",
        "gpt-5.2-codex",
        "o3-mini",
        "openai/gpt-5.1",
        "ft:o4-mini-2025-04-16:org::id",
        "gpt-6-astra",
        "x",
    ):
        assert body(asked(model=name))["include"] == ["reasoning.encrypted_content"]
    for name in (
        "gpt-4o",
        "gpt-4.1-mini",
        "gpt-3.5-turbo",
        "chatgpt-4o-latest",
        "gpt-5-chat-latest",
        "ft:gpt-4o:org::id",
    ):
        assert "include" not in body(asked(model=name))
    assert "include" not in body(asked(model="my-deployment"), AZURE)
    thinking = Spec(name="my-deployment", thinking_level=HIGH)
    assert "include" in body(asked(spec=thinking), AZURE)
    assert "include" in body(asked(model="gpt-5"), AZURE)


def test_limits_and_sampling_are_sent_as_they_are() -> None:
    found = of(Spec(name="gpt-4o", max_output_tokens=100, temperature=0.0, top_p=0.5, window=1_000))
    assert (found["max_output_tokens"], found["temperature"], found["top_p"]) == (100, 0.0, 0.5)
    assert "window" not in found
    assert (
        body(asked([], MaxTokensOption(50), spec=Spec(name="gpt-4o", max_output_tokens=100)))["max_output_tokens"] == 50
    )
    assert "max_output_tokens" not in body(
        asked([], MaxTokensOption(0), spec=Spec(name="gpt-4o", max_output_tokens=-1))
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [("top_k", 5), ("seed", 0), ("stop_sequences", ("END",)), ("frequency_penalty", 0.0), ("presence_penalty", 1.0)],
)
def test_what_the_interface_does_not_take_is_refused_by_name_or_left_out_with_a_notice(field: str, value: Any) -> None:
    spec = Spec(name="gpt-4o", **{field: value})
    with pytest.raises(UnsupportedError) as caught:
        request(asked(spec=spec))
    assert (caught.value.field, caught.value.provider) == (field, "openai-responses")
    found = request(asked(spec=spec, lenient=True))
    assert field not in json.loads(found.body)
    assert [field in notice.content for notice in found.notices] == [True]
    assert "END" not in found.notices[0].content
    assert request(asked(spec=Spec(name="gpt-4o", stop_sequences=()))).notices == []


def test_a_limit_below_the_least_is_refused_and_raised_where_that_may_be() -> None:
    spec = Spec(name="gpt-4o", max_output_tokens=15)
    with pytest.raises(UnsupportedError) as caught:
        request(asked(spec=spec))
    assert caught.value.field == "max_output_tokens"
    assert body(asked(spec=spec, lenient=True))["max_output_tokens"] == 16
    assert body(asked(spec=spec), COMPATIBLE)["max_output_tokens"] == 15


@pytest.mark.parametrize(
    ("model", "efforts"),
    [
        ("o3", {OFF: None, MINIMAL: "low", LOW: "low", MEDIUM: "medium", HIGH: "high", MAX: "high"}),
        ("gpt-5", {OFF: None, MINIMAL: "minimal", LOW: "low", MEDIUM: "medium", HIGH: "high", MAX: "high"}),
        ("gpt-5-codex", {OFF: None, MINIMAL: "low", MAX: "high"}),
        ("gpt-5-pro", {OFF: None, LOW: "high", MAX: "high"}),
        ("gpt-5.1", {OFF: "none", MINIMAL: "low", LOW: "low", MEDIUM: "medium", HIGH: "high", MAX: "high"}),
        ("gpt-5.1-codex-max", {OFF: None, MAX: "xhigh"}),
        ("gpt-5.2-2025-12-11", {OFF: "none", MINIMAL: "low", MAX: "xhigh"}),
        ("gpt-5.2-pro", {OFF: None, LOW: "medium", MAX: "xhigh"}),
        ("openai/gpt-5.6-sol", {OFF: "none", MINIMAL: "low", MAX: "max"}),
        ("gpt-6-sol", {OFF: "none", MAX: "max"}),
        ("gpt-6-astra-2026-09-03", {OFF: None, MINIMAL: "low", MAX: "max"}),
        ("gpt-6.1-sol", {OFF: None, MINIMAL: "low", MAX: "max"}),
        ("gpt-6.1-terra", {OFF: "none"}),
        ("gpt-oss-120b", {LOW: "low", MAX: "high"}),
        ("somebody-elses", {OFF: "none", MINIMAL: "low", MEDIUM: "medium", MAX: "high"}),
    ],
)
def test_a_level_of_thinking_is_the_effort_that_comes_nearest(
    model: str, efforts: dict[ThinkingLevel, str | None]
) -> None:
    for level, effort in efforts.items():
        ask = asked(spec=Spec(name=model, thinking_level=level))
        if effort is None:
            with pytest.raises(UnsupportedError) as caught:
                request(ask)
            assert caught.value.field == "thinking_level"
        else:
            assert body(ask)["reasoning"] == {"effort": effort}


def test_a_model_that_does_not_think_can_only_be_told_not_to() -> None:
    assert "reasoning" not in of(Spec(name="gpt-4o", thinking_level=OFF))
    with pytest.raises(UnsupportedError):
        of(Spec(name="gpt-4o", thinking_level=LOW))
    assert "reasoning" not in of(Spec(name="gpt-4o", thinking_level=LOW), lenient=True)


@pytest.mark.parametrize(
    ("model", "level", "is_taken"),
    [
        ("gpt-4o", None, True),
        ("o3", None, False),
        ("gpt-5", LOW, False),
        ("gpt-5.1", None, True),
        ("gpt-5.2", OFF, True),
        ("gpt-5.2", LOW, False),
        ("gpt-5.5", None, False),
        ("gpt-5.5", OFF, True),
        ("gpt-5-chat-latest", None, True),
        ("somebody-elses", HIGH, True),
    ],
)
def test_what_steers_sampling_is_taken_where_nothing_is_thought(
    model: str, level: ThinkingLevel | None, is_taken: bool
) -> None:
    spec = Spec(name=model, thinking_level=level, temperature=0.5)
    if is_taken:
        assert of(spec)["temperature"] == 0.5
        return
    with pytest.raises(UnsupportedError) as caught:
        of(spec)
    assert caught.value.field == "temperature"
    assert "temperature" not in of(spec, lenient=True)
    assert "temperature" not in of(Spec(name=model, thinking_level=level, temperature=1, top_p=1))


def test_summaries_are_asked_for_only_where_somebody_wants_them() -> None:
    wire = OpenAIResponses(summaries="auto")
    assert json.loads(wire.request(asked()).body)["reasoning"] == {"summary": "auto"}
    assert "reasoning" not in json.loads(wire.request(asked(model="gpt-4o")).body)


@pytest.mark.parametrize("name", [None, ""])
def test_a_request_names_a_model(name: str | None) -> None:
    with pytest.raises(BadRequestError):
        request(asked(spec=Spec(name=name)))


# ── Tools ────────────────────────────────────────────────────────────────────


@tool(examples=[Example(input={"city": "Porto"}, output="rain", explanation="it often rains")])
def weather(city: str, days: int = 1) -> str:
    """Weather in a city."""
    return city


class Node(BaseModel):
    """A tree."""

    name: str
    children: list["Node"] = []


@tool
def walk(tree: Node, free: dict[str, int]) -> str:
    """Takes free keys."""
    return tree.name


def remote(schema: dict[str, Any]) -> Tool:
    async def call(context: Any, arguments: Any) -> None:
        raise NotImplementedError

    return Tool(name="remote", description="", body=SchemaBody(schema, call), traits=Traits())


def test_tools_are_strict_where_that_loses_nothing() -> None:
    """A function of ours reads the null that stands for what is left out; a tool from elsewhere may not."""
    optional = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}
    needed = {**optional, "required": ["a"]}
    tools = body(asked([], WithTools((weather, walk, remote(needed)))))["tools"]
    assert [(found["name"], found["strict"]) for found in tools] == [
        ("weather", True),
        ("walk", False),
        ("remote", True),
    ]
    assert set(tools[0]["parameters"]["required"]) == {"city", "days"}
    assert tools[0]["description"] == ('Weather in a city.\nExample: {"city":"Porto"} gives rain (it often rains)')
    [found] = body(asked([], WithTools((remote(optional),))))["tools"]
    assert found == {"type": "function", "name": "remote", "parameters": optional, "strict": False}
    old = body(asked([], WithTools((weather,)), model="gpt-4-turbo"))["tools"][0]
    assert (old["strict"], old["parameters"]["required"]) == (False, ["city"])


def test_what_the_vendor_cannot_decode_by_is_left_out_of_a_strict_schema() -> None:
    text = {"type": "string", "minLength": 1, "format": "uri", "pattern": "^(?!x)"}
    kept = {"type": "string", "format": "date", "pattern": "^x"}
    schema = {
        "type": "object",
        "properties": {"a": text, "format": kept, "n": {"type": "integer", "minimum": 1}},
        "required": ["a", "format", "n"],
        "additionalProperties": False,
    }
    [found] = body(asked([], WithTools((remote(schema),))))["tools"]
    assert found["parameters"]["properties"] == {
        "a": {"type": "string"},
        "format": kept,
        "n": {"type": "integer", "minimum": 1},
    }


@pytest.mark.requirement("B69")
def test_tools_keep_their_order_and_their_bytes() -> None:
    ask = asked([], WithTools((walk, weather)))
    assert [found["name"] for found in body(ask)["tools"]] == ["walk", "weather"]
    assert request(ask).body == request(ask).body == request(asked([], WithTools((walk, weather)))).body
    assert "tools" not in body(asked([], WithTools(())))


def test_only_a_server_that_makes_one_call_at_a_time_is_told_to_make_several() -> None:
    assert "parallel_tool_calls" not in body(asked([], WithTools((weather,))))
    assert body(asked([], WithTools((weather,))), COMPATIBLE)["parallel_tool_calls"] is True
    assert "parallel_tool_calls" not in body(asked(), COMPATIBLE)


# ── An answer of a schema ────────────────────────────────────────────────────


@pytest.mark.requirement("B68")
def test_an_answer_of_a_schema_is_decoded_by_it() -> None:
    found = body(asked([], OutputOption("a tree", Node.model_json_schema())))["text"]["format"]
    assert (found["name"], found["strict"], found["schema"]["type"]) == (wire_name("a tree"), True, "object")
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "string", "default": ""}},
        "required": ["a"],
        "additionalProperties": False,
    }
    found = body(asked([], OutputOption("City", schema)))["text"]["format"]
    assert (found["name"], found["strict"], found["schema"]["required"]) == ("City", True, ["a", "b"])
    open_ = {"type": "object"}
    assert body(asked([], OutputOption("", open_)))["text"]["format"] == {
        "type": "json_schema",
        "name": "answer",
        "schema": open_,
        "strict": False,
    }


def test_a_model_that_cannot_be_held_to_a_schema_says_so() -> None:
    output = OutputOption("City", {"type": "object"})
    with pytest.raises(UnsupportedError) as caught:
        request(asked([], output, model="gpt-3.5-turbo"))
    assert caught.value.field == "output"
    assert "text" not in body(asked([], output, model="gpt-3.5-turbo", lenient=True))


# ── The cache, the dialects ──────────────────────────────────────────────────


def test_requests_of_one_session_share_a_key_of_the_cache() -> None:
    assert body(asked(session="s1"))["prompt_cache_key"] == "s1"
    assert body(asked([], PromptCacheOption(key="mine"), session="s1"))["prompt_cache_key"] == "mine"
    long = body(asked(session="s" * 65))["prompt_cache_key"]
    assert len(long) == 64
    assert (
        long == body(asked(session="s" * 65))["prompt_cache_key"] != body(asked(session="s" * 66))["prompt_cache_key"]
    )
    assert "prompt_cache_key" not in body(asked())
    assert "prompt_cache_key" not in body(asked(session="s1"), COMPATIBLE)
    assert body(asked([], PromptCacheOption(key="mine")), COMPATIBLE)["prompt_cache_key"] == "mine"


@pytest.mark.requirement("B69")
def test_the_same_ask_is_the_same_bytes() -> None:
    ask = asked(spec=Spec(name="gpt-5.1", thinking_level=LOW, max_output_tokens=99), session="s")
    assert request(ask).body == request(ask).body
    assert request(ask).path == "responses"
    assert OpenAIResponses().protocol == "openai-responses"
