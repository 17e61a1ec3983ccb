"""`strict`: the form of a schema that vendors can decode by, and reading what comes of it."""

from collections.abc import Mapping
from typing import Any, Final

from ore.tool.json_schema import Schema, followed, is_open, map_schemas, takes_null, target

__all__ = ["strict", "without_nulls"]

_DROPPED: Final = frozenset(("default", "discriminator", "example", "examples"))
_REFUSED: Final = frozenset((
    *("additionalItems", "allOf", "contains", "dependencies", "dependentRequired", "dependentSchemas", "else", "if"),
    *("not", "patternProperties", "prefixItems", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"),
))  # fmt: skip


def strict(schema: Schema) -> dict[str, Any]:
    """`schema` as strict modes want it; the schema itself stays as it is.

    No `default`, `anyOf` for `oneOf`, every property required, no further ones,
    and nothing beside a `$ref`. A property that was optional takes null
    instead, unless it has just one value: a discriminator must be there. A
    reader treats such a null as absent (`without_nulls`), so Python's default
    holds.

    Raises:
        ValueError: It has no strict form, since it holds an object with free
            keys, a value of any kind, a tuple or a condition; the message says
            where. Such a schema is sent as it is, without strictness.
    """
    return _Strict(schema).form(schema, (), "#")


class _Strict:
    """One schema on its way."""

    def __init__(self, root: Schema) -> None:
        self._root = root

    def form(self, node: Schema, inside: tuple[str, ...], path: str) -> dict[str, Any]:
        if isinstance(node.get("$ref"), str):
            return self._reference(node, inside, path)
        if len(node.get("allOf", ())) == 1:
            return self.form(self._merged(node), inside, path)
        _refuse(node, path)
        kept = {("anyOf" if key == "oneOf" else key): value for key, value in node.items() if key not in _DROPPED}
        if "properties" in kept or kept.get("type") == "object":
            return self._object(kept, inside, path)
        return map_schemas(kept, lambda child: self.form(child, inside, path))

    def _reference(self, node: Schema, inside: tuple[str, ...], path: str) -> dict[str, Any]:
        reference = node["$ref"]
        beside = {key: value for key, value in node.items() if key != "$ref" and key not in _DROPPED}
        if reference in inside or not beside:
            return {"$ref": reference}
        if set(beside) <= {"$defs", "definitions"}:
            return map_schemas({"$ref": reference, **beside}, lambda child: self.form(child, inside, path))
        return self.form({**target(self._root, reference), **beside}, (*inside, reference), path)

    def _merged(self, node: Schema) -> Schema:
        own = {key: value for key, value in node.items() if key != "allOf"}
        return {**followed(node["allOf"][0], self._root), **own}

    def _object(self, node: dict[str, Any], inside: tuple[str, ...], path: str) -> dict[str, Any]:
        properties: Mapping[str, Schema] = node.get("properties", {})
        if node.get("additionalProperties", "properties" not in node) is not False:
            raise ValueError(f"no strict form: {path} is an object with free keys")
        required = node.get("required", ())
        whole = map_schemas(
            {key: value for key, value in node.items() if key != "properties"},
            lambda child: self.form(child, inside, path),
        )
        whole["properties"] = {
            name: self._property(item, name in required, inside, f"{path}/{name}") for name, item in properties.items()
        }
        whole["required"] = list(properties)
        whole["additionalProperties"] = False
        return whole

    def _property(self, item: Schema, required: bool, inside: tuple[str, ...], path: str) -> dict[str, Any]:
        formed = self.form(item, inside, path)
        if required or "const" in followed(item, self._root) or takes_null(item, self._root):
            return formed
        return _nullable(formed)


def _refuse(node: Schema, path: str) -> None:
    refused = [key for key in node if key in _REFUSED]
    if refused:
        raise ValueError(f"no strict form: {path} has {refused[0]!r}")
    if "oneOf" in node and "anyOf" in node:
        raise ValueError(f"no strict form: {path} has both 'oneOf' and 'anyOf'")
    if is_open(node) or (node.get("type") == "array" and "items" not in node):
        raise ValueError(f"no strict form: {path} takes values of any kind")


def _nullable(formed: dict[str, Any]) -> dict[str, Any]:
    null = {"type": "null"}
    if "anyOf" in formed:
        return {**formed, "anyOf": [*formed["anyOf"], null]}
    about = {"description": formed.pop("description")} if "description" in formed else {}
    return {"anyOf": [formed, null], **about}


def without_nulls(value: Any, schema: Schema, root: Schema | None = None) -> Any:
    """`value` without the nulls that stand for an absent property of `schema`.

    A null goes where the property is optional and takes none itself. Of
    several alternatives the first counts that a value has the keys and the
    constants of.
    """
    root = schema if root is None else root
    if not isinstance(value, dict | list):
        return value
    schema = _alternative(value, followed(schema, root), root)
    if isinstance(value, list):
        return _items_without_nulls(value, schema, root)
    properties: Mapping[str, Schema] = schema.get("properties", {})
    rest = schema.get("additionalProperties")
    kinds = {name: properties.get(name, rest if isinstance(rest, Mapping) else {}) for name in value}
    return {
        name: without_nulls(item, kinds[name], root)
        for name, item in value.items()
        if item is not None or name in schema.get("required", ()) or takes_null(kinds[name], root)
    }


def _items_without_nulls(value: list[Any], schema: Schema, root: Schema) -> list[Any]:
    first = schema.get("prefixItems", [])
    rest = schema.get("items")
    kinds = [*first, *[rest] * (len(value) - len(first))]
    return [
        without_nulls(item, kind, root) if isinstance(kind, Mapping) else item
        for item, kind in zip(value, kinds, strict=False)
    ]


def _alternative(value: dict[str, Any] | list[Any], schema: Schema, root: Schema) -> Schema:
    options = schema.get("anyOf") or schema.get("oneOf")
    if not options:
        return schema
    candidates = [_alternative(value, followed(option, root), root) for option in options]
    return next((candidate for candidate in candidates if _fits(value, candidate, root)), schema)


def _fits(value: dict[str, Any] | list[Any], schema: Schema, root: Schema) -> bool:
    if isinstance(value, list):
        return schema.get("type") == "array"
    properties: Mapping[str, Schema] = schema.get("properties", {})
    if schema.get("type") != "object" or (properties and not set(value) <= set(properties)):
        return False
    kinds = {name: followed(properties[name], root) for name in value if name in properties}
    return all(kind["const"] == value[name] for name, kind in kinds.items() if "const" in kind)
