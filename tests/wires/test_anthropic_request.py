"""What a request says beside its messages."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from pydantic import BaseModel, Field

from ore.artifact import Reasoning
from ore.errors import BadRequestError, UnsupportedError
from ore.ext.wires.anthropic import GATEWAY, AnthropicMessages
from ore.models import Spec, ThinkingLevel
from ore.provider import MaxTokensOption, OutputOption, PromptCacheOption, WithTools
from ore.tool import Output, SchemaBody, Tool, ToolContext, Traits
from ore.tool import tool as as_tool
from ore.tool.tool import Example
from wires.anthropic_answer import MODEL, PROVIDER, signed_data
from wires.anthropic_request import asked, body, call, plain, request, result, turn, turns

OLD, OPUS_46, OPUS_48, OPUS_5, OPUS_55 = (
    "claude-3-5-haiku-latest",
    "claude-opus-4-6",
    "claude-opus-4-8",
    "claude-opus-5",
    "claude-opus-5-5",
)
OTHER = "MiniMax-M3"


def spec(model: str = MODEL, **fields: Any) -> dict[str, Any]:
    """The body of a request with these fields of a spec."""
    return body(asked(spec=Spec(name=model, **fields)), strict=model != OPUS_55)


async def _run(context: ToolContext, arguments: Mapping[str, Any]) -> None:
    raise NotImplementedError


def tool(name: str, schema: Mapping[str, Any] | None = None, **more: Any) -> Tool:
    return Tool(name=name, description=f"About {name}.", body=SchemaBody(schema, _run), **more)


# ── The frame ────────────────────────────────────────────────────────────────


def test_the_least_request() -> None:
    found = request(asked([turn("u", "Hello.")], PromptCacheOption(marks=False)))
    assert (found.path, found.headers, list(found.notices)) == ("messages", {"anthropic-version": "2023-06-01"}, [])
    assert msgspec.json.decode(found.body) == {
        "model": MODEL,
        "max_tokens": 32_000,
        "stream": True,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hello."}]}],
    }


def test_the_protocol_has_a_name() -> None:
    assert AnthropicMessages().protocol == "anthropic"


@pytest.mark.parametrize("name", [None, ""])
def test_without_a_model_nothing_is_asked(name: str | None) -> None:
    with pytest.raises(BadRequestError):
        request(asked(spec=Spec(name=name)))


def test_options_that_nobody_knows_are_passed_over() -> None:
    assert request(asked((), object(), "x", 1)).body == request(asked()).body


# ── How long ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("claude-3-haiku-20240307", 4_096),
        (OLD, 8_192),
        ("claude-3-7-sonnet-latest", 32_000),
        ("claude-opus-4-20250514", 32_000),
        (MODEL, 32_000),
        (OPUS_46, 64_000),
        ("claude-haiku-5-5", 64_000),
        ("anthropic/claude-sonnet-4.6", 64_000),
        (OTHER, 8_192),
    ],
)
def test_the_answer_has_a_limit_even_when_nobody_says_one(model: str, tokens: int) -> None:
    """The vendor insists on a number."""
    assert body(asked(model=model), strict=False)["max_tokens"] == tokens


def test_whoever_says_a_limit_gets_it() -> None:
    assert spec(max_output_tokens=77)["max_tokens"] == 77
    assert body(asked((), MaxTokensOption(5), spec=Spec(name=MODEL, max_output_tokens=77)))["max_tokens"] == 5
    assert body(asked((), MaxTokensOption(0)))["max_tokens"] == 32_000
    assert spec(max_output_tokens=0)["max_tokens"] == 32_000


def test_an_answer_leaves_half_of_a_small_window_to_the_prompt() -> None:
    assert spec(OTHER, window=4_096)["max_tokens"] == 2_048
    assert spec(OTHER, window=1_000_000)["max_tokens"] == 8_192


# ── How it is drawn ──────────────────────────────────────────────────────────


def test_fields_of_a_spec_that_the_protocol_has_are_sent() -> None:
    found = spec(temperature=0.0, top_k=40, stop_sequences=("END", "\nUser:"))
    assert (found["temperature"], found["top_k"], found["stop_sequences"]) == (0, 40, ["END", "\nUser:"])
    assert spec(top_p=0.5)["top_p"] == 0.5
    assert spec("claude-3-5-sonnet-latest", temperature=0.2, top_p=0.5).keys() >= {"temperature", "top_p"}


@pytest.mark.parametrize(
    ("model", "fields", "field"),
    [
        (MODEL, {"seed": 1}, "seed"),
        (MODEL, {"frequency_penalty": 0.0}, "frequency_penalty"),
        (MODEL, {"presence_penalty": 0.1}, "presence_penalty"),
        (MODEL, {"stop_sequences": (" ",)}, "stop_sequences"),
        (MODEL, {"temperature": 1.5}, "temperature"),
        (MODEL, {"temperature": 0.5, "top_p": 0.5}, "top_p"),
        (MODEL, {"temperature": 0.5, "thinking_level": ThinkingLevel.LOW}, "temperature"),
        (MODEL, {"top_k": 5, "thinking_level": ThinkingLevel.LOW}, "top_k"),
        (MODEL, {"top_p": 0.9, "thinking_level": ThinkingLevel.LOW}, "top_p"),
        (OPUS_46, {"temperature": 0.0, "thinking_level": ThinkingLevel.LOW}, "temperature"),
        (OPUS_48, {"temperature": 0.0}, "temperature"),
        (OPUS_48, {"top_p": 0.5}, "top_p"),
        (OPUS_48, {"top_k": 5}, "top_k"),
        (OLD, {"thinking_level": ThinkingLevel.LOW}, "thinking_level"),
        (OPUS_55, {"thinking_level": ThinkingLevel.OFF}, "thinking_level"),
        ("claude-fable-5", {"thinking_level": ThinkingLevel.OFF}, "thinking_level"),
    ],
)
def test_what_a_model_cannot_take_is_refused_by_name_or_left_out_with_a_notice(
    model: str, fields: dict[str, Any], field: str
) -> None:
    with pytest.raises(UnsupportedError) as caught:
        spec(model, **fields)
    assert (caught.value.field, caught.value.provider) == (field, PROVIDER)
    found = request(asked(spec=Spec(name=model, **fields), lenient=True), strict=model != OPUS_55)
    assert [field in notice.content for notice in found.notices] == [True]
    assert field not in msgspec.json.decode(found.body)


def test_leniently_only_the_blank_ones_of_some_stop_sequences_are_left_out() -> None:
    given = Spec(name=MODEL, stop_sequences=("a", " ", "\n"))
    found = request(asked(spec=given, lenient=True))
    assert (len(found.notices), msgspec.json.decode(found.body)["stop_sequences"]) == (1, ["a"])


@pytest.mark.parametrize("model", [MODEL, OPUS_48])
def test_a_temperature_of_1_is_never_refused(model: str) -> None:
    for more in ({}, {"thinking_level": ThinkingLevel.HIGH}):
        found = spec(model, temperature=1.0, **more)
        assert found.get("temperature", 1) == 1
    assert spec(MODEL, top_p=0.95, thinking_level=ThinkingLevel.HIGH)["top_p"] == 0.95


# ── How hard it thinks ───────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("level", "max_tokens", "budget"),
    [
        ("minimal", 32_000, 1_024),
        ("low", 32_000, 2_560),
        ("medium", 32_000, 8_000),
        ("high", 32_000, 16_000),
        ("max", 32_000, 25_600),
        ("medium", 128_000, 32_000),
        ("max", 4_096, 3_072),
        ("max", 2_048, 1_024),
    ],
)
def test_a_level_is_a_share_of_the_answers_tokens(level: str, max_tokens: int, budget: int) -> None:
    """The original's shares and limits, spec/extensions.md 6.2."""
    found = spec(max_output_tokens=max_tokens, thinking_level=ThinkingLevel(level))
    assert found["thinking"] == {"type": "enabled", "budget_tokens": budget}


