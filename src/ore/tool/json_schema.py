"""JSON Schema as plain mappings: its vocabulary, and walking it without mistaking data for schema."""

from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import unquote

import msgspec

__all__ = ["DEFINITIONS", "KEYWORDS", "Schema", "check_schema", "is_open", "map_schemas", "takes_null", "target"]

Schema = Mapping[str, Any]
"""One JSON Schema object, draft 7 or 2020-12."""

DEFINITIONS: Final = ("$defs", "definitions")
"""Where the two drafts keep what is referred to."""

_ONE: Final = (
    *("additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not"),
    *("propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"),
)
_LIST: Final = ("allOf", "anyOf", "items", "oneOf", "prefixItems")
_MAP: Final = (*DEFINITIONS, "dependencies", "dependentSchemas", "patternProperties", "properties")

KEYWORDS: Final = frozenset((
    *_ONE, *_LIST, *_MAP,
    *("$anchor", "$comment", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveAnchor", "$recursiveRef", "$ref"),
    *("$schema", "$vocabulary", "const", "contentEncoding", "contentMediaType", "default", "dependentRequired"),
    *("deprecated", "description", "discriminator", "enum", "example", "examples", "exclusiveMaximum"),
    *("exclusiveMinimum", "format", "id", "maxContains", "maxItems", "maxLength", "maxProperties", "maximum"),
    *("minContains", "minItems", "minLength", "minProperties", "minimum", "multipleOf", "nullable", "pattern"),
    *("readOnly", "required", "title", "type", "uniqueItems", "writeOnly"),
))  # fmt: skip
"""Keywords of draft 7 and 2020-12, and the three of OpenAPI that generators emit."""

_ANNOTATIONS: Final = frozenset(
    ("$comment", "default", "deprecated", "description", "example", "examples", "readOnly", "title", "writeOnly")
)


def check_schema(schema: Schema | None) -> None:
    """Refuse what cannot describe a tool's arguments; none and an empty one are fine.

    Raises:
        ValueError: It is not JSON, its type is not `object`, or a key stands at
            the top that is no keyword: most likely a parameter outside `properties`.
    """
    if not schema:
        return
    if not isinstance(schema, Mapping):
        raise ValueError(f"expected a JSON Schema object, got {type(schema).__name__}")
    try:
        msgspec.json.encode(schema)
    except (TypeError, ValueError) as exc:
        raise ValueError(f"expected a schema that is JSON: {exc}") from None
    if schema.get("type") != "object":
        raise ValueError(f"expected a schema of type 'object', got {schema.get('type')!r}")
    misplaced = [key for key in schema if key not in KEYWORDS and not key.startswith("x-")]
    if misplaced:
        raise ValueError(f"misplaced parameter {misplaced[0]!r}: it is no JSON Schema keyword, put it in 'properties'")


def map_schemas(schema: Schema, change: Callable[[Schema], Any]) -> dict[str, Any]:
    """`schema` with `change` applied to each schema directly inside it.

    What is data stays as it is: defaults, constants, and properties that are
    called like keywords.
    """
    return {key: _inside(key, value, change) for key, value in schema.items()}


def _inside(key: str, value: Any, change: Callable[[Schema], Any]) -> Any:
    if isinstance(value, Mapping):
        if key in _MAP:
            return {name: change(item) if isinstance(item, Mapping) else item for name, item in value.items()}
        return change(value) if key in _ONE else value
    if isinstance(value, list) and key in _LIST:
        return [change(item) if isinstance(item, Mapping) else item for item in value]
    return value


def target(root: Schema, reference: str) -> Schema:
    """What a `$ref` inside `root` refers to.

    Raises:
        ValueError: It leads out of the schema, or nowhere.
    """
    found: Any = root
    if not reference.startswith("#"):
        raise ValueError(f"expected a reference inside the schema, got {reference!r}")
    for part in reference[1:].split("/")[1:]:
        name = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(found, Mapping):
            found = found.get(name)
        elif isinstance(found, list) and name.isdecimal() and int(name) < len(found):
            found = found[int(name)]
        else:
            found = None
    if not isinstance(found, Mapping) or not (reference == "#" or reference.startswith("#/")):
        raise ValueError(f"the reference {reference!r} leads nowhere")
    return found


def followed(schema: Schema, root: Schema) -> Schema:
    """`schema` itself, or what its reference leads to in the end.

    Raises:
        ValueError: It leads nowhere, or round in a circle.
    """
    seen: set[str] = set()
    while isinstance(reference := schema.get("$ref"), str):
        if reference in seen:
            raise ValueError(f"the reference {reference!r} leads to itself")
        seen.add(reference)
        schema = target(root, reference)
    return schema


def is_open(schema: Schema) -> bool:
    """Whether it says nothing about a value, so that any will do."""
    return all(key in _ANNOTATIONS for key in schema)


def takes_null(schema: Schema, root: Schema) -> bool:
    """Whether null is a value of it."""
    schema = followed(schema, root)
    if "const" in schema:
        return schema["const"] is None
    if "enum" in schema:
        return None in schema["enum"]
    if "type" in schema:
        return schema["type"] == "null" or (isinstance(schema["type"], list) and "null" in schema["type"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return any(takes_null(item, root) for item in schema[key])
    return is_open(schema)
