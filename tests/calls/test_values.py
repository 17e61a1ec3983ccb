"""What a tool returns, as the model and people get it."""

import asyncio
import dataclasses
import datetime
import decimal
import enum
import pathlib
from collections import deque
from collections.abc import AsyncIterator
from types import MappingProxyType
from typing import Any

import pydantic
import pytest

from calls.stage import Stage
from ore.artifact import CODEC, Audio, Cut, Image, ResultStatus, Text, ToolResult, Truncation, TruncationStyle, encode
from ore.errors import ToolError
from ore.tool import SchemaBody, Tool, ToolContext, Traits, tool

IMAGE = Image(data=b"\x00\xff", media_type="image/png", name="chart", size_bytes=2)
SOUND = Audio(url="https://example.org/a.mp3")


class City(pydantic.BaseModel):
    name: str
    founded: datetime.date


@dataclasses.dataclass
class Point:
    x: int
    y: float


class Colour(enum.StrEnum):
    RED = "red"


class Markup(str):
    """Text of a class of its own, as many libraries have."""

    def __str__(self) -> str:
        return "another text"


class Count(int):
    pass


class Array:
    """As arrays and their scalars are."""

    def tolist(self) -> list[int]:
        return [1, 2]


class Page:
    """Knows what the model and people shall read."""

    def __init__(self, text: str) -> None:
        self.text = text

    def for_model(self) -> str:
        return self.text

    def for_human(self) -> str:
        return f"**{len(self.text)}** characters"


def returning(value: Any, traits: Traits | None = None) -> Stage:
    """A stage with one tool, `give`, that returns `value`."""

    async def give(context: ToolContext, arguments: Any) -> Any:
        return value

    return Stage(Tool(name="give", description="", body=SchemaBody(None, give), traits=traits or Traits()))


@pytest.mark.parametrize(
    ("value", "content"),
    [
        pytest.param("as it is", "as it is", marks=pytest.mark.requirement("C162")),
        (None, ""),
        ("", ""),
        (False, "false"),
        (0, "0"),
        ([1, 2, 3], "[1,2,3]"),
        ({"a": 1}, '{"a":1}'),
        ((1, "a"), '[1,"a"]'),
        ({1}, "[1]"),
        (frozenset({"a"}), '["a"]'),
        (float("nan"), "null"),
        (float("inf"), "null"),
        ({"x": float("nan")}, '{"x":null}'),
        (decimal.Decimal("1.10"), '"1.10"'),
        (datetime.date(2026, 1, 2), '"2026-01-02"'),
        (Colour.RED, "red"),
        ([Colour.RED], '["red"]'),
        (Point(1, 2.5), '{"x":1,"y":2.5}'),
        (City(name="Lisbon", founded=datetime.date(1, 1, 1)), '{"name":"Lisbon","founded":"0001-01-01"}'),
        ([City(name="Porto", founded=datetime.date(2, 2, 2))], '[{"name":"Porto","founded":"0002-02-02"}]'),
        (pathlib.PurePosixPath("/a/b"), '"/a/b"'),
        ({"p": pathlib.PurePosixPath("c")}, '{"p":"c"}'),
        (deque([1, 2]), "[1,2]"),
        (range(3), "[0,1,2]"),
        ({"a": 1}.keys(), '["a"]'),
        ({"a": 1}.values(), "[1]"),
        (b"plain text", "plain text"),
        ("Grüße".encode(), "Grüße"),
        (bytearray(b"ab"), "ab"),
        (b"\xff\x00", '"/wA="'),
        (Page("for the model"), "for the model"),
        (Markup("<b>"), "<b>"),
        (Page(Markup("<b>")), "<b>"),
        ({"a": Markup("<b>"), "n": Count(3)}, '{"a":"<b>","n":3}'),
        ([Array()], "[[1,2]]"),
    ],
)
async def test_what_a_tool_returns_reaches_the_model(value: Any, content: str) -> None:
    """Text as it is, nothing as empty, the rest as compact JSON."""
    result = await returning(value).result("give")
    assert (result.content, result.status, result.truncation) == (content, ResultStatus.OK, None)
    assert CODEC.decode(encode(result)) == result


@pytest.mark.requirement("B57")
@pytest.mark.parametrize(
    ("value", "content"),
    [
        ("x\ud800y", "x\ufffdy"),
        ("\udcb2", "\ufffd"),
        ({"a\ud800": ["\udcb2"]}, '{"a\ufffd":["\ufffd"]}'),
        (Point("\ud800", 1.0), '{"x":"\ufffd","y":1.0}'),  # type: ignore[arg-type]  # no checker sees what a tool makes
        ("\U0001f600", "\U0001f600"),
    ],
)
async def test_lone_surrogates_are_replaced_where_they_enter(value: Any, content: str) -> None:
    assert (await returning(value).result("give")).content == content


class Unknowable:
    pass


def _looped() -> list[Any]:
    looped: list[Any] = []
    looped.append(looped)
    return looped


class Broken:
    def for_model(self) -> str:
        raise ValueError("cannot tell")


class Wrong:
    def for_model(self) -> Any:
        return 7


async def _later() -> int:
    return 1


async def _many() -> AsyncIterator[int]:
    yield 1


