"""Schemas of tools and of answers, as the vendors take them."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ore.testing.shapes.at import At

__all__ = ["ANTHROPIC_STRICT", "LOOSE", "OPENAI_STRICT", "Dialect", "check_schema"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What a vendor wants of a schema beyond JSON Schema itself.

    Attributes:
        closed: Every object says `"additionalProperties": false`.
        all_required: Every property is required; whoever leaves one out sends null.
        bare_reference: Nothing stands beside a `$ref`.
        refused: Keywords that the vendor cannot decode by.
    """

    closed: bool = False
    all_required: bool = False
    bare_reference: bool = False
    refused: Collection[str] = ()


LOOSE: Final = Dialect()
"""A schema that a model only reads."""

OPENAI_STRICT: Final = Dialect(
    closed=True,
    all_required=True,
    bare_reference=True,
    refused=frozenset((
        *("allOf", "default", "dependentRequired", "dependentSchemas", "else", "if", "not", "oneOf"),
        *("patternProperties", "prefixItems", "propertyNames", "then", "unevaluatedProperties"),
    )),
)  # fmt: skip
"""OpenAI, "Structured model outputs", supported schemas (read 2026-11)."""

ANTHROPIC_STRICT: Final = Dialect(
    closed=True,
    refused=frozenset((
        *("else", "exclusiveMaximum", "exclusiveMinimum", "if", "maxItems", "maxLength", "maximum", "minLength"),
        *("minimum", "multipleOf", "not", "patternProperties", "prefixItems", "then"),
    )),
)  # fmt: skip
"""Anthropic, "Structured outputs", JSON Schema limitations (read 2026-11)."""

_TYPES: Final = ("array", "boolean", "integer", "null", "number", "object", "string")
_ONE: Final = ("additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then")
_MANY: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED: Final = ("$defs", "definitions", "dependentSchemas", "patternProperties", "properties")
_REFERENCE: Final = re.compile(r"#(/.*)?")


def check_schema(at: At, dialect: Dialect = LOOSE) -> None:
    """Check the schema of a tool's arguments or of an answer: an object, and all inside it.

    Raises:
        ShapeError: The vendor would refuse it.
    """
    at.object()
    at.key("type").one_of("object")
    if dialect.all_required and "anyOf" in at.object():
        at.key("anyOf").refuse("no choice at the top")
    _check(at, at.object(), dialect)


def _check(at: At, whole: Mapping[str, Any], dialect: Dialect) -> None:
    if isinstance(at.value, bool):
        return
    schema = at.object()
    for word in schema:
        if word in dialect.refused:
            at.key(word).refuse("no such keyword in a strict schema")
    if "$ref" in schema:
        _reference(at, whole, dialect)
    _types(at)
    _object(at, dialect)
    _array(at)
    for child in _children(at):
        _check(child, whole, dialect)


def _types(at: At) -> None:
    kind = at.key("type")
    if isinstance(kind.value, list):
        for item in kind.items(least=1):
            item.one_of(*_TYPES)
    elif "type" in at.object():
        kind.one_of(*_TYPES)
    if "enum" in at.object():
        at.key("enum").items(least=1)
    if "description" in at.object():
        at.key("description").text()


def _object(at: At, dialect: Dialect) -> None:
    properties = at.key("properties").object() if "properties" in at.object() else {}
    required = [item.text() for item in at.key("required").items()] if "required" in at.object() else []
    if not _may_be(at, "object") and not properties:
        return
    if dialect.closed and at.key("additionalProperties").value is not False:
        at.key("additionalProperties").refuse("false, as strict schemas say of every object")
    missing = [name for name in properties if name not in required]
    if dialect.all_required and missing:
        at.key("required").refuse("every property, as strict schemas have it", f"none for {missing[0]!r}")
    unknown = [name for name in required if name not in properties]
    if dialect.closed and unknown:
        at.key("required").refuse("names of properties", repr(unknown[0]))


def _array(at: At) -> None:
    if _may_be(at, "array") and not {"items", "prefixItems"} & set(at.object()):
        at.key("items").refuse("the schema of the items", "nothing")


def _may_be(at: At, kind: str) -> bool:
    value = at.key("type").value
    return value == kind or (isinstance(value, list) and kind in value)


def _reference(at: At, whole: Mapping[str, Any], dialect: Dialect) -> None:
    schema, reference = at.object(), at.key("$ref")
    if dialect.bare_reference and set(schema) - {"$ref", "$defs", "definitions"}:
        at.refuse("nothing beside a $ref", ", ".join(sorted(map(str, schema))))
    reference.name(_REFERENCE)
    found: Any = whole
    for step in reference.text().split("/")[1:]:
        found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
    if not isinstance(found, Mapping | bool):
        reference.refuse("a definition of this schema", repr(reference.value))


def _children(at: At) -> list[At]:
    schema = at.object()
    children = [at.key(word) for word in _ONE if word in schema]
    for word in _MANY:
        if word in schema:
            children += at.key(word).items(least=1)
    for word in _NAMED:
        if word in schema:
            named = at.key(word)
            children += [named.key(name) for name in named.object()]
    return children
