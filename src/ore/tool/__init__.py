"""Tools: what a model may call."""

from ore.tool.asker import Asker, Denying
from ore.tool.context import ToolContext
from ore.tool.tool import Approve, DisplayHint, Example, Tool, ToolBody, ToolFunction, Traits

__all__ = [
    "Approve",
    "Asker",
    "Denying",
    "DisplayHint",
    "Example",
    "Tool",
    "ToolBody",
    "ToolContext",
    "ToolFunction",
    "Traits",
]
