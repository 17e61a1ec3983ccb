"""What a spec and options become in a chat completion, and what is refused by name."""

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import msgspec
import pytest

from ore.errors import BadRequestError, UnsupportedError
from ore.ext.wires.openai_chat import COMPATIBLE, LLAMA_CPP, MINIMAX, OPENAI, OPENROUTER, VERCEL, Dialect, OpenAIChat
from ore.ext.wires.wire import Ask
from ore.models import Spec, ThinkingLevel
from ore.provider import MaxTokensOption, OutputOption, PromptCacheOption, WithTools
from ore.testing import check_openai_chat
from ore.tool import Example, Tool, ToolContext, Traits, tool
from wires.chat_stream import call, entry, stop
from wires.corpus import an_ask, decode

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer", "default": 1}},
    "required": ["city"],
    "additionalProperties": False,
}
FREE = {"type": "object", "additionalProperties": {"type": "string"}}
EXTRA = ("top_k", "reasoning", "thinking", "reasoning_split", "providerOptions", "cache_control")


@tool
async def weather(context: ToolContext, city: str, days: int = 1) -> str:
    """Weather in a city."""
    return city


def ask(*options: Any, lenient: bool = False, session: str | None = None, **spec: Any) -> Ask:
    given = an_ask(lenient=lenient, session=session, options=options)
    return replace(given, spec=Spec(**{"name": "model", **spec}))


def body(*options: Any, dialect: Dialect = OPENAI, **more: Any) -> dict[str, Any]:
    """A request, which the strict shape of the vendor accepts, without its messages."""
    request = OpenAIChat(dialect).request(ask(*options, **more))
    assert (request.path, request.headers) == ("chat/completions", {})
    found: dict[str, Any] = msgspec.json.decode(request.body)
    unmarked = [{key: one[key] for key in ("type", "function")} for one in found.get("tools", ())]
    check_openai_chat({**found, **({"tools": unmarked} if unmarked else {})}, extra=EXTRA)
    del found["messages"]
    return found


PLAIN: dict[str, Any] = {"model": "model", "stream": True, "stream_options": {"include_usage": True}}


def test_without_opinions_nothing_but_the_model_is_said() -> None:
    assert body() == PLAIN
    assert body(window=8_000, max_output_tokens=0, stop_sequences=(), thinking_level=ThinkingLevel.OFF) == PLAIN


def test_every_opinion_is_sent_and_zero_is_one() -> None:
    given = body(
        max_output_tokens=100,
        temperature=0.0,
        top_p=0.9,
        seed=7,
        stop_sequences=("END", "\n"),
        frequency_penalty=-0.5,
        presence_penalty=0.0,
    )
    assert given == {
        **PLAIN,
        "max_completion_tokens": 100,
        "temperature": 0.0,
        "top_p": 0.9,
        "seed": 7,
        "stop": ["END", "\n"],
        "frequency_penalty": -0.5,
        "presence_penalty": 0.0,
    }


@pytest.mark.parametrize(
    ("dialect", "name"),
    [
        *[(OPENAI, "max_completion_tokens"), (COMPATIBLE, "max_tokens"), (LLAMA_CPP, "max_tokens")],
        *[(OPENROUTER, "max_tokens"), (VERCEL, "max_tokens"), (MINIMAX, "max_completion_tokens")],
    ],
)
def test_the_limit_has_the_name_that_the_server_takes(dialect: Dialect, name: str) -> None:
    assert body(dialect=dialect, max_output_tokens=5)[name] == 5
    assert body(MaxTokensOption(6), dialect=dialect, max_output_tokens=5)[name] == 6
    assert body(MaxTokensOption(-1), dialect=dialect, max_output_tokens=5)[name] == 5


