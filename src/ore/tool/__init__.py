"""Tools: what a model may call.

This module can be called like `tool` itself: importing it sets `ore.tool`, so
`from ore import tool` gives the decorator or this module, as it happens.
"""

import sys
from types import ModuleType
from typing import Any

from ore.tool.asker import ASKER, Asker, Denying, current_asker
from ore.tool.child import Ask, ChildOutcome, Children
from ore.tool.context import ToolContext
from ore.tool.deadline import Deadline
from ore.tool.flatten import flatten
from ore.tool.function import FunctionBody, ToolOptions, as_tool, tool
from ore.tool.json_schema import Schema, check_schema, map_schemas
from ore.tool.names import is_wire_name, remote_name, wire_name
from ore.tool.opening import keep_open
from ore.tool.registry import Registry, RemoteSource
from ore.tool.sandbox import ExecSandbox, Execution, FileSandbox, Sandbox, Sandboxes
from ore.tool.schema import Output, output_schema
from ore.tool.schema_body import SchemaBody
from ore.tool.strict import strict
from ore.tool.tool import Approve, DisplayHint, Example, Tool, ToolBody, ToolFunction, Traits
from ore.tool.toolset import Keep, StaticTools, Toolset, approve, as_toolset, combine, filter, prefix, rename

__all__ = [
    "ASKER",
    "Approve",
    "Ask",
    "Asker",
    "ChildOutcome",
    "Children",
    "Deadline",
    "Denying",
    "DisplayHint",
    "Example",
    "ExecSandbox",
    "Execution",
    "FileSandbox",
    "FunctionBody",
    "Keep",
    "Output",
    "Registry",
    "RemoteSource",
    "Sandbox",
    "Sandboxes",
    "Schema",
    "SchemaBody",
    "StaticTools",
    "Tool",
    "ToolBody",
    "ToolContext",
    "ToolFunction",
    "ToolOptions",
    "Toolset",
    "Traits",
    "approve",
    "as_tool",
    "as_toolset",
    "check_schema",
    "combine",
    "current_asker",
    "filter",
    "flatten",
    "is_wire_name",
    "keep_open",
    "map_schemas",
    "output_schema",
    "prefix",
    "remote_name",
    "rename",
    "strict",
    "tool",
    "wire_name",
]


class _Decorator(ModuleType):
    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return tool(*arguments, **options)


sys.modules[__name__].__class__ = _Decorator
