"""How a model shall answer, in Gemini's terms."""

from typing import Any

import pytest

from ore.errors import BadRequestError, UnsupportedError
from ore.ext.wires.gemini import Gemini
from ore.ext.wires.wire import Ask
from ore.models import ThinkingLevel
from ore.provider import MaxTokensOption, OutputOption, WithTools
from wires.gemini_request import asked, body, lookup, named, turns

HELLO = turns(("u", "hello"))
OUTPUT = OutputOption("city", {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]})


def config(model: str = "gemini-2.5-flash", *options: Any, **spec: Any) -> dict[str, Any]:
    found: dict[str, Any] = body(asked(HELLO, *options, model=model, **spec)).get("generationConfig", {})
    return found


def request(ask: Ask) -> Any:
    return Gemini().request(ask)


@pytest.mark.parametrize(
    ("model", "path"),
    [
        ("gemini-2.5-pro", "models/gemini-2.5-pro:streamGenerateContent?alt=sse"),
        ("models/gemini-2.5-pro", "models/gemini-2.5-pro:streamGenerateContent?alt=sse"),
        ("tunedModels/mine", "tunedModels/mine:streamGenerateContent?alt=sse"),
        ("publishers/google/models/g", "publishers/google/models/g:streamGenerateContent?alt=sse"),
        ("a?b#c", "models/a%3Fb%23c:streamGenerateContent?alt=sse"),
    ],
)
def test_the_model_stands_in_the_path(model: str, path: str) -> None:
    assert request(asked(HELLO, model=model)).path == path


@pytest.mark.parametrize("model", [None, ""])
def test_no_model_is_refused(model: str | None) -> None:
    with pytest.raises(BadRequestError, match="name of a model"):
        request(asked(HELLO, model=model))


def test_without_an_opinion_nothing_is_said() -> None:
    assert set(body(asked(HELLO))) == {"contents"}


def test_every_field_of_a_spec_is_said() -> None:
    assert config(
        "gemini-2.0-flash",
        temperature=0.0,
        top_p=0.5,
        top_k=3,
        seed=0,
        max_output_tokens=100,
        stop_sequences=("a", "", "b"),
        frequency_penalty=0.1,
        presence_penalty=-0.1,
        window=1_000,
    ) == {
        "temperature": 0.0,
        "topP": 0.5,
        "topK": 3,
        "seed": 0,
        "maxOutputTokens": 100,
        "stopSequences": ["a", "b"],
        "frequencyPenalty": 0.1,
        "presencePenalty": -0.1,
    }


@pytest.mark.parametrize(("tokens", "expected"), [(7, 7), (0, 100), (-1, 100)])
def test_a_limit_of_the_inference_counts_more_than_the_spec(tokens: int, expected: int) -> None:
    found = config("gemini-2.0-flash", MaxTokensOption(tokens), max_output_tokens=100)
    assert found == {"maxOutputTokens": expected}


@pytest.mark.parametrize("field", ["frequency_penalty", "presence_penalty"])
@pytest.mark.parametrize("model", ["gemini-2.5-pro", "gemini-3-flash-preview", "gemini-flash-latest"])
def test_penalties_are_refused_where_the_vendor_refuses_them_or_left_out_with_a_notice(field: str, model: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        request(asked(HELLO, model=model, **{field: 0.5}))
    assert (caught.value.field, caught.value.provider) == (field, "google")
    lenient = asked(HELLO, model=model, lenient=True, **{field: 0.5})
    assert "generationConfig" not in body(lenient)
    assert len(request(lenient).notices) == 1


def test_more_stop_sequences_than_five_are_refused_or_the_first_ones_kept() -> None:
    stops = tuple("abcdef")
    with pytest.raises(UnsupportedError) as caught:
        config(stop_sequences=stops)
    assert caught.value.field == "stop_sequences"
    assert config(stop_sequences=stops, lenient=True) == {"stopSequences": list("abcde")}


# ── Thinking ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("model", "level", "expected"),
    [
        ("gemini-2.5-flash", "off", {"thinkingBudget": 0}),
        ("gemini-2.5-flash", "minimal", {"thinkingBudget": 512, "includeThoughts": True}),
        ("gemini-2.5-flash-lite", "low", {"thinkingBudget": 1_024, "includeThoughts": True}),
        ("gemini-2.5-pro", "medium", {"thinkingBudget": 8_192, "includeThoughts": True}),
        ("gemini-2.5-flash", "max", {"thinkingBudget": 24_576, "includeThoughts": True}),
        ("models/gemini-2.5-pro-preview-05", "max", {"thinkingBudget": 32_768, "includeThoughts": True}),
        ("gemini-3-flash-preview", "minimal", {"thinkingLevel": "MINIMAL", "includeThoughts": True}),
        ("gemini-3.8-flash", "minimal", {"thinkingLevel": "LOW", "includeThoughts": True}),
        ("gemini-3-pro-preview", "minimal", {"thinkingLevel": "LOW", "includeThoughts": True}),
        ("gemini-3-pro-preview", "medium", {"thinkingLevel": "HIGH", "includeThoughts": True}),
        ("gemini-3.1-pro-preview", "medium", {"thinkingLevel": "MEDIUM", "includeThoughts": True}),
        ("gemini-flash-latest", "high", {"thinkingLevel": "HIGH", "includeThoughts": True}),
        ("nobody-knows", "max", {"thinkingLevel": "HIGH", "includeThoughts": True}),
        ("nobody-knows", "off", {"thinkingBudget": 0}),
    ],
)
def test_a_level_is_tokens_or_a_word_as_the_model_takes_it(model: str, level: str, expected: dict[str, Any]) -> None:
    assert config(model, thinking_level=ThinkingLevel(level)) == {"thinkingConfig": expected}