def test_an_answer_that_is_too_short_for_it_comes_without_thinking_and_that_is_said() -> None:
    found = request(asked(spec=Spec(name=MODEL, max_output_tokens=2_047, thinking_level=ThinkingLevel.MAX)))
    assert "thinking" not in msgspec.json.decode(found.body)
    (notice,) = found.notices
    assert "2047 tokens" in notice.content and "thinking_level max is left out" in notice.content


@pytest.mark.parametrize("model", [MODEL, OPUS_46, OPUS_48, OPUS_5, OTHER])
def test_no_level_leaves_it_to_the_model(model: str) -> None:
    assert {"thinking", "output_config"} & spec(model).keys() == set()


@pytest.mark.parametrize(
    ("level", "effort"),
    [("minimal", "low"), ("low", "low"), ("medium", "medium"), ("high", "high"), ("max", "max")],
)
def test_newer_models_take_a_level_as_effort(level: str, effort: str) -> None:
    found = spec(OPUS_46, thinking_level=ThinkingLevel(level))
    assert (found["thinking"], found["output_config"]) == ({"type": "adaptive"}, {"effort": effort})
    found = spec(OPUS_5, thinking_level=ThinkingLevel(level))
    shown = {"type": "adaptive", "display": "summarized"}
    assert (found["thinking"], found["output_config"]) == (shown, {"effort": effort})


