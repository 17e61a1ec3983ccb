"""Schemas without references."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from ore.tool import flatten, tool


@dataclass
class Inner:
    size: int


class Node(BaseModel):
    value: int
    children: list["Node"] = []


INNER = {
    "type": "object",
    "properties": {"size": {"type": "integer"}},
    "required": ["size"],
    "additionalProperties": False,
}


def references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from [schema["$ref"]] if isinstance(schema.get("$ref"), str) else []
        for item in schema.values():
            yield from references(item)
    elif isinstance(schema, list):
        for item in schema:
            yield from references(item)


@pytest.mark.requirement("B67")
def test_every_reference_is_written_out() -> None:
    """Under additionalProperties and prefixItems too, and what stood beside one stays."""

    def take(
        lookup: dict[str, Inner],
        pair: tuple[Inner, Inner],
        one: Annotated[Inner, Field(description="x")],
        many: list[Inner | None] = [],  # noqa: B006  # what is tested
    ) -> None: ...

    assert flatten(tool(take).schema) == {
        "type": "object",
        "properties": {
            "lookup": {"type": "object", "additionalProperties": INNER},
            "pair": {"type": "array", "prefixItems": [INNER, INNER], "minItems": 2, "maxItems": 2},
            "one": {**INNER, "description": "x"},
            "many": {"type": "array", "items": {"anyOf": [INNER, {"type": "null"}]}, "default": []},
        },
        "required": ["lookup", "pair", "one"],
        "additionalProperties": False,
    }


def test_the_schema_itself_stays_as_it_is() -> None:
    def take(inner: Inner) -> None: ...

    schema = tool(take).schema
    flatten(schema)
    assert schema["properties"] == {"inner": {"$ref": "#/$defs/Inner"}}


def test_a_definition_that_contains_itself_stays_by_name() -> None:
    def take(node: Node) -> None: ...

    flat = flatten(tool(take).schema)
    again = {"$ref": "#/$defs/Node"}
    node = {
        "type": "object",
        "properties": {
            "value": {"type": "integer"},
            "children": {"type": "array", "items": again, "default": []},
        },
        "required": ["value"],
    }
    assert flat["properties"] == {"node": node}
    assert flat["$defs"] == {"Node": node}


def test_a_circle_of_several_definitions_ends() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#/definitions/A"}, "all": {"$ref": "#"}},
        "definitions": {
            "A": {"type": "object", "properties": {"b": {"$ref": "#/definitions/B"}}},
            "B": {"type": "object", "properties": {"a": {"$ref": "#/definitions/A", "description": "back"}}},
        },
    }
    flat = flatten(schema)
    assert set(references(flat)) == {"#/$defs/A", "#/$defs/root"}
    assert set(flat["$defs"]) == {"A", "root"}
    assert flat["properties"]["a"]["properties"]["b"]["properties"]["a"] == {
        "$ref": "#/$defs/A",
        "description": "back",
    }


def test_data_and_names_are_not_taken_for_references() -> None:
    schema = {
        "type": "object",
        "properties": {"$ref": {"type": "string"}, "$defs": {"type": "integer"}},
        "default": {"$ref": "#/nowhere"},
    }
    assert flatten(schema) == schema


def test_a_rule_beside_a_reference_that_both_have_holds_as_well() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A", "minimum": 3}},
        "$defs": {"A": {"type": "integer", "minimum": 1}},
    }
    assert flatten(schema)["properties"] == {"a": {"allOf": [{"type": "integer", "minimum": 1}, {"minimum": 3}]}}


@pytest.mark.parametrize("reference", ["#/$defs/None", "https://example.com/schema", "#anchor", "#/type"])
def test_a_reference_that_leads_nowhere_is_refused(reference: str) -> None:
    with pytest.raises(ValueError, match=r"refer"):
        flatten({"type": "object", "properties": {"a": {"$ref": reference}}, "$defs": {}})


def test_a_schema_that_would_be_endless_is_refused() -> None:
    links = {
        f"L{n}": {"type": "object", "properties": {side: {"$ref": f"#/$defs/L{n + 1}"} for side in "ab"}}
        for n in range(30)
    }
    with pytest.raises(ValueError, match="more than"):
        flatten({"$ref": "#/$defs/L0", "$defs": {**links, "L30": {"type": "null"}}})