@pytest.mark.parametrize(
    ("level", "word"),
    [("off", None), ("minimal", "low"), ("low", "low"), ("medium", "medium"), ("high", "high"), ("max", "high")],
)
def test_thinking_levels_are_words_of_the_vendors(level: str, word: str | None) -> None:
    thinking = ThinkingLevel(level)
    assert body(thinking_level=thinking).get("reasoning_effort") == word
    assert body(thinking_level=thinking, dialect=COMPATIBLE).get("reasoning_effort") == word
    assert body(thinking_level=thinking, dialect=OPENROUTER).get("reasoning") == {"effort": word or "none"}
    assert body(thinking_level=thinking, dialect=VERCEL).get("reasoning") == {"effort": word or "none"}
    kind = "adaptive" if word else "disabled"
    assert body(thinking_level=thinking, dialect=MINIMAX)["thinking"] == {"type": kind}


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("o3", {"minimal": "low", "max": "high"}),
        ("gpt-5", {"minimal": "minimal", "max": "high"}),
        ("gpt-5.2", {"off": None, "max": "xhigh"}),
        ("gpt-5.5", {"off": "none", "low": "low"}),
        ("gpt-6-sol", {"off": "none", "max": "xhigh"}),
    ],
)
def test_openai_s_models_are_told_in_the_words_that_they_take(model: str, words: dict[str, str | None]) -> None:
    for level, word in words.items():
        assert body(name=model, thinking_level=ThinkingLevel(level)).get("reasoning_effort") == word


# ── Tools or thinking ────────────────────────────────────────────────────────


@pytest.mark.requirement("D-openai-tools")
@pytest.mark.parametrize("model", ["gpt-5.4", "gpt-5.5", "gpt-5.6-terra", "gpt-6-sol", "gpt-6.1-terra"])
def test_a_model_that_thinks_or_calls_functions_calls_functions_where_there_are_some(model: str) -> None:
    tools = WithTools((weather,))
    for dialect in (OPENAI, COMPATIBLE):
        assert body(tools, dialect=dialect, name=model)["reasoning_effort"] == "none"
        assert body(tools, dialect=dialect, name=model, thinking_level=ThinkingLevel.OFF)["reasoning_effort"] == "none"
        assert "reasoning_effort" not in body(dialect=dialect, name=model)
    assert body(tools, name=model, temperature=0.5)["temperature"] == 0.5
    thinking: dict[str, Any] = {"name": model, "thinking_level": ThinkingLevel.LOW}
    with pytest.raises(UnsupportedError) as caught:
        body(tools, **thinking)
    assert (caught.value.field, str(caught.value)) == (
        "thinking_level",
        f"{model} does not think over chat completions when it has tools; use openai-responses:{model}, or no tools",
    )
    assert body(tools, lenient=True, **thinking) == body(tools, name=model)
    gateway = OpenAIChat(COMPATIBLE).request(ask(tools, **thinking))
    assert b'"reasoning_effort":"low"' in gateway.body


@pytest.mark.requirement("D-openai-tools")
@pytest.mark.parametrize("model", ["gpt-6-astra", "gpt-6.1-sol", "gpt-5.5-pro"])
def test_a_model_that_always_thinks_refuses_tools_by_name_and_says_who_takes_them(model: str) -> None:
    tools = WithTools((weather,))
    with pytest.raises(UnsupportedError) as caught:
        body(tools, name=model)
    assert (caught.value.field, str(caught.value)) == (
        "tools",
        f"{model} takes no tools over chat completions; use openai-responses:{model}",
    )
    assert body(tools, lenient=True, name=model) == body(name=model)
    assert b'"tools"' in OpenAIChat(COMPATIBLE).request(ask(tools, name=model)).body


@pytest.mark.requirement("D-openai-tools")
@pytest.mark.parametrize("model", ["gpt-4.1", "gpt-5", "gpt-5.1", "gpt-5-chat-latest", "o3", "gpt-oss-20b", "other"])
def test_other_models_take_tools_as_they_come(model: str) -> None:
    assert "reasoning_effort" not in body(WithTools((weather,)), name=model)