@pytest.mark.parametrize(
    ("model", "option"),
    [
        (MODEL, None),
        (OLD, None),
        (OPUS_48, None),
        (OPUS_5, {"type": "disabled"}),
        ("claude-sonnet-5", {"type": "disabled"}),
        ("claude-sonnet-5-5", {"type": "between_tools"}),
        ("claude-haiku-5-5", {"type": "disabled"}),
    ],
)
def test_off_is_what_the_model_calls_it(model: str, option: dict[str, Any] | None) -> None:
    assert spec(model, thinking_level=ThinkingLevel.OFF).get("thinking") == option


def test_a_model_that_binds_thinking_to_its_conversation_drops_what_no_longer_fits() -> None:
    """Compaction would make the session unusable otherwise."""
    for level in (None, ThinkingLevel.LOW):
        found = request(asked(spec=Spec(name=OPUS_55, thinking_level=level)), strict=False)
        option = msgspec.json.decode(found.body)["thinking"]
        assert option["block_binding"] == {"prefix_mismatch_behavior": "drop_block"}
        assert found.headers["anthropic-beta"] == "thinking-binding-controls-2026-08-01"


def test_gateways_are_not_told_what_only_the_vendor_knows() -> None:
    found = request(asked(model=OPUS_55), GATEWAY)
    assert found.headers == {"anthropic-version": "2023-06-01"}
    assert b"block_binding" not in found.body


def test_thinking_with_a_budget_pauses_while_calls_are_answered_that_came_without_it() -> None:
    """The vendor refuses it, and another model may have made the calls."""
    level = ThinkingLevel.HIGH
    signed = Reasoning(content="hm", provider_data=signed_data("hm", "S"))
    asked_spec = Spec(name=MODEL, thinking_level=level)

    def thinks(*given: Any) -> bool:
        return "thinking" in body(asked(turns(*given), spec=asked_spec))

    assert not thinks(("u", "a"), ("a", "b", call()), ("t", result()))
    assert not thinks(("u", "a"), ("a", call()), ("t", result()), ("u", "steer"))
    assert thinks(("u", "a"), ("a", signed, call()), ("t", result()))
    assert thinks(("u", "a"), ("a", call()), ("t", result()), ("a", signed, "b"), ("u", "c"))
    assert thinks(("u", "a"), ("a", "b"), ("u", "c"))
    assert thinks(("u", "a"), ("a", call()), ("t", result()), ("a", "b"), ("u", "c"))


# ── Tools ────────────────────────────────────────────────────────────────────


def test_tools_go_with_their_descriptions_and_whole_schemas_in_order() -> None:
    class Place(BaseModel):
        city: str

    @as_tool
    async def weather(place: Place, days: int = 1) -> str:
        """Weather at a place."""
        raise NotImplementedError

    found = plain(body(asked((), WithTools((tool("zeta"), weather)))))["tools"]
    assert found == [
        {"name": "zeta", "description": "About zeta.", "input_schema": {"type": "object", "properties": {}}},
        {"name": "weather", "description": "Weather at a place.", "input_schema": weather.schema},
    ]
    assert "$defs" in found[1]["input_schema"]


