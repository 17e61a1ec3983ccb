"""How a model's JSON becomes the values that a function takes."""

import asyncio
import cProfile
import pstats
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Annotated, Any, Literal, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel

from ore.errors import ToolError
from ore.tool import Tool, tool


class Color(StrEnum):
    RED = "red"


class Priority(IntEnum):
    HIGH = 2


@dataclass
class Inner:
    size: int


class Place(BaseModel):
    city: str


class Row(TypedDict):
    inner: Inner


@dataclass
class Everything:
    color: Color
    priority: Priority
    inner: list[Inner]
    place: Place


def everything(
    all: Everything, row: Row, lookup: dict[str, Inner], pair: tuple[Inner, Inner], color: Color, limit: int = 10
) -> None: ...


EVERYTHING = """{"color": "red", "lookup": {"a": {"size": 3}}, "pair": [{"size": 4}, {"size": 5}], "all":
    {"color": "red", "priority": 2, "inner": [{"size": 1}], "place": {"city": "Lisbon"}},
    "row": {"inner": {"size": 2}}}"""


@pytest.mark.requirement("B65", "B67")
def test_values_arrive_as_the_python_types() -> None:
    """Enum members, dataclasses, models, deep inside too; and the defaults."""
    arguments = tool(everything).body.parse(EVERYTHING)
    assert arguments == {
        "all": Everything(Color.RED, Priority.HIGH, [Inner(1)], Place(city="Lisbon")),
        "row": {"inner": Inner(2)},
        "lookup": {"a": Inner(3)},
        "pair": (Inner(4), Inner(5)),
        "color": Color.RED,
        "limit": 10,
    }
    assert isinstance(arguments["color"], Color)
    assert isinstance(arguments["all"].priority, Priority)


def test_an_iterable_arrives_as_a_list() -> None:
    """Checked at once, and there to be read more than once."""

    def take(numbers: Iterable[int], maybe: Iterable[Row] | None = None, any: Iterable = ()) -> None: ...  # type: ignore[type-arg]

    arguments = tool(take).body.parse('{"numbers": [1, "2"], "maybe": [{"inner": {"size": 1}}], "any": ["a", 1]}')
    assert arguments == {"numbers": [1, 2], "maybe": [{"inner": Inner(1)}], "any": ["a", 1]}
    with pytest.raises(ToolError):
        tool(take).body.parse('{"numbers": ["a"]}')


@pytest.mark.requirement("B07")
@pytest.mark.parametrize("nothing", ["", " ", "\n\t", "{}"])
def test_nothing_means_no_arguments(nothing: str) -> None:
    def ping() -> str:
        return "pong"

    def need(x: int) -> None: ...

    assert tool(ping).body.parse(nothing) == {}
    with pytest.raises(ToolError, match=r"x: missing, expected integer"):
        tool(need).body.parse(nothing)


def message(taker: Tool, arguments: str) -> str:
    with pytest.raises(ToolError) as caught:
        taker.body.parse(arguments)
    return str(caught.value)


def test_what_does_not_fit_is_said_field_by_field() -> None:
    """What was expected and what came, for all of them at once."""

    def take(city: str, days: int, unit: Literal["C", "F"], inner: list[Inner], odd: int | None) -> None: ...

    said = message(tool(take), '{"days": "three", "unit": "K", "inner": [{"size": []}], "town": 1}')
    assert said == (
        "arguments do not fit: city: missing, expected string; "
        'days: expected a valid integer, unable to parse string as an integer, got "three"; '
        "unit: expected 'C' or 'F', got \"K\"; "
        "inner[0].size: expected a valid integer, got []; "
        "odd: missing, expected integer or null; "
        "town: unknown, expected one of: city, days, unit, inner, odd"
    )


def test_a_missing_choice_is_said_with_its_values() -> None:
    def take(color: Color) -> None: ...

    assert message(tool(take), "{}") == 'arguments do not fit: color: missing, expected one of ["red"]'


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("[1]", "arguments do not fit: expected a JSON object, got array [1]"),
        ('"{}"', 'arguments do not fit: expected a JSON object, got string "{}"'),
        ("null", "arguments do not fit: expected a JSON object, got null null"),
        ("true", "arguments do not fit: expected a JSON object, got boolean true"),
    ],
)
def test_what_is_no_object_is_refused(arguments: str, said: str) -> None:
    def take(a: int = 0) -> None: ...

    assert message(tool(take), arguments) == said


