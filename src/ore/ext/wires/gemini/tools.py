"""The tools of a request, and the names that calls have there."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ore.artifact import to_json
from ore.ext.wires.answer_tool import AnswerTool
from ore.tool import Tool, wire_name

__all__ = ["declarations", "function_name", "own_names"]

_CHARACTERS: Final = 64
"""64 characters: "FunctionDeclaration" of the Gemini API reference (read 2026-11)."""


def declarations(tools: Sequence[Tool], answer: AnswerTool | None) -> bytes:
    """The `tools` of a request.

    Schemas go as JSON Schema, of which the vendor passes over what it does not
    know; a function without parameters has none, since an object without
    properties is refused.
    """
    functions = [_declaration(function_name(tool.name), tool.description, tool.schema) for tool in tools]
    if answer is not None:
        functions.append(_declaration(function_name(answer.name), answer.description, answer.schema))
    return to_json([{"functionDeclarations": functions}])


def function_name(name: str) -> str:
    """A name as the vendor takes it: it begins with a letter or an underscore."""
    legal = wire_name(name or "unknown")
    return legal if legal[0].isalpha() or legal[0] == "_" else f"_{legal}"[:_CHARACTERS]


def own_names(tools: Sequence[Tool]) -> Mapping[str, str]:
    """The names of tools by the names that the vendor was given, where those differ."""
    names = ((function_name(tool.name), tool.name) for tool in tools)
    return {given: name for given, name in names if given != name}


def _declaration(name: str, description: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    declared: dict[str, Any] = {"name": name, "description": description}
    if schema.get("properties") or "$ref" in schema or "anyOf" in schema:
        declared["parametersJsonSchema"] = schema
    return declared