def test_examples_of_a_tool_are_shown() -> None:
    shown = Traits(examples=(Example(input={"a": 1}, explanation="one"), Example(input={})))
    found = body(asked((), WithTools((tool("t", traits=shown),))))["tools"][0]["description"]
    assert found == 'About t.\nExample: {"a":1} (one)\nExample: {}'


@pytest.mark.requirement("B69")
def test_a_request_has_the_same_bytes_every_time() -> None:
    options = [WithTools((tool("b"), tool("a"))), OutputOption("answer", {"type": "object", "properties": {}})]
    said = turns(("s", "x"), ("u", "a"), ("a", call()), ("t", result()))
    assert len({request(asked(said, *options, session=str(number))).body for number in range(3)}) == 1


# ── Structured answers ───────────────────────────────────────────────────────


class Inner(BaseModel):
    kind: str
    size: int = Field(ge=0, le=10, description="How big.")


class Answer(BaseModel):
    title: str = Field(min_length=1, pattern="[a-z]+")
    parts: list[Inner] = Field(min_length=2)
    note: str | None = None


def output(kind: Any) -> OutputOption:
    found = Output(kind)
    return OutputOption(found.name, found.schema)


@pytest.mark.requirement("B68")
@pytest.mark.parametrize("model", [MODEL, "claude-opus-4-1", OPUS_48, "anthropic/claude-haiku-4.5"])
def test_models_that_decode_by_a_schema_get_it_without_what_they_cannot_decode_by(model: str) -> None:
    found = body(asked((), output(Answer), model=model))
    schema = found["output_config"]["format"]["schema"]
    assert found["output_config"]["format"]["type"] == "json_schema"
    assert schema["additionalProperties"] is False
    assert schema["properties"]["parts"] == {"items": {"$ref": "#/$defs/Inner"}, "type": "array"}
    assert schema["$defs"]["Inner"]["properties"]["size"] == {
        "description": "How big.",
        "type": "integer",
    }
    assert {"tools", "tool_choice"} & found.keys() == set()


def test_effort_and_a_schema_go_together() -> None:
    found = body(asked((), output(Inner), spec=Spec(name=OPUS_48, thinking_level=ThinkingLevel.LOW)))
    assert found["output_config"].keys() == {"effort", "format"}


@pytest.mark.parametrize("model", [OLD, OTHER])
def test_other_models_answer_by_calling_a_tool(model: str) -> None:
    found = plain(body(asked((), output(Answer), model=model)))
    assert found["tool_choice"] == {"type": "tool", "name": "Answer"}
    assert (found["tools"][-1]["name"], found["tools"][-1]["input_schema"]) == ("Answer", Output(Answer).schema)
    beside = body(asked((), output(Answer), WithTools((tool("t"),)), model=model))
    assert ([item["name"] for item in beside["tools"]], beside["tool_choice"]) == (["t", "Answer"], {"type": "any"})


def test_beside_thinking_no_tool_is_forced() -> None:
    thinks = Spec(name="claude-opus-4-20250514", thinking_level=ThinkingLevel.LOW)
    found = body(asked((), output(Answer), spec=thinks))
    assert found.keys() & {"tools", "tool_choice", "thinking"} == {"tools", "thinking"}


def test_the_tool_of_an_answer_has_a_name_of_its_own() -> None:
    found = body(asked((), output(Answer), WithTools((tool("Answer"), tool("Answer_0"))), model=OLD))
    assert len({item["name"] for item in found["tools"]}) == 3


class Tree(BaseModel):
    branches: list["Tree"]


