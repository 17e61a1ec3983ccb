"""Tools and schemas of answers, as a request has them."""

from collections.abc import Mapping, Sequence
from typing import Any

from ore.artifact import to_json
from ore.ext.wires.answer_tool import AnswerTool
from ore.provider import OutputOption
from ore.tool import Tool
from ore.tool.names import wire_name
from ore.tool.strict import strict

__all__ = ["choice_of", "response_format", "written_tools"]


def written_tools(tools: Sequence[Tool], answer: AnswerTool | None, *, mark: bool) -> list[dict[str, Any]]:
    """The tools in their order, the one for the answer last.

    Args:
        tools: Those of the inference.
        answer: The tool that is called to answer.
        mark: Mark the last one, for prompt caches, beside its function as
            OpenRouter has it ("ChatFunctionTool", read 2026-11).
    """
    found = [_function(tool.name, _described(tool), tool.schema) for tool in tools]
    if answer is not None:
        found.append(_function(answer.name, answer.description, answer.schema))
    if mark and found:
        found[-1]["cache_control"] = {"type": "ephemeral"}
    return found


def choice_of(tools: Sequence[Tool], answer: AnswerTool) -> Any:
    """Has a tool called: the one for the answer where there is no other."""
    return "required" if tools else {"type": "function", "function": {"name": answer.name}}


def response_format(output: OutputOption) -> dict[str, Any]:
    """An answer of a schema; strict where the schema has such a form."""
    try:
        schema, is_strict = strict(output.schema), True
    except ValueError:
        schema, is_strict = dict(output.schema), False
    inner = {"name": wire_name(output.name), "schema": schema, "strict": is_strict}
    return {"type": "json_schema", "json_schema": inner}


def _function(name: str, description: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    about = {"description": description} if description else {}
    return {"type": "function", "function": {"name": name, **about, "parameters": schema}}


def _described(tool: Tool) -> str:
    """The description with the examples behind it: the protocol has no place for them."""
    lines = [tool.description] if tool.description else []
    for example in tool.traits.examples:
        gives = f" gives {example.output}" if example.output else ""
        why = f" ({example.explanation})" if example.explanation else ""
        lines.append(f"Example: {to_json(example.input).decode()}{gives}{why}")
    return "\n".join(lines)
