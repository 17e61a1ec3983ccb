"""Tools whose schema came from elsewhere."""

from collections.abc import Mapping
from typing import Any

import pytest

from ore.artifact import ToolCall
from ore.errors import ToolError
from ore.event import Emitter
from ore.tool import Denying, SchemaBody, ToolContext, check_schema


async def echo(context: ToolContext, arguments: Mapping[str, Any]) -> Any:
    return context.deps, arguments


SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": ["integer", "null"]},
        "unit": {"enum": ["C", "F"]},
        "deep": {"type": "object", "properties": {"a": {"type": "string"}}},
        "factor": {"type": "number"},
        "loud": {"type": "boolean"},
    },
    "required": ["city"],
    "additionalProperties": False,
}


async def test_the_function_gets_the_context_and_the_arguments(emitter: Emitter) -> None:
    context = ToolContext("t:0", ToolCall(id="c", name="n", arguments=""), emitter=emitter, asker=Denying(), deps=7)
    body = SchemaBody(SCHEMA, echo)
    arguments = body.parse('{"city": "Lisbon", "days": null, "unit": "C", "factor": 2, "deep": {"a": 1}}')
    assert await body.call(context, arguments) == (
        7,
        {"city": "Lisbon", "days": None, "unit": "C", "factor": 2, "deep": {"a": 1}},
    )
    assert body.schema is SCHEMA
    assert not body.blocking


def test_arguments_are_looked_at_as_far_as_each_ones_type() -> None:
    """Deeper is the business of whoever made the schema."""
    with pytest.raises(ToolError) as caught:
        SchemaBody(SCHEMA, echo).parse('{"days": 1.5, "unit": "K", "loud": 1, "factor": true, "town": 1}')
    assert str(caught.value) == (
        "arguments do not fit: city: missing, expected string; days: expected integer or null, got 1.5; "
        'unit: expected one of ["C", "F"], got "K"; loud: expected boolean, got 1; factor: expected number, got true; '
        "town: unknown, expected one of: city, days, unit, deep, factor, loud"
    )


def test_a_whole_number_is_an_integer_however_it_is_written() -> None:
    assert SchemaBody(SCHEMA, echo).parse('{"city": "", "days": 2.0}') == {"city": "", "days": 2.0}


@pytest.mark.requirement("B07", "B57")
def test_nothing_means_no_arguments_and_lone_surrogates_are_replaced() -> None:
    body = SchemaBody(None, echo)
    assert body.parse(" ") == {}
    assert body.parse('{"a\\ud800": ["x\\udc00", "\ud800"]}') == {"a\ufffd": ["x\ufffd", "\ufffd"]}


@pytest.mark.parametrize("arguments", ["[]", "1", "{", '"x"'])
def test_what_is_no_object_is_refused(arguments: str) -> None:
    with pytest.raises(ToolError):
        SchemaBody(None, echo).parse(arguments)


@pytest.mark.requirement("C153")
@pytest.mark.parametrize("schema", [None, {}])
def test_no_schema_means_that_anything_goes(schema: dict[str, Any] | None) -> None:
    body = SchemaBody(schema, echo)
    assert body.schema == {"type": "object", "properties": {}}
    assert body.parse('{"a": 1}') == {"a": 1}


DRAFT_7 = """$comment $id $ref $schema additionalItems additionalProperties allOf anyOf const contains contentEncoding
contentMediaType default definitions dependencies description else enum examples exclusiveMaximum exclusiveMinimum
format if items maxItems maxLength maxProperties maximum minItems minLength minProperties minimum multipleOf not oneOf
pattern patternProperties properties propertyNames readOnly required then title type uniqueItems writeOnly"""

DRAFT_2020_12 = """$anchor $defs $dynamicAnchor $dynamicRef $vocabulary contentSchema dependentRequired dependentSchemas
deprecated maxContains minContains prefixItems unevaluatedItems unevaluatedProperties"""


@pytest.mark.requirement("C153")
@pytest.mark.parametrize("keyword", [*DRAFT_7.split(), *DRAFT_2020_12.split(), "x-vendor"])
def test_every_keyword_of_the_drafts_is_known(keyword: str) -> None:
    check_schema({keyword: {}, "type": "object"})


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "string"}, "type 'object'"),
        ({"properties": {}}, "type 'object'"),
        ({"type": "object", "city": {"type": "string"}}, "misplaced parameter 'city'"),
        ({"type": "object", "default": object()}, "JSON"),
        ([("type", "object")], "JSON Schema object"),
    ],
)
def test_a_schema_that_describes_no_arguments_is_refused(schema: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        SchemaBody(schema, echo)


def test_a_function_that_is_none_is_refused() -> None:
    with pytest.raises(TypeError):
        SchemaBody({}, None)  # type: ignore[arg-type]  # the mistake