REFUSED: list[tuple[Dialect, str, dict[str, Any]]] = [
    (OPENAI, "top_k", {"top_k": 5}),
    (OPENAI, "stop_sequences", {"stop_sequences": tuple("abcde")}),
    (OPENAI, "temperature", {"name": "o3", "temperature": 0.0}),
    (OPENAI, "top_p", {"name": "gpt-5-mini", "top_p": 0.5}),
    (OPENAI, "stop_sequences", {"name": "o4-mini", "stop_sequences": ("a",)}),
    (OPENAI, "temperature", {"name": "gpt-5.2", "temperature": 0.5, "thinking_level": ThinkingLevel.HIGH}),
    (OPENAI, "temperature", {"name": "gpt-5.5", "temperature": 0.5}),
    (OPENAI, "stop_sequences", {"name": "gpt-6-sol", "stop_sequences": ("a",)}),
    (OPENAI, "thinking_level", {"name": "gpt-4o", "thinking_level": ThinkingLevel.LOW}),
    (OPENAI, "thinking_level", {"name": "o3", "thinking_level": ThinkingLevel.OFF}),
    (COMPATIBLE, "top_k", {"top_k": 5}),
    (COMPATIBLE, "temperature", {"name": "gpt-5-mini", "temperature": 0.5}),
    (COMPATIBLE, "top_p", {"name": "openai/o3", "top_p": 0.5}),
    (COMPATIBLE, "stop_sequences", {"name": "openai/o3", "stop_sequences": ("a",)}),
    (COMPATIBLE, "thinking_level", {"name": "gpt-4", "thinking_level": ThinkingLevel.LOW}),
    (COMPATIBLE, "thinking_level", {"name": "o3", "thinking_level": ThinkingLevel.OFF}),
    (VERCEL, "seed", {"seed": 5}),
    (VERCEL, "top_k", {"top_k": 5}),
    (MINIMAX, "temperature", {"temperature": 0.0}),
    (MINIMAX, "seed", {"seed": 1}),
    (MINIMAX, "stop_sequences", {"stop_sequences": ("secret words",)}),
    (MINIMAX, "frequency_penalty", {"frequency_penalty": 1.0}),
    (LLAMA_CPP, "thinking_level", {"thinking_level": ThinkingLevel.HIGH}),
]


@pytest.mark.parametrize(("dialect", "field", "spec"), REFUSED)
def test_what_cannot_be_taken_is_refused_by_name_or_left_out_and_told(
    dialect: Dialect, field: str, spec: dict[str, Any]
) -> None:
    with pytest.raises(UnsupportedError) as caught:
        OpenAIChat(dialect).request(ask(**spec))
    assert (caught.value.field, caught.value.provider) == (field, "vendor")
    assert "secret" not in str(caught.value)
    request = OpenAIChat(dialect).request(ask(lenient=True, **spec))
    [notice] = request.notices
    assert field in notice.content
    check_openai_chat(request.body, extra=EXTRA)
    without = {key: value for key, value in spec.items() if key != field}
    assert request.body == OpenAIChat(dialect).request(ask(**without)).body


TAKEN: list[tuple[Dialect, dict[str, Any]]] = [
    (COMPATIBLE, {"name": "gpt-oss-20b", "temperature": 0.5}),
    (COMPATIBLE, {"name": "gpt-4", "temperature": 0.5}),
    (COMPATIBLE, {"name": "gpt-5.2", "temperature": 0.5}),
    (OPENROUTER, {"top_k": 5}),
    (LLAMA_CPP, {"top_k": 5, "seed": 1}),
    (OPENAI, {"name": "o3", "temperature": 1, "top_p": 1.0, "presence_penalty": 0}),
    (OPENAI, {"name": "gpt-5.2", "temperature": 0.5}),
    (OPENAI, {"name": "gpt-5-chat-latest", "temperature": 0.5}),
    (OPENAI, {"name": "gpt-4o", "temperature": 0.5, "thinking_level": ThinkingLevel.OFF}),
    (OPENAI, {"name": "whatever-comes", "temperature": 0.5, "thinking_level": ThinkingLevel.LOW}),
]


