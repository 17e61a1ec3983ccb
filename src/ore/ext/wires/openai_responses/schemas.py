"""`strict_form`, `written_tools`, `output_format`: schemas as Responses decodes by them."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from ore.artifact import to_json
from ore.provider import OutputOption
from ore.tool import FunctionBody, Schema, Tool, map_schemas, wire_name
from ore.tool.json_schema import DEFINITIONS, followed
from ore.tool.strict import strict

__all__ = ["output_format", "strict_form", "written_tools"]

_KEPT: Final = frozenset((
    *("$defs", "$ref", "additionalProperties", "anyOf", "const", "definitions", "description", "enum"),
    *("exclusiveMaximum", "exclusiveMinimum", "format", "items", "maxItems", "maximum", "minItems", "minimum"),
    *("multipleOf", "pattern", "properties", "required", "title", "type"),
))  # fmt: skip
_FORMATS: Final = frozenset(("date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uuid"))
_LOOKS_AROUND: Final = re.compile(r"\(\?")


def strict_form(schema: Schema) -> dict[str, Any] | None:
    """The schema as the vendor can decode by it, with what it cannot decode by left out, such as lengths of texts.

    Whoever reads what comes of it validates it by all of the schema anyway. By
    "Structured model outputs", supported schemas, of the vendor's
    documentation (read 2026-11).

    Returns:
        `None` when there is no such form.
    """
    try:
        found = _decodable(strict(_rooted(schema)))
    except (ValueError, RecursionError):
        return None
    return found if found.get("type") == "object" and "anyOf" not in found else None


def written_tools(tools: Sequence[Tool], *, may_be_strict: bool) -> list[dict[str, Any]]:
    """The tools in their order; strict where that loses nothing.

    A strict schema has the model send null for what it leaves out. Functions
    of ours read that; a tool with a schema from elsewhere is strict only where
    nothing may be left out.

    Args:
        tools: Those of the inference.
        may_be_strict: Whether the model can be held to a schema.
    """
    return [_written(tool, may_be_strict=may_be_strict) for tool in tools]


def output_format(output: OutputOption) -> dict[str, Any]:
    """The answer's form; strict where the schema has such a form."""
    form = strict_form(output.schema)
    schema = _rooted(output.schema) if form is None else form
    name = wire_name(output.name or "answer")
    return {"type": "json_schema", "name": name, "schema": schema, "strict": form is not None}


def _written(tool: Tool, *, may_be_strict: bool) -> dict[str, Any]:
    reads_null = isinstance(tool.body, FunctionBody) or _needs_all(tool.schema)
    form = strict_form(tool.schema) if may_be_strict and reads_null else None
    described = _described(tool)
    return {
        "type": "function",
        "name": tool.name,
        **({"description": described} if described else {}),
        "parameters": form if form is not None else _rooted(tool.schema),
        "strict": form is not None,
    }


def _described(tool: Tool) -> str:
    """The description with the examples behind it: the protocol has no place for them."""
    lines = [tool.description] if tool.description else []
    for example in tool.traits.examples:
        gives = f" gives {example.output}" if example.output else ""
        why = f" ({example.explanation})" if example.explanation else ""
        lines.append(f"Example: {to_json(example.input).decode()}{gives}{why}")
    return "\n".join(lines)


def _rooted(schema: Schema) -> Schema:
    """The schema with its type at the top, where the vendor wants it, and not behind a reference."""
    if isinstance(schema.get("$ref"), str):
        definitions = {name: schema[name] for name in DEFINITIONS if name in schema}
        with suppress(ValueError):  # the vendor says what is wrong with one that leads nowhere
            schema = {**followed(schema, schema), **definitions}
    return schema if "type" in schema else {"type": "object", **schema}


def _decodable(node: Schema) -> dict[str, Any]:
    kept = {name: value for name, value in node.items() if name in _KEPT}
    if kept.get("format") not in _FORMATS:
        kept.pop("format", None)
    if _LOOKS_AROUND.search(str(kept.get("pattern", ""))):
        del kept["pattern"]
    return map_schemas(kept, _decodable)


def _needs_all(schema: Schema) -> bool:
    """Whether no property anywhere may be left out."""
    found = [set(schema.get("properties", ())) <= set(schema.get("required", ()))]

    def look(inner: Schema) -> Mapping[str, Any]:
        found.append(_needs_all(inner))
        return inner

    map_schemas(schema, look)
    return all(found)