@pytest.mark.requirement("C173")
@pytest.mark.parametrize(
    ("make", "named"),
    [
        (Unknowable, "Unknowable"),
        (lambda: {"a": [Unknowable()]}, "Unknowable"),
        (_looped, "recursion"),
        (lambda: {(1, 2): 3}, "keys that can be JSON, got tuple"),
        (lambda: {frozenset({1}): 3}, "keys that can be JSON, got frozenset"),
        (lambda: {Point: 3}, "type"),
        (lambda: 1j, "complex"),
        (lambda: (n for n in range(3)), "generator; return a list"),
        (lambda: iter([1]), "list_iterator; return a list"),
        (lambda: open, "builtin_function_or_method"),
        (lambda: ValueError("returned, not raised"), "ValueError"),
        (_many, "async_generator"),
        (_later, "coroutine; it has to be awaited in the tool"),
        (Broken, "cannot tell"),
        (Wrong, "int"),
    ],
)
async def test_a_value_that_is_no_json_is_an_error_that_names_it(make: Any, named: str) -> None:
    """And what can be closed is closed: warnings are errors here."""
    result = await returning(make()).result("give")
    assert (result.status, result.is_error) == (ResultStatus.ERROR, True)
    assert named in result.content


async def test_a_plain_function_may_return_what_has_to_be_awaited() -> None:
    async def later(name: str) -> str:
        return f"{name}!"

    async with asyncio.timeout(5):
        result = await Stage(tool(lambda name: later(name), name="later")).result("later", '{"name": "a"}')
    assert result.content == "a!"


@pytest.mark.requirement("C169", "B61")
async def test_a_giant_text_is_cut_at_its_head() -> None:
    """Valid text, with a line that says how much is missing; the value itself is whole."""
    text = "é" * 5_000_000
    stage = returning(text)
    result = await stage.result("give")

    cut = Truncation(
        shown_bytes=50_000,
        shown_lines=1,
        original_bytes=10_000_000,
        original_lines=1,
        style=TruncationStyle.TAIL,
    )
    assert result.truncation == cut
    assert result.content == "é" * 25_000 + ("\n\n[output cut: 1 of 1 lines, 50000 of 10000000 bytes shown, tail]")
    assert [entry.value for entry in stage.entries if isinstance(entry.artifact, ToolResult)] == [text]


@pytest.mark.requirement("C170")
async def test_a_value_with_its_own_text_for_the_model_is_never_cut() -> None:
    page = Page("x" * 10_000_000)
    result = await returning(page).result("give")
    assert (result.content, result.truncation) == (page.text, None)
    assert result.display == "**10000000** characters"


@pytest.mark.requirement("C159", "K22")
async def test_a_tool_says_how_much_of_its_output_stays_and_how_to_get_the_rest() -> None:
    cut = Cut(max_lines=2, style=TruncationStyle.HEAD, hint="go on at line {next_offset}")
    result = await returning("a\nb\nc\n", Traits(cut=cut)).result("give")
    assert result.content == ("a\nb\n\n\ngo on at line 3\n[output cut: 2 of 3 lines, 4 of 6 bytes shown, head]")
    assert result.truncation is not None
    assert result.truncation.recovery_hint == "go on at line 3"


async def test_the_python_value_rides_on_the_event_in_this_process_only() -> None:
    value = Point(1, 2.0)
    stage = returning(value)
    await stage.result("give")
    (entry,) = [entry for entry in stage.entries if isinstance(entry.artifact, ToolResult)]
    assert entry.value is value
    assert b'"value"' not in entry.json


async def test_a_mapping_of_any_class_is_an_object() -> None:
    assert (await returning(MappingProxyType({"a": 1})).result("give")).content == '{"a":1}'


@pytest.mark.parametrize(
    ("value", "content", "media"),
    [
        (Text(content="seen"), "seen", None),
        (IMAGE, "[chart] (image/png, 2 bytes)", (IMAGE,)),
        (
            [Text(content="before"), IMAGE, Text(content="after")],
            "before\n[chart] (image/png, 2 bytes)\nafter",
            (IMAGE,),
        ),
        ((IMAGE, SOUND), "[chart] (image/png, 2 bytes)\n[https://example.org/a.mp3]", (IMAGE, SOUND)),
    ],
)
async def test_what_a_tool_returns_beside_text_stands_in_its_result(value: Any, content: str, media: Any) -> None:
    """The text names it in its place."""
    result = await returning(value).result("give")
    assert (result.content, result.media, result.status) == (content, media, ResultStatus.OK)
    assert CODEC.decode(encode(result)) == result


@pytest.mark.requirement("B61")
async def test_a_long_text_is_cut_and_the_picture_beside_it_is_not() -> None:
    result = await returning((Text(content="é" * 2_500_000), IMAGE)).result("give")
    assert len(result.content.encode()) < 51_000
    assert result.truncation is not None
    assert result.truncation.original_bytes == 5_000_000 + len("\n[chart] (image/png, 2 bytes)")
    assert result.media == (IMAGE,)


async def test_a_call_that_fails_keeps_what_it_had_to_show() -> None:
    async def give(context: ToolContext, arguments: Any) -> Any:
        raise ToolError("out of paper", result=[Text(content="page 1"), IMAGE])

    result = await Stage(Tool(name="give", description="", body=SchemaBody(None, give))).result("give")
    assert result.content == "page 1\n[chart] (image/png, 2 bytes)\n\n**Error:** out of paper"
    assert (result.media, result.status) == ((IMAGE,), ResultStatus.ERROR)
