"""Tools of a request, and the one that stands for a structured answer."""

from collections.abc import Mapping, Sequence
from typing import Any

from ore.artifact import to_json
from ore.ext.wires.answer_tool import AnswerTool
from ore.ext.wires.anthropic.claude import Claude
from ore.ext.wires.anthropic.conversation import MARK
from ore.ext.wires.anthropic.structured import decodable
from ore.provider import OutputOption
from ore.tool import Tool

__all__ = ["answer_schema", "answer_tool", "tools_json"]


def answer_schema(output: OutputOption | None, model: Claude) -> Mapping[str, Any] | None:
    """The schema by which the model decodes its answer; `None` when it does not, or cannot by this one."""
    return decodable(output.schema) if output is not None and model.structured else None


def answer_tool(output: OutputOption | None, tools: Sequence[Tool], model: Claude) -> AnswerTool | None:
    """The tool whose call is the answer; `None` when the model decodes by a schema, or answers freely."""
    return None if output is None or answer_schema(output, model) is not None else AnswerTool.of(output, tools)


def tools_json(tools: Sequence[Tool], answer: AnswerTool | None, *, marked: bool) -> bytes:
    """The tools of a request, in their order, as JSON; empty without any.

    Args:
        answer: The tool that stands for the answer; it comes last.
        marked: Whether the last one is marked for the prompt cache.
    """
    found = [_tool(tool.name, _description(tool), tool.schema) for tool in tools]
    if answer is not None:
        found.append(_tool(*answer))
    if found and marked:
        found[-1]["cache_control"] = MARK
    return to_json(found) if found else b""


def _tool(name: str, description: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    said = {"description": description} if description.strip() else {}
    return {"name": name, **said, "input_schema": schema if "type" in schema else {"type": "object", **schema}}


def _description(tool: Tool) -> str:
    shown = [
        f"Example: {to_json(example.input).decode()}{f' ({example.explanation})' if example.explanation else ''}"
        for example in tool.traits.examples
    ]
    return "\n".join([tool.description, *shown])