@pytest.mark.parametrize(("dialect", "spec"), TAKEN)
def test_what_can_be_taken_is_sent(dialect: Dialect, spec: dict[str, Any]) -> None:
    found = body(dialect=dialect, **spec)
    assert {key: found[key] for key in spec if key not in ("name", "thinking_level")} == {
        key: value for key, value in spec.items() if key not in ("name", "thinking_level")
    }


@pytest.mark.parametrize(
    ("model", "field"),
    [
        ("gpt-5-mini", "max_completion_tokens"),
        ("openai/gpt-5.5", "max_completion_tokens"),
        ("o4-mini", "max_completion_tokens"),
        ("gpt-oss-20b", "max_tokens"),
        ("gpt-4o", "max_tokens"),
        ("llama-3", "max_tokens"),
    ],
)
def test_a_model_of_openai_gets_what_openai_takes_of_it_behind_another_server_as_well(model: str, field: str) -> None:
    found = body(dialect=COMPATIBLE, name=model, max_output_tokens=9)
    assert {key: value for key, value in found.items() if key.startswith("max_")} == {field: 9}


@pytest.mark.parametrize(
    ("dialect", "model", "word", "told"),
    [
        (COMPATIBLE, "qwen3", None, True),
        (COMPATIBLE, "gpt-oss-20b", None, True),
        (COMPATIBLE, "gpt-5.5", "none", False),
        (COMPATIBLE, "gpt-5.2", None, False),
        (COMPATIBLE, "gpt-4o", None, False),
        (LLAMA_CPP, "qwen3", None, True),
        (OPENAI, "gpt-4o", None, False),
        (OPENAI, "gpt-5.5", "none", False),
    ],
)
def test_where_nobody_can_be_told_not_to_think_a_notice_says_so(
    dialect: Dialect, model: str, word: str | None, told: bool
) -> None:
    request = OpenAIChat(dialect).request(ask(name=model, thinking_level=ThinkingLevel.OFF))
    assert json.loads(request.body).get("reasoning_effort") == word
    assert ["thinking_level off" in notice.content for notice in request.notices] == [True] * told


@pytest.mark.parametrize("name", [None, ""])
def test_a_model_has_to_be_named(name: str | None) -> None:
    with pytest.raises(BadRequestError):
        OpenAIChat().request(ask(name=name))


# ── Tools and answers of a schema ────────────────────────────────────────────


def test_tools_stand_in_their_order_with_description_schema_and_examples() -> None:
    example = Example(input={"city": "Lisbon"}, output="21 °C", explanation="one day")
    other = Tool(name="other", description="", body=weather.body, traits=Traits(examples=(example,)))
    found = body(WithTools((weather, other)))
    assert found["tools"] == [
        {
            "type": "function",
            "function": {"name": "weather", "description": "Weather in a city.", "parameters": dict(weather.schema)},
        },
        {
            "type": "function",
            "function": {
                "name": "other",
                "description": 'Example: {"city":"Lisbon"} gives 21 °C (one day)',
                "parameters": dict(weather.schema),
            },
        },
    ]
    assert "tools" not in body(WithTools(()))


def test_the_bytes_are_the_same_for_the_same_tools_whatever_was_kept() -> None:
    kept: dict[Any, Any] = {}
    outputs = (OutputOption("answer", SCHEMA), OutputOption("answer", FREE))
    for tools, output in product(((weather,), (weather, weather_two), ()), outputs):
        asked = an_ask(options=(WithTools(tools), output), encoded=kept)
        fresh = an_ask(options=asked.options)
        for dialect in (OPENAI, COMPATIBLE, OPENROUTER):
            assert OpenAIChat(dialect).request(asked) == OpenAIChat(dialect).request(fresh)


def test_an_answer_of_a_schema_is_strict_where_it_can_be() -> None:
    output = body(OutputOption("my answer", SCHEMA))["response_format"]["json_schema"]
    assert output["strict"] is True
    assert output["schema"]["required"] == ["city", "days"]
    assert output["name"].startswith("my_answer")
    assert body(OutputOption("free", FREE))["response_format"]["json_schema"] == {
        **{"name": "free", "schema": FREE, "strict": False}
    }


