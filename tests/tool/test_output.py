"""Typed answers, and the strict form of schemas."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest
from pydantic import BaseModel, Field

from ore.errors import ToolError
from ore.tool import Output, output_schema, strict


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    name: str = "d"


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    tail_cm: int | None = None


Pets = list[Annotated[Cat | Dog, Field(discriminator="kind")]]


class Tree(BaseModel):
    """A tree."""

    children: list["Tree"] = []
    first: Annotated["Tree | None", Field(description="the first")] = None


@dataclass
class Point:
    x: int
    y: int = 0


class Row(TypedDict):
    x: int
    y: NotRequired[int]


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Cat, '{"name": "Tom"}', Cat(name="Tom")),
        (Point, '{"x": 1}', Point(1)),
        (Row, '{"x": 1}', {"x": 1}),
        (dict[str, Point], '{"a": {"x": 1}}', {"a": Point(1)}),
        (int, '{"value": 42}', 42),
        (str, '{"value": "ok"}', "ok"),
        (bool | None, '{"value": null}', None),
        (list[Point], '{"value": [{"x": 1}, {"x": 2}]}', [Point(1), Point(2)]),
        (Literal["yes", "no"], '{"value": "no"}', "no"),
        (Cat | Dog, '{"value": {"kind": "dog"}}', Dog()),
        (Tree, '{"children": [{}]}', Tree(children=[Tree()])),
        (Cat, '```json\n{"name": "Tom"}\n```\n', Cat(name="Tom")),
        (int, ' ```\n{"value": 42}```', 42),
    ],
)
def test_an_answer_becomes_its_type(kind: Any, text: str, value: Any) -> None:
    output: Output[Any] = Output(kind)
    assert output.parse(text) == value
    assert output.schema["type"] == "object"


def test_a_type_that_is_no_object_is_wrapped() -> None:
    integer = {"type": "integer"}
    assert output_schema(int) == {
        "type": "object",
        "properties": {"value": integer},
        "required": ["value"],
        "additionalProperties": False,
    }
    assert output_schema(dict[str, int]) == {"type": "object", "additionalProperties": integer}


def test_an_output_has_a_legal_name() -> None:
    assert (Output(Cat).name, Output(list[Cat]).name, Output(int).name) == ("Cat", "output", "int")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"y": "a"}', "the fields of the answer do not fit: x: missing, expected integer; y: expected"),
        ("It is 3.", "the fields of the answer are not valid JSON: "),
        ("```json", "the fields of the answer are not valid JSON: "),
        ("[1]", "the fields of the answer do not fit: expected a JSON object, got array [1]"),
    ],
)
def test_an_answer_that_does_not_fit_is_an_error_for_the_model(text: str, said: str) -> None:
    with pytest.raises(ToolError) as caught:
        Output(Point).parse(text)
    assert str(caught.value).startswith(said)


def test_a_type_without_a_schema_is_refused() -> None:
    with pytest.raises(TypeError, match="output type"):
        _ = Output(object()).schema


PETS_STRICT = {
    "type": "object",
    "properties": {
        "value": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]}},
    },
    "required": ["value"],
    "additionalProperties": False,
    "$defs": {
        "Cat": {
            "type": "object",
            "properties": {
                "kind": {"type": "string", "const": "cat"},
                "name": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            },
            "required": ["kind", "name"],
            "additionalProperties": False,
        },
        "Dog": {
            "type": "object",
            "properties": {
                "kind": {"type": "string", "const": "dog"},
                "tail_cm": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            },
            "required": ["kind", "tail_cm"],
            "additionalProperties": False,
        },
    },
}


@pytest.mark.requirement("B68")
def test_the_strict_form_of_a_discriminated_union() -> None:
    """No default, anyOf, everything required, nothing further; the other form is unchanged."""
    output: Output[Any] = Output(Pets)
    before = repr(output.schema)
    assert strict(output.schema) == PETS_STRICT
    assert repr(output.schema) == before
    assert output.schema["properties"]["value"]["items"]["oneOf"]


@pytest.mark.requirement("B68")
def test_a_null_of_strict_mode_becomes_the_default() -> None:
    text = '{"value": [{"kind": "cat", "name": null}, {"kind": "dog", "tail_cm": null}]}'
    assert Output(Pets).parse(text) == [Cat(name="d"), Dog(tail_cm=None)]


class Deep(BaseModel):
    rows: dict[str, Point]
    pair: tuple[Point, Point]
    tree: list[Tree]


def test_a_null_becomes_the_default_however_deep() -> None:
    text = """{"rows": {"a": {"x": 1, "y": null}}, "pair": [{"x": 1, "y": null}, {"x": 2, "y": 3}],
        "tree": [{"children": [{"children": null, "first": null}], "first": null}]}"""
    assert Output(Deep).parse(text) == Deep(
        rows={"a": Point(1, 0)}, pair=(Point(1, 0), Point(2, 3)), tree=[Tree(children=[Tree()])]
    )


def schemas(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for item in schema.values():
            yield from schemas(item)
    elif isinstance(schema, list):
        for item in schema:
            yield from schemas(item)


def test_nothing_stands_beside_a_reference_in_the_strict_form_of_a_recursive_type() -> None:
    formed = strict(output_schema(Tree))
    assert formed["type"] == "object"
    assert formed["required"] == ["children", "first"]
    assert [found for found in schemas(formed) if "$ref" in found and len(found) > 1] == []


def test_a_description_survives_beside_what_it_describes() -> None:
    class Labelled(BaseModel):
        point: Annotated[Point, Field(description="where")]
        note: Annotated[str, Field(description="why")] = ""

    properties = strict(output_schema(Labelled))["properties"]
    assert properties["point"]["description"] == "where"
    assert properties["note"] == {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "why"}


@pytest.mark.parametrize(
    ("kind", "where"),
    [
        (dict[str, int], "#"),
        (list[Any], "#/value"),
        (tuple[int, str], "#/value"),
        (Annotated[Any, "x"], "#/value"),
    ],
)
def test_what_has_no_strict_form_is_refused_with_its_place(kind: Any, where: str) -> None:
    with pytest.raises(ValueError, match=f"no strict form: .*{where}"):
        strict(output_schema(kind))


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"allOf": [{"type": "string"}, {"minLength": 1}]}}},
        {"type": "object", "properties": {"a": {"oneOf": [{"type": "null"}], "anyOf": [{"type": "null"}]}}},
        {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": True},
        {"type": "object", "properties": {"a": {"type": "string"}}, "patternProperties": {}},
    ],
)
def test_rules_that_strict_modes_do_not_know_are_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no strict form"):
        strict(schema)


def test_a_single_part_of_an_all_of_is_merged() -> None:
    schema = {"type": "object", "properties": {"a": {"allOf": [{"type": "string"}], "description": "d"}}}
    assert strict(schema)["properties"] == {
        "a": {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "d"},
    }
