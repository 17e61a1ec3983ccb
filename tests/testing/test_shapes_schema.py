"""Schemas as the vendors take them: loose, and in their strict modes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.testing import check_anthropic, check_openai_chat
from ore.tool.strict import strict
from testing.shapes import CLOSED, OBJECT, Json, refused

USER = {"role": "user", "content": "x"}
DEEP: Json = {
    "type": "object",
    "properties": {"a": {"type": "array", "items": {"$ref": "#/$defs/a~1b"}}, "b": {"enum": ["x", 1, None]}},
    "$defs": {"a/b": {"anyOf": [{"type": "null"}, {"type": ["string", "integer"]}, True]}},
}


def openai(schema: Any, strict: bool | None = None) -> Json:
    function = {"name": "f", "parameters": schema, "strict": strict}
    return {"model": "m", "messages": [USER], "tools": [{"type": "function", "function": function}]}


def anthropic(schema: Any, strict: bool = False) -> Json:
    tool = {"name": "f", "input_schema": schema, "strict": strict}
    return {"model": "m", "max_tokens": 9, "messages": [USER], "tools": [tool]}


def within(schema: Any) -> Json:
    return {"type": "object", "properties": {"a": schema}, "required": ["a"], "additionalProperties": False}


LOOSELY = [
    ("no object", {"type": "array", "items": {}}, ".type"),
    ("no type", {}, ".type"),
    ("a list", [], ""),
    ("an unknown type", within({"type": "date"}), ".properties.a.type"),
    ("an array of nothing", within({"type": "array"}), ".properties.a.items"),
    ("an enum of nothing", within({"enum": []}), ".properties.a.enum"),
    ("a choice of nothing", within({"anyOf": []}), ".properties.a.anyOf"),
    ("a description that is no text", within({"description": 1}), ".properties.a.description"),
    ("a reference to nothing", within({"$ref": "#/$defs/none"}), ".properties.a.$ref"),
    ("a reference elsewhere", within({"$ref": "other.json"}), ".properties.a.$ref"),
    ("required that is no list", {"type": "object", "required": "a"}, ".required"),
    ("a property that is no schema", {"type": "object", "properties": {"a": "string"}}, ".properties.a"),
]


@pytest.mark.requirement("D-shapes")
@pytest.mark.parametrize("schema", [OBJECT, CLOSED, DEEP, {"type": "object"}])
def test_a_schema_is_taken_by_every_vendor(schema: Json) -> None:
    check_openai_chat(openai(schema))
    check_anthropic(anthropic(schema))


@pytest.mark.requirement("D-shapes")
@pytest.mark.parametrize(("schema", "path"), [pytest.param(schema, path, id=name) for name, schema, path in LOOSELY])
def test_what_is_no_schema_of_an_object_is_refused_by_every_vendor(schema: Any, path: str) -> None:
    assert refused(check_openai_chat, openai(schema)).path == f"tools[0].function.parameters{path}"
    assert refused(check_anthropic, anthropic(schema)).path == f"tools[0].input_schema{path}"


@pytest.mark.requirement("D-shapes")
@pytest.mark.parametrize(
    ("schema", "path"),
    [
        (OBJECT, ".additionalProperties"),
        ({**CLOSED, "required": []}, ".required"),
        ({**CLOSED, "required": ["city", "other"]}, ".required"),
        (within({"type": "string", "default": "x"}), ".properties.a.default"),
        (within({"oneOf": [{"type": "string"}]}), ".properties.a.oneOf"),
        (within({"allOf": [{"type": "string"}]}), ".properties.a.allOf"),
        (within(OBJECT), ".properties.a.additionalProperties"),
        ({**within({"$ref": "#/$defs/b", "description": "x"}), "$defs": {"b": CLOSED}}, ".properties.a"),
        ({**CLOSED, "anyOf": [CLOSED]}, ".anyOf"),
    ],
)
def test_what_openai_cannot_decode_by_is_refused_where_it_is_strict(schema: Json, path: str) -> None:
    assert refused(check_openai_chat, openai(schema, strict=True)).path == f"tools[0].function.parameters{path}"
    check_openai_chat(openai(schema))


@pytest.mark.requirement("D-shapes")
@pytest.mark.parametrize(
    ("schema", "path"),
    [
        (OBJECT, ".additionalProperties"),
        (within({"type": "integer", "minimum": 1}), ".properties.a.minimum"),
        (within({"type": "string", "maxLength": 9}), ".properties.a.maxLength"),
    ],
)
def test_what_anthropic_cannot_decode_by_is_refused_where_it_is_strict(schema: Json, path: str) -> None:
    assert refused(check_anthropic, anthropic(schema, strict=True)).path == f"tools[0].input_schema{path}"
    check_anthropic(anthropic(schema))


@pytest.mark.requirement("D-shapes")
@pytest.mark.parametrize("word", ["oneOf", "allOf", "anyOf"])
def test_anthropic_takes_no_choice_at_the_top_of_a_tool(word: str) -> None:
    schema = {**OBJECT, word: [OBJECT]}
    assert refused(check_anthropic, anthropic(schema)).path == f"tools[0].input_schema.{word}"


@pytest.mark.requirement("D-shapes")
def test_anthropic_takes_plain_keys_only() -> None:
    schema = {"type": "object", "properties": {"a b": {}}}
    assert refused(check_anthropic, anthropic(schema)).path == "tools[0].input_schema.properties, a key"


schemas = st.recursive(
    st.sampled_from(({"type": "string"}, {"type": ["integer", "null"]}, {"enum": ["a", "b"]}, {"$ref": "#/$defs/d"})),
    lambda inner: (
        inner.map(lambda item: {"type": "array", "items": item})
        | st.lists(inner, min_size=1, max_size=2).map(lambda items: {"anyOf": items})
        | st.dictionaries(st.sampled_from("abc"), inner).map(lambda named: {"type": "object", "properties": named})
        | st.tuples(inner, st.sampled_from(("default", "description", "title"))).map(
            lambda both: {**both[0], both[1]: "x"}
        )
    ),
    max_leaves=6,
)


@pytest.mark.requirement("D-shapes")
@given(st.dictionaries(st.sampled_from("abc"), schemas))
def test_the_strict_form_that_ore_makes_is_one_that_openai_takes(properties: dict[str, Any]) -> None:
    schema = {"type": "object", "properties": properties, "$defs": {"d": {"type": "boolean"}}}
    check_openai_chat(openai(strict(schema), strict=True))
