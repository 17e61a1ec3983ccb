"""Which model, and how it shall answer."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.errors import InputError
from ore.models import MODEL_KEYS, Spec, ThinkingLevel, check_model_key, merge, spec_from_metadata, split_name

FIELDS: dict[str, tuple[str, Any]] = {
    "name": ("anthropic:claude", "anthropic:claude"),
    "window": ("8000", 8000),
    "max_output_tokens": ("100", 100),
    "temperature": ("0", 0.0),
    "thinking_level": ("high", ThinkingLevel.HIGH),
    "top_p": ("0.5", 0.5),
    "top_k": ("40", 40),
    "seed": ("-1", -1),
    "stop_sequences": ('["END","\\n\\n"]', ("END", "\n\n")),
    "frequency_penalty": ("-0.5", -0.5),
    "presence_penalty": ("1e-1", 0.1),
}

_specs = st.builds(
    Spec,
    name=st.none() | st.sampled_from(["a", "b"]),
    max_output_tokens=st.none() | st.integers(1, 9),
    temperature=st.none() | st.floats(0, 2),
    thinking_level=st.none() | st.sampled_from(ThinkingLevel),
    stop_sequences=st.none() | st.lists(st.text(max_size=2), max_size=2).map(tuple),
)


@pytest.mark.requirement("C077", "P28")
def test_a_spec_of_nothing_has_no_opinion() -> None:
    spec = Spec()
    assert {getattr(spec, name) for name in spec.__struct_fields__} == {None}
    assert tuple(spec.__struct_fields__) == tuple(FIELDS)
    assert Spec(temperature=0.0) != spec


@pytest.mark.requirement("C078")
@pytest.mark.parametrize("level", ["off", "minimal", "low", "medium", "high", "max"])
def test_there_are_six_thinking_levels(level: str) -> None:
    assert (ThinkingLevel.parse(level).value, len(ThinkingLevel)) == (level, 6)


@pytest.mark.requirement("C078", "C079")
@pytest.mark.parametrize("text", ["", "MEDIUM", " off", "off ", "foo"])
def test_every_other_level_is_refused_with_the_six_there_are(text: str) -> None:
    with pytest.raises(ValueError, match="off, minimal, low, medium, high, max"):
        ThinkingLevel.parse(text)


@pytest.mark.requirement("K11", "D-spec-order")
@given(st.lists(st.none() | _specs, max_size=4))
def test_specs_merge_field_by_field_and_the_later_opinion_wins(specs: list[Spec | None]) -> None:
    merged = merge(*specs)
    for name in Spec.__struct_fields__:
        opinions = [value for spec in specs if spec and (value := getattr(spec, name)) is not None]
        assert getattr(merged, name) == (opinions[-1] if opinions else None)


@pytest.mark.requirement("P28")
@pytest.mark.parametrize("field", ["max_output_tokens", "window"])
@pytest.mark.parametrize("count", [0, -1])
def test_a_count_that_is_not_positive_is_no_opinion(field: str, count: int) -> None:
    given: dict[str, Any] = {field: 5}
    nothing: dict[str, Any] = {field: count}
    assert merge(Spec(**given), Spec(**nothing)) == Spec(**given)
    assert merge(Spec(name="m"), Spec(**nothing)) == Spec(name="m")
    assert merge(Spec(**nothing)) == merge(Spec(**nothing), Spec()) == Spec()


def test_zero_is_an_opinion_on_the_temperature() -> None:
    assert merge(Spec(temperature=1.0), Spec(temperature=0.0)) == Spec(temperature=0.0)


@pytest.mark.requirement("K11", "N14")
@pytest.mark.parametrize("field", FIELDS)
def test_each_metadata_key_counts_alone(field: str) -> None:
    text, value = FIELDS[field]
    key = f"ore.model.{field}"
    check_model_key(key, text)
    assert key in MODEL_KEYS
    assert spec_from_metadata({key: text, "other": "x"}) == Spec(**{field: value})


@pytest.mark.requirement("K11")
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("ore.model.temperature", "warm"),
        ("ore.model.temperature", "nan"),
        ("ore.model.temperature", "inf"),
        ("ore.model.top_k", "1.5"),
        ("ore.model.thinking_level", "MAX"),
        ("ore.model.stop_sequences", "END"),
        ("ore.model.stop_sequences", "[1]"),
        ("ore.model.colour", "red"),
    ],
)
def test_a_wrong_value_is_refused_when_it_is_set_and_passed_over_when_it_came_anyhow(key: str, value: str) -> None:
    with pytest.raises(InputError, match=key):
        check_model_key(key, value)
    assert spec_from_metadata({key: value}) is None
    assert spec_from_metadata({key: value, "ore.model.name": "m"}) == Spec(name="m")


def test_metadata_that_says_nothing_of_a_model_makes_no_spec() -> None:
    check_model_key("title", "anything")
    assert spec_from_metadata({"title": "t"}) is None


@pytest.mark.requirement("D-model-names")
@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("gpt-5", (None, "gpt-5")),
        ("openai:gpt-5", ("openai", "gpt-5")),
        ("openrouter/meta/llama:free", ("openrouter", "meta/llama:free")),
        ("ollama:llama3:8b", ("ollama", "llama3:8b")),
        ("", (None, "")),
    ],
)
def test_a_name_may_say_its_provider(name: str, parts: tuple[str | None, str]) -> None:
    assert split_name(name) == parts