@pytest.mark.parametrize("arguments", ['{"a": 1', "nope", '{"a": 1} and more', "{'a': 1}", "[" * 100_000])
def test_what_is_no_json_is_refused(arguments: str) -> None:
    def take(a: int = 0) -> None: ...

    assert message(tool(take), arguments).startswith("arguments are not valid JSON: ")


def test_a_message_is_bounded_whatever_came() -> None:
    def take(a: int) -> None: ...

    taker = tool(take)
    for arguments in (
        '{"a": "' + "x" * 1_000_000 + '"}',
        '{"' + "x" * 1_000_000 + '": 1}',
        "{" + ",".join(f'"x{number}": 1' for number in range(10_000)) + "}",
        "x" * 1_000_000,
        *('{"a": ' + "[" * depth + "]" * depth + "}" for depth in (100, 300, 400, 500, 900, 100_000)),
    ):
        assert len(message(taker, arguments)) <= 2_000


@tool
def optional(a: int = 0, b: list[str] | None = None) -> None: ...


@pytest.mark.requirement("D-tool-arguments")
@given(st.text() | st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists).map(str))
def test_whatever_a_model_writes_is_values_or_an_error_for_it(arguments: str) -> None:
    try:
        assert set(optional.body.parse(arguments)) == {"a", "b"}
    except ToolError as exc:
        assert len(str(exc)) <= 2_000
        str(exc).encode()


@pytest.mark.requirement("B57")
@pytest.mark.parametrize("arguments", ['{"a": "x\ud800y"}', '{"a": "x\\ud800y"}', '{"a": "x\\uDfFfy"}'])
def test_a_lone_surrogate_arrives_as_the_replacement_character(arguments: str) -> None:
    """As a character and as an escape; a pair stays whole, also beside one."""

    def take(a: str, b: dict[str, str] | None = None) -> None: ...

    assert tool(take).body.parse(arguments) == {"a": "x\ufffdy", "b": None}
    both = '{"a": "\\ud800 \\ud83d\\ude00", "b": {"k\\udc00": "😀"}}'
    assert tool(take).body.parse(both) == {"a": "\ufffd 😀", "b": {"k\ufffd": "😀"}}


@pytest.mark.requirement("B68")
def test_a_null_where_an_optional_parameter_takes_none_is_its_default() -> None:
    """Strict modes send it, as do many models by themselves."""

    def take(a: int, b: int = 3, c: str | None = "c") -> None: ...

    assert tool(take).body.parse('{"a": 1, "b": null, "c": null}') == {"a": 1, "b": 3, "c": None}
    assert message(tool(take), '{"a": null}') == "arguments do not fit: a: expected a valid integer, got null"


def even(number: int) -> int:
    if number % 2:
        raise ValueError("must be even")
    return number


def broken(number: int) -> int:
    raise KeyError("lost")


def polite(number: int) -> int:
    raise ToolError("ask me tomorrow")


def test_an_error_of_a_validator_reaches_the_model() -> None:
    def take(a: Annotated[int, AfterValidator(even)]) -> None: ...
    def lose(a: Annotated[int, AfterValidator(broken)]) -> None: ...
    def wait(a: Annotated[int, AfterValidator(polite)]) -> None: ...

    assert message(tool(take), '{"a": 3}') == "arguments do not fit: a: must be even, got 3"
    assert message(tool(lose), '{"a": 3}') == "arguments could not be read: KeyError: 'lost'"
    assert message(tool(wait), '{"a": 3}') == "ask me tomorrow"


async def test_reading_arguments_takes_few_calls() -> None:
    """A whole tool turn has 800; reading is a small part of it."""
    taker = tool(everything)
    taker.body.parse(EVERYTHING)
    profile = cProfile.Profile()
    profile.enable()
    taker.body.parse(EVERYTHING)
    profile.disable()
    rows: dict[Any, Any] = pstats.Stats(profile).stats  # type: ignore[attr-defined]  # what it is made for
    await asyncio.sleep(0)
    assert sum(row[1] for key, row in rows.items() if "disable" not in key[2]) <= 4
