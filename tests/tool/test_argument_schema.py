"""What a model is told of a function's arguments."""

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import pytest
from pydantic import BaseModel, Field

from ore.tool import tool


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Priority(IntEnum):
    LOW = 1
    HIGH = 2


@dataclass
class Inner:
    size: int
    title: str = "none"


class Place(BaseModel):
    """Somewhere."""

    city: str


class Row(TypedDict, total=False):
    cells: list[Inner]


class Pair(NamedTuple):
    left: int
    right: int


def everything(  # noqa: PLR0913  # the public report's own signature
    a: int,
    d: Color,
    e: Priority,
    f: int | str,
    b: str | None = None,
    c: Literal["x", "y"] = "x",
    g: Sequence[Inner] = (),
    *,
    h: Annotated[float, "how high"],
) -> str:
    """Do everything.

    Args:
        a: A number.
        c (str): One of
            two letters.
    """
    return ""


INNER = {
    "type": "object",
    "properties": {"size": {"type": "integer"}, "title": {"type": "string", "default": "none"}},
    "required": ["size"],
    "additionalProperties": False,
}


@pytest.mark.requirement("B65")
def test_every_kind_of_annotation_has_its_schema() -> None:
    """Optional, Literal, Enum, IntEnum, unions, dataclasses and descriptions."""
    assert tool(everything).schema == {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "description": "A number."},
            "d": {"$ref": "#/$defs/Color"},
            "e": {"$ref": "#/$defs/Priority"},
            "f": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            "b": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            "c": {"type": "string", "enum": ["x", "y"], "default": "x", "description": "One of two letters."},
            "g": {"type": "array", "items": {"$ref": "#/$defs/Inner"}, "default": []},
            "h": {"type": "number", "description": "how high"},
        },
        "required": ["a", "d", "e", "f", "h"],
        "additionalProperties": False,
        "$defs": {
            "Color": {"type": "string", "enum": ["red", "blue"]},
            "Priority": {"type": "integer", "enum": [1, 2]},
            "Inner": INNER,
        },
    }


def test_properties_come_in_the_order_of_the_parameters() -> None:
    assert list(tool(everything).schema["properties"]) == ["a", "d", "e", "f", "b", "c", "g", "h"]


def test_models_typed_dicts_tuples_and_nested_lists_have_schemas() -> None:
    def take(place: Place, row: Row, rows: list[list[Row]], pair: Pair, anything: Any, bare) -> None:  # type: ignore[no-untyped-def]
        """Take."""

    schema = tool(take).schema
    assert schema["properties"] == {
        "place": {"$ref": "#/$defs/Place"},
        "row": {"$ref": "#/$defs/Row"},
        "rows": {"type": "array", "items": {"type": "array", "items": {"$ref": "#/$defs/Row"}}},
        "pair": {"$ref": "#/$defs/Pair"},
        "anything": {},
        "bare": {},
    }
    integer = {"type": "integer"}
    assert schema["$defs"] == {
        "Inner": INNER,
        "Pair": {"type": "array", "prefixItems": [integer, integer], "minItems": 2, "maxItems": 2},
        "Place": {
            "type": "object",
            "description": "Somewhere.",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
        "Row": {
            "type": "object",
            "properties": {"cells": {"type": "array", "items": {"$ref": "#/$defs/Inner"}}},
            "additionalProperties": False,
        },
    }


def test_a_function_without_parameters_takes_an_empty_object() -> None:
    def ping() -> str:
        return "pong"

    assert tool(ping).schema == {"type": "object", "properties": {}, "additionalProperties": False}


def test_a_field_may_carry_limits_a_default_a_description_and_another_name() -> None:
    def take(
        count: Annotated[int, Field(ge=1, description="own words")] = 3,
        tags: list[str] = Field(default_factory=list, description="tags"),  # noqa: B008  # how pydantic's users write it
        source: Annotated[str, Field(alias="from")] = "here",
    ) -> None:
        """Take.

        Args:
            count: The docstring's words.
        """

    taker = tool(take)
    assert taker.schema["properties"] == {
        "count": {"type": "integer", "minimum": 1, "default": 3, "description": "own words"},
        "tags": {"type": "array", "items": {"type": "string"}, "description": "tags"},
        "from": {"type": "string", "default": "here"},
    }
    assert taker.body.parse('{"from": "there"}') == {"count": 3, "tags": [], "source": "there"}


def test_properties_that_are_called_like_keywords_stay() -> None:
    def take(title: str, schema: int, copy: bool, model_config: str, _hidden: int = 0) -> None: ...

    assert tool(take).schema["properties"] == {
        "title": {"type": "string"},
        "schema": {"type": "integer"},
        "copy": {"type": "boolean"},
        "model_config": {"type": "string"},
        "_hidden": {"type": "integer", "default": 0},
    }


def test_a_default_that_is_no_json_is_left_out_of_the_schema_and_arrives_as_it_is() -> None:
    nothing: Any = object()

    def take(value: str = nothing, factor: float = math.nan) -> None: ...

    taker = tool(take)
    assert taker.schema["properties"] == {"value": {"type": "string"}, "factor": {"type": "number"}}
    assert taker.body.parse("{}")["value"] is nothing


def test_the_schema_is_made_once() -> None:
    taker = tool(everything)
    assert taker.schema is taker.schema


@pytest.mark.parametrize("kind", [object(), Callable[[int], int], "Nowhere"])
def test_a_type_without_a_schema_is_refused_with_the_names_of_tool_and_parameter(kind: Any) -> None:
    def take(fine: int, odd: Any) -> None: ...

    take.__annotations__["odd"] = kind
    with pytest.raises(TypeError, match=r"parameter 'odd' of tool 'take'") as caught:
        _ = tool(take).schema
    assert "http" not in str(caught.value)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="pydantic reads it there")
def test_a_typed_dict_that_contains_itself_is_refused_with_the_way_out() -> None:
    def take(tree: Tree) -> None: ...

    with pytest.raises(TypeError, match=r"typing_extensions\.TypedDict"):
        _ = tool(take).schema


class Tree(TypedDict):
    children: "list[Tree]"


SEEDED = """
import json
from ore.tool import tool

def take(tags: frozenset[str] = frozenset("qwertzuiop"), kinds: set[int] = {3, 1, 2}) -> None: ...

print(json.dumps(tool(take).schema))
"""


@pytest.mark.requirement("B69")
def test_the_bytes_of_a_schema_are_the_same_in_every_process() -> None:
    """Also those of a default that has no order."""
    outputs = {
        subprocess.run(
            [sys.executable, "-c", SEEDED],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1
    assert json.loads(outputs.pop())["properties"]["tags"]["default"] == sorted("qwertzuiop")


LAZY = """
import sys
from ore.tool import Registry, StaticTools, tool

@tool(approve=True)
def take(a: int) -> None:
    "Take."

StaticTools(take)
assert (take.name, take.description) == ("take", "Take.")
print("pydantic" in sys.modules)
take.schema
print("pydantic" in sys.modules)
"""


@pytest.mark.requirement("D-tool-lazy")
def test_pydantic_is_imported_when_a_schema_is_first_asked_for() -> None:
    run = subprocess.run([sys.executable, "-c", LAZY], check=True, capture_output=True, text=True)
    assert run.stdout.split() == ["False", "True"]