def test_thinking_takes_at_most_half_of_the_answers_tokens() -> None:
    found = config("gemini-2.5-pro", thinking_level=ThinkingLevel.HIGH, max_output_tokens=1_000)
    assert found["thinkingConfig"]["thinkingBudget"] == 500
    found = config("gemini-2.5-flash-lite", thinking_level=ThinkingLevel.HIGH, max_output_tokens=10)
    assert found["thinkingConfig"]["thinkingBudget"] == 512


@pytest.mark.parametrize("model", ["gemini-2.0-flash", "gemini-1.5-pro-002", "gemini-2.5-flash-image"])
def test_a_model_that_does_not_think_is_not_asked_to(model: str) -> None:
    assert "thinkingConfig" not in config(model, thinking_level=ThinkingLevel.OFF)
    with pytest.raises(UnsupportedError) as caught:
        config(model, thinking_level=ThinkingLevel.LOW)
    assert caught.value.field == "thinking_level"
    assert "thinkingConfig" not in config(model, thinking_level=ThinkingLevel.LOW, lenient=True)


@pytest.mark.parametrize(
    ("model", "least"),
    [("gemini-2.5-pro", {"thinkingBudget": 128}), ("gemini-3-flash-preview", {"thinkingLevel": "MINIMAL"})],
)
def test_a_model_that_always_thinks_says_so_or_thinks_least(model: str, least: dict[str, Any]) -> None:
    with pytest.raises(UnsupportedError) as caught:
        config(model, thinking_level=ThinkingLevel.OFF)
    assert caught.value.field == "thinking_level"
    assert config(model, thinking_level=ThinkingLevel.OFF, lenient=True) == {"thinkingConfig": least}


# ── Tools and outputs ────────────────────────────────────────────────────────


def test_tools_are_functions_with_their_schema_in_order() -> None:
    found = body(asked(HELLO, WithTools([lookup, named("7zip")])))
    first, second = found["tools"][0]["functionDeclarations"]
    assert first == {
        "name": "lookup",
        "description": "Weather of a city.",
        "parametersJsonSchema": dict(lookup.schema),
    }
    assert second["name"] == "_7zip"


def test_an_output_is_the_schema_of_the_answer() -> None:
    assert config("gemini-2.5-flash", OUTPUT) == {
        "responseMimeType": "application/json",
        "responseJsonSchema": OUTPUT.schema,
    }


def test_a_model_that_takes_a_schema_beside_tools_gets_both() -> None:
    found = body(asked(HELLO, OUTPUT, WithTools([lookup]), model="gemini-3-pro-preview"))
    assert found["generationConfig"]["responseJsonSchema"] == OUTPUT.schema
    assert len(found["tools"][0]["functionDeclarations"]) == 1


def test_one_that_does_not_answers_by_a_function_that_has_to_be_called() -> None:
    found = body(asked(HELLO, OUTPUT, WithTools([lookup, named("city")])))
    assert "generationConfig" not in found
    assert found["toolConfig"] == {"functionCallingConfig": {"mode": "ANY"}}
    assert [one["name"] for one in found["tools"][0]["functionDeclarations"]] == ["lookup", "city", "city_0"]


def test_a_model_that_draws_is_asked_for_pictures_too() -> None:
    assert config("gemini-2.5-flash-image") == {"responseModalities": ["TEXT", "IMAGE"]}


def test_requests_with_the_same_tools_have_the_same_bytes_and_encode_them_once() -> None:
    kept: dict[Any, Any] = {}
    options = WithTools([lookup])
    first = request(asked(HELLO, options, encoded=kept))
    assert request(asked(HELLO, options, encoded=kept)) == first
    assert request(asked(HELLO, options)) == first


def test_options_that_nobody_knows_are_passed_over() -> None:
    assert request(asked(HELLO, object(), "x")) == request(asked(HELLO))


def test_a_change_of_model_in_a_conversation_changes_how_its_answer_is_given() -> None:
    """One model calls a tool to answer, another takes the schema beside tools."""
    encoded: dict[Any, Any] = {}
    options = (WithTools((lookup,)), OUTPUT)
    names = []
    for model in ("gemini-3-pro", "gemini-2.5-flash", "gemini-3-pro"):
        found = body(asked(HELLO, *options, model=model, encoded=encoded))
        names.append([declared["name"] for declared in found["tools"][0]["functionDeclarations"]])
    assert names == [["lookup"], ["lookup", "city"], ["lookup"]]