UNDECODABLE: list[dict[str, Any]] = [
    {"type": "object", "additionalProperties": {"type": "string"}},
    {"type": "object", "properties": {"a": {}}},
    {"type": "object", "properties": {"a": {"type": "array"}}},
    {"type": "object", "properties": {"a": {"type": "array", "prefixItems": [{"type": "string"}]}}},
    {"type": "object", "properties": {"a": {"not": {"type": "string"}}}},
    {"type": "object", "properties": {"a": {"$ref": "#/$defs/gone"}}},
    {"type": "object", "properties": {"a": {"anyOf": [{"type": "null"}], "oneOf": [{"type": "null"}]}}},
    dict(Output(Tree).schema),
]


@pytest.mark.parametrize("schema", UNDECODABLE)
def test_a_schema_that_cannot_be_decoded_by_is_a_tool_that_nobody_forces(schema: dict[str, Any]) -> None:
    found = body(asked((), OutputOption("answer", schema), model=OPUS_48), strict=False)
    assert found.keys() & {"tools", "tool_choice", "output_config"} == {"tools"}
    assert plain(found["tools"][0]["input_schema"]) == schema


# ── The prompt cache ─────────────────────────────────────────────────────────

MARK = {"type": "ephemeral"}


def marked(value: Any, path: str = "") -> list[str]:
    """Where marks stand."""
    if isinstance(value, list):
        return [found for place, item in enumerate(value) for found in marked(item, f"{path}.{place}")]
    if not isinstance(value, dict):
        return []
    own = [path] if value.get("cache_control") == MARK else []
    return own + [found for key, item in value.items() for found in marked(item, f"{path}.{key}".strip("."))]


def test_marks_stand_on_the_last_tool_the_last_of_the_system_and_the_last_of_the_user() -> None:
    said = turns(("s", "one", "two"), ("u", "a"), ("a", "b", call()), ("t", result()), ("u", "c"))
    found = body(asked(said, WithTools((tool("x"), tool("y")))))
    assert marked(found) == ["tools.1", "system.1", "messages.2.content.1"]
    assert marked(body(asked(said, WithTools((tool("x"),)), PromptCacheOption(marks=False)))) == []
    assert marked(body(asked(said, PromptCacheOption()))) == ["system.1", "messages.2.content.1"]


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ([("u", "a")], "messages.0.content.0"),
        ([("u", "a"), ("a", call()), ("t", result())], "messages.2.content.0"),
        ([("u", "a"), ("a", "b"), ("u", "c"), ("a", "d")], "messages.2.content.0"),
        ([("u", "a"), ("a", "b")], "messages.0.content.0"),
    ],
)
def test_the_last_block_of_the_user_is_marked_wherever_it_stands(given: list[Any], place: str) -> None:
    assert marked(body(asked(turns(*given)))) == [place]


def test_behind_a_system_message_the_user_is_still_marked() -> None:
    found = body(asked(turns(("u", "a"), ("s", "x")), model=OPUS_48))
    assert marked(found) == ["messages.0.content.0"]


# ── A long conversation ──────────────────────────────────────────────────────


def test_a_turn_is_encoded_once_for_each_model() -> None:
    """What was encoded is the very same object in the next request."""
    said = turns(*(("u", f"question {place}") if place % 2 == 0 else ("a", f"answer {place}") for place in range(201)))
    kept: dict[Any, Any] = {}
    first = request(asked(said, encoded=kept)).body
    assert first == request(asked(said)).body
    grown = [*said, turn("a", "x", id="n1"), turn("u", "y", id="n2")]
    assert request(asked(grown, encoded=kept)).body == request(asked(grown)).body
    elsewhere = request(asked(grown, encoded=kept, model=OPUS_48)).body
    assert elsewhere == request(asked(grown, model=OPUS_48)).body


def test_other_tools_and_another_beginning_are_not_those_that_were_kept() -> None:
    kept: dict[Any, Any] = {}
    for names, start in (("ab", "x"), ("b", "x"), ("b", "y"), ("", "y"), ("ab", "x")):
        said = turns(("s", start), ("u", "a"))
        options = [WithTools(tuple(tool(name) for name in names)), output(Inner)]
        for model in (MODEL, OLD):
            ask = asked(said, *options, model=model)
            assert request(asked(said, *options, model=model, encoded=kept)).body == request(ask).body