@pytest.mark.parametrize(
    ("dialect", "tools", "by_tool"),
    [
        *[(OPENAI, (weather,), False), (OPENROUTER, (weather,), False), (VERCEL, (weather,), False)],
        *[(COMPATIBLE, (), False), (COMPATIBLE, (weather,), True), (LLAMA_CPP, (), False)],
        *[(LLAMA_CPP, (weather,), True), (MINIMAX, (), True), (MINIMAX, (weather,), True)],
    ],
)
def test_who_has_no_means_for_a_schema_is_given_a_tool(
    dialect: Dialect, tools: tuple[Tool, ...], by_tool: bool
) -> None:
    found = body(*([WithTools(tools)] if tools else []), OutputOption("an answer", SCHEMA), dialect=dialect)
    assert ("response_format" in found) is not by_tool
    names = [one["function"]["name"] for one in found.get("tools", ())]
    assert names[: len(tools)] == [tool.name for tool in tools]
    assert [name.startswith("an_answer_") for name in names[len(tools) :]] == ([True] if by_tool else [])


def test_the_tool_for_the_answer_is_asked_for_and_its_call_is_text() -> None:
    alone = Dialect(output="never")
    options = (OutputOption("weather", SCHEMA),)
    assert body(*options, dialect=alone)["tool_choice"] == {"type": "function", "function": {"name": "weather"}}
    both = (WithTools((weather,)), *options)
    found = body(*both, dialect=alone)
    assert found["tool_choice"] == "required"
    name = found["tools"][-1]["function"]["name"]
    assert name != "weather"
    decoder = OpenAIChat(alone).decoder(ask(*both))
    arguments = '{"city":"Lisbon","days":1}'
    outcome = decode(decoder, [call(entry(arguments, index=0, id="a", name=name)) + stop("tool_calls")])
    assert [artifact.for_model() for artifact in outcome.artifacts] == [arguments, ""]
    assert outcome.artifacts[-1].for_human() == ""


def test_no_tool_is_chosen_where_that_cannot_be_said() -> None:
    assert "tool_choice" not in body(OutputOption("answer", SCHEMA), dialect=MINIMAX)


# ── Caches ───────────────────────────────────────────────────────────────────


def test_the_session_is_the_key_of_the_prompt_cache_unless_another_is_given() -> None:
    assert body(session="s1")["prompt_cache_key"] == "s1"
    assert body(PromptCacheOption(key="k"), session="s1")["prompt_cache_key"] == "k"
    assert "prompt_cache_key" not in body(session="s1", dialect=COMPATIBLE)
    long = body(session="s" * 128)["prompt_cache_key"]
    assert len(long) == 64
    assert long != body(session="s" * 127)["prompt_cache_key"]


def test_the_last_tool_is_marked_for_who_caches_what_is_marked() -> None:
    found = body(WithTools((weather, weather_two)), dialect=OPENROUTER, name="anthropic/claude-opus-4.5")
    marks = ["cache_control" in one for one in found["tools"]]
    assert marks == [False, True]
    plain = body(WithTools((weather, weather_two)), dialect=OPENROUTER, name="openai/gpt-5")
    assert not any("cache_control" in one for one in plain["tools"])


@tool(name="weather_two")
async def weather_two(context: ToolContext, city: str) -> str:
    """Weather again."""
    return city


def test_a_gateway_that_marks_by_itself_is_told_to() -> None:
    auto: Mapping[str, Any] = {"gateway": {"caching": "auto"}}
    assert body(dialect=VERCEL)["providerOptions"] == auto
    assert "providerOptions" not in body(PromptCacheOption(marks=False), dialect=VERCEL)


def test_thinking_comes_apart_from_the_text_where_that_must_be_asked_for() -> None:
    assert body(dialect=MINIMAX)["reasoning_split"] is True
