"""Tools of an Anthropic request, and which of them shall be called."""

import re
from collections.abc import Sequence
from typing import Final

from ore.testing.shapes.at import At
from ore.testing.shapes.schema import ANTHROPIC_STRICT, LOOSE, check_schema
from ore.testing.shapes.tools import NAME

__all__ = ["check_tools"]

_OPTIONAL: Final = (
    "type description cache_control strict allowed_callers defer_loading eager_input_streaming input_examples"
)
_PROPERTY: Final = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_SERVER_TOOL: Final = re.compile(r"[a-z0-9_]+_\d{8}|mcp_toolset")
"""Tools that the vendor knows carry the day of their version."""

_CHOICES: Final = ("oneOf", "allOf", "anyOf")


def check_tools(fields: dict[str, At]) -> None:
    """Check `tools` and `tool_choice`.

    Raises:
        ShapeError: A tool is malformed or named twice, or one that is not there shall be called.
    """
    names: list[str] = []
    for tool in fields["tools"].items() if "tools" in fields else ():
        tool.object()
        name, kind = tool.key("name"), tool.key("type")
        if kind.value in (None, "custom"):
            _custom(tool)
        else:
            kind.name(_SERVER_TOOL)
        if name.value is not None and name.text() in names:
            name.refuse("another name for each tool", repr(name.value))
        names.append(str(name.value))
    if "tool_choice" in fields:
        _choice(fields["tool_choice"], names)


def _custom(tool: At) -> None:
    fields = tool.fields("name input_schema", _OPTIONAL)
    fields["name"].name(NAME)
    if "description" in fields:
        fields["description"].text()
    is_strict = "strict" in fields and fields["strict"].boolean()
    schema = tool.key("input_schema")
    check_schema(schema, ANTHROPIC_STRICT if is_strict else LOOSE)
    for word in _CHOICES:
        if word in schema.object():
            schema.key(word).refuse(f"no {word} at the top of a tool's schema")
    properties = schema.key("properties")
    for name in properties.object() if properties.value is not None else ():
        At(f"{properties.path}, a key", name).name(_PROPERTY)


def _choice(at: At, names: Sequence[str]) -> None:
    kind = at.kind("auto", "any", "tool", "none")
    optional = "" if kind == "none" else "disable_parallel_tool_use"
    fields = at.fields("type name" if kind == "tool" else "type", optional)
    if "disable_parallel_tool_use" in fields:
        fields["disable_parallel_tool_use"].boolean()
    if not names and kind != "none":
        at.refuse("tool_choice only beside tools", "it without them")
    if kind == "tool" and fields["name"].text() not in names:
        fields["name"].refuse("the name of a tool of this request", repr(fields["name"].value))
