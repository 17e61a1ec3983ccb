"""What a model may answer when it has tools: one JSON object, a call or an answer.

`tool_choice` forces nothing in llama.cpp; decoding by the schema of this union
does: a call is always of a tool that exists, with arguments of its shape.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ore.tool import Tool
from ore.tool.json_schema import Schema, map_schemas

__all__ = ["ANSWER", "choice_schema", "instructions", "portable"]

ANSWER = "answer"
"""The one key of an answer that is not a call."""


def choice_schema(tools: Sequence[Tool], answer: Schema | None) -> dict[str, Any]:
    """The union of one call of `tools` and an answer.

    Args:
        tools: What may be called; none leaves only the answer.
        answer: Schema of the answer; `None` is text.
    """
    calls = [_object(name={"const": tool.name}, arguments={"$ref": f"#/$defs/{tool.name}"}) for tool in tools]
    definitions = {tool.name: portable(tool.schema, f"#/$defs/{tool.name}") for tool in tools}
    last: Schema = {"type": "string"}
    if answer is not None:
        last = {"$ref": f"#/$defs/{ANSWER}:"}  # no tool can be called that
        definitions[f"{ANSWER}:"] = portable(answer, last["$ref"])
    return {"anyOf": [*calls, _object(**{ANSWER: last})], "$defs": definitions}


def instructions(tools: Sequence[Tool], answer: Schema | None) -> str:
    """What the model is told of its tools, for templates that have no place for them."""
    lines = ["You are a helpful assistant with tools."]
    for tool in tools:
        lines.append(f"{tool.name}: {tool.description} Arguments: {_json(_described(tool.schema))}")
        lines += [f"Example: {call_text(tool.name, _json(example.input))}" for example in tool.traits.examples]
    text = "TEXT" if answer is None else f"VALUE of the schema {_json(answer)}"
    lines.append(
        'Answer with JSON. Either call a tool: {"name": TOOL, "arguments": ARGUMENTS}, '
        f'or give your answer: {{"{ANSWER}": {text}}}.'
    )
    return "\n".join(lines)


def call_text(name: str, arguments: str) -> str:
    """A call as the model writes it."""
    return f'{{"name": {_json(name)}, "arguments": {arguments}}}'


def answer_text(text: str) -> str:
    """An answer as the model writes it."""
    return f'{{"{ANSWER}": {_json(text)}}}'


def portable(schema: Schema, place: str) -> dict[str, Any]:
    """A schema as llama.cpp can decode by it, standing at `place` inside another.

    References are turned to where they now lead. What it cannot decode by is
    left out: a pattern, and a boolean in the place of a schema. Whoever reads
    the result validates it anyway.
    """
    found = map_schemas(schema, lambda child: portable(child, place))
    found.pop("pattern", None)
    reference = found.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        found["$ref"] = place + reference[1:]
    properties = found.get("properties")
    if isinstance(properties, Mapping):
        found["properties"] = {name: {} if isinstance(item, bool) else item for name, item in properties.items()}
        found.setdefault("additionalProperties", False)
    return found


def _object(**properties: Schema) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _described(schema: Schema) -> Any:
    return schema if "$defs" in schema or "definitions" in schema else schema.get("properties", {})


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
