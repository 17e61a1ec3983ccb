"""Who reads what of a call, a result and a value."""

from dataclasses import dataclass
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.artifact import (
    Artifact,
    Audio,
    File,
    HumanRenderer,
    Image,
    ModelRenderer,
    Notice,
    Reasoning,
    Restart,
    StatusContributor,
    StopReason,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    display_text,
    human_text,
    model_text,
)
from strategies import json_values, strings


@dataclass(frozen=True)
class Weather:
    """A value that renders itself."""

    city: str

    def for_model(self) -> str:
        return f"{self.city}: 21"

    def for_human(self) -> str:
        return f"**{self.city}**: 21 °C\ud800"

    def status(self) -> dict[str, str]:
        return {"city": self.city}


def builtins(value: Any) -> Any:
    """The conversion that a caller passes in, here msgspec's own."""
    return msgspec.to_builtins(value)


@pytest.mark.requirement("C014", "K26")
@pytest.mark.parametrize("display", [None, "", "42", "searching …"])
def test_a_model_gets_a_calls_arguments_whatever_is_displayed(display: str | None) -> None:
    call = ToolCall(id="1", name="f", arguments='{"a":1}', display=display)
    assert call.for_model() == '{"a":1}'
    assert call.for_human() == ('{"a":1}' if display is None else display)


@pytest.mark.requirement("C015", "B57")
def test_a_display_hint_may_render_itself() -> None:
    assert display_text(Weather("Porto")) == "**Porto**: 21 °C\ufffd"


@pytest.mark.requirement("C017")
@pytest.mark.parametrize(
    ("hint", "shown"),
    [
        ("as **it** is", "as **it** is"),
        (42, "42"),
        ({"a": [1, None]}, '{"a":[1,null]}'),
        (None, None),
        (object(), None),
        ({1j: 2}, None),
    ],
)
def test_a_display_hint_is_text_or_json_or_nothing(hint: Any, shown: str | None) -> None:
    assert display_text(hint) == shown
    call = ToolCall(id="1", name="f", arguments="{}", display=display_text(hint))
    assert call.for_human() == (shown or "{}")


@given(st.one_of(strings(), json_values()))
def test_any_display_hint_becomes_text_that_can_be_sent(hint: Any) -> None:
    shown = display_text(hint)
    assert (shown is None) is (hint is None)
    assert (shown or "").encode().decode() == (shown or "")


@pytest.mark.requirement("B57")
def test_a_hint_of_json_with_lone_surrogates_is_cleaned() -> None:
    assert display_text({"name": "x\ud800"}) == '{"name":"x\ufffd"}'


@pytest.mark.requirement("C018", "D-value-renderings")
def test_a_value_may_say_what_a_model_reads() -> None:
    assert model_text(Weather("Porto"), builtins) == "Porto: 21"


@pytest.mark.requirement("C022", "D-value-renderings")
def test_a_value_may_say_what_people_read() -> None:
    assert human_text(Weather("Porto")) == "**Porto**: 21 °C\ufffd"
    assert human_text("just text") is None


@pytest.mark.requirement("D-value-renderings")
def test_a_value_with_all_three_abilities_fits_their_protocols() -> None:
    model: ModelRenderer = Weather("Porto")
    human: HumanRenderer = Weather("Porto")
    status: StatusContributor = Weather("Porto")
    assert (model.for_model(), human.for_human(), status.status()) == (
        "Porto: 21",
        "**Porto**: 21 °C\ud800",
        {"city": "Porto"},
    )


def test_a_field_that_is_called_like_an_ability_is_only_a_field() -> None:
    class Row(msgspec.Struct):
        for_model: str
        for_human: str

    row = Row(for_model="m", for_human="h")
    assert (model_text(row, builtins), human_text(row)) == ('{"for_model":"m","for_human":"h"}', None)


def test_a_list_that_holds_itself_is_a_type_error() -> None:
    endless: list[Any] = []
    endless.append(endless)
    assert display_text(endless) is None
    with pytest.raises(TypeError):
        model_text(endless, builtins)


@pytest.mark.requirement("K22")
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("two\nlines", "two\nlines"),
        ("", ""),
        (None, ""),
        ([1, 2, 3], "[1,2,3]"),
        ({"é": "ü", "a": None}, '{"é":"ü","a":null}'),
        (True, "true"),
        (0.5, "0.5"),
    ],
)
def test_text_is_raw_nothing_is_empty_and_the_rest_is_compact_json(value: Any, text: str) -> None:
    assert model_text(value, builtins) == text


@given(json_values())
def test_a_json_value_reaches_the_model_as_that_value(value: Any) -> None:
    if not isinstance(value, str) and value is not None:
        assert msgspec.json.decode(model_text(value, builtins)) == value


@pytest.mark.requirement("B57")
@given(strings())
def test_lone_surrogates_in_a_value_never_reach_a_model(text: str) -> None:
    """Wherever in the value they stand."""
    assert model_text(text, builtins).encode().decode() == model_text(text, builtins)
    assert msgspec.json.decode(model_text([{"k": text}], builtins)) == [{"k": model_text(text, builtins)}]


def test_a_value_that_is_no_json_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        model_text(object(), builtins)


@pytest.mark.requirement("C019", "K12", "K13")
@pytest.mark.parametrize("is_error", [True, False])
def test_a_results_content_is_the_models_and_its_display_is_peoples(is_error: bool) -> None:
    plain = ToolResult(tool_call_id="1", content="raw", is_error=is_error)
    shown = ToolResult(tool_call_id="1", content="raw", display="**nice**", is_error=is_error)
    assert (plain.for_model(), plain.for_human()) == ("raw", "raw")
    assert (shown.for_model(), shown.for_human()) == ("raw", "**nice**")


@pytest.mark.parametrize(
    ("artifact", "model", "human"),
    [
        (Text(content="t"), "t", "t"),
        (Reasoning(content="r"), "", "r"),
        (Usage(prompt_tokens=1, completion_tokens=2), "", "1 + 2 tokens"),
        (StopReason(reason="stop"), "", ""),
        (StopReason(reason="length"), "", "[length]"),
        (Notice(content="n"), "", "n"),
        (Restart(attempt=2), "", ""),
        (Image(url="u"), "", "[u]"),
        (
            File(data=b"", name="a.pdf", media_type="application/pdf", size_bytes=3),
            "",
            "[a.pdf] (application/pdf, 3 bytes)",
        ),
        (Audio(blob="k"), "", "[audio]"),
    ],
)
def test_each_kind_says_what_models_and_people_read(artifact: Artifact, model: str, human: str) -> None:
    assert (artifact.for_model(), artifact.for_human()) == (model, human)
