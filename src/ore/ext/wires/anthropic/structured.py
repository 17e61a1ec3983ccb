"""`decodable`: a schema as Claude can decode by it."""

from collections.abc import Mapping
from typing import Any, Final

from ore.tool import Schema, map_schemas
from ore.tool.json_schema import target

__all__ = ["decodable"]

_KEPT: Final = frozenset((
    *("$defs", "$ref", "additionalProperties", "allOf", "anyOf", "const", "default", "definitions", "description"),
    *("enum", "format", "items", "minItems", "properties", "required", "title", "type"),
))  # fmt: skip

_NEEDED: Final = frozenset((
    *("additionalItems", "contains", "dependencies", "dependentRequired", "dependentSchemas", "else", "if", "not"),
    *("patternProperties", "prefixItems", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"),
))  # fmt: skip
"""What says too much to be left out."""

_FORMATS: Final = frozenset((
    *("date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uri", "uuid"),
))  # fmt: skip

_SAID_OF_ANY: Final = frozenset(("default", "description", "title"))


def decodable(schema: Schema) -> dict[str, Any] | None:
    """The schema with what Claude cannot decode by left out, such as limits on numbers and lengths.

    Whoever reads the answer validates it by all of it anyway. By "Structured
    outputs", JSON Schema limitations, of the vendor's documentation (read
    2026-11): objects are closed, references are not recursive.

    Returns:
        `None` when it has no such form: it holds an object with free keys, a
        value of any kind, a tuple or a condition, or refers to itself.
    """
    try:
        _check_references(schema, schema, ())
        return _form(schema)
    except (ValueError, RecursionError):
        return None


def _form(node: Schema) -> dict[str, Any]:
    if _NEEDED & set(node) or {"anyOf", "oneOf"} <= set(node):
        raise ValueError("it says more than can be decoded by")
    kept = {("anyOf" if key == "oneOf" else key): value for key, value in node.items() if key in {*_KEPT, "oneOf"}}
    if not set(kept) - _SAID_OF_ANY:
        raise ValueError("any value will do")
    if kept.get("format") not in _FORMATS:
        kept.pop("format", None)
    if kept.get("minItems") not in (0, 1):
        kept.pop("minItems", None)
    kind = kept.get("type")
    if kind == "array" and "items" not in kept:
        raise ValueError("any item will do")
    if kind == "object" or "properties" in kept:
        if node.get("additionalProperties", "properties" not in node) is not False:
            raise ValueError("any key will do")
        kept["additionalProperties"] = False
    return map_schemas(kept, _form)


def _check_references(node: Any, root: Schema, inside: tuple[str, ...]) -> None:
    """Refuse references that lead back to where they stand, or out of the schema."""
    if isinstance(node, list):
        for item in node:
            _check_references(item, root, inside)
    if not isinstance(node, Mapping):
        return
    reference = node.get("$ref")
    if isinstance(reference, str):
        if reference in inside:
            raise ValueError("it refers to itself")
        _check_references(target(root, reference), root, (*inside, reference))
    for key, value in node.items():
        if key not in ("$defs", "definitions", "enum", "const", "default"):
            _check_references(value, root, inside)
