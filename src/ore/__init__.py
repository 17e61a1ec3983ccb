"""ore: agents whose unit is the session.

Names are imported on first use, so that `import ore` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ore.agent import AgentSpec
    from ore.app import Agent, Result, Run, Session, UsageLimits
    from ore.artifact import (
        Artifact,
        Audio,
        Delta,
        File,
        Image,
        Notice,
        Reasoning,
        Text,
        TextDelta,
        ToolCall,
        ToolResult,
    )
    from ore.cognitive import ReAct, SingleShot
    from ore.errors import OreError, ToolError
    from ore.event import Answer, Entry, InterruptEvent, Question
    from ore.ledger import MemoryStore, Role, Store, Thread, Turn
    from ore.loop import Handler, Step
    from ore.models import Spec, ThinkingLevel
    from ore.provider import Provider
    from ore.session import Manager, Stream
    from ore.tool import Tool, ToolContext, tool

__all__ = [
    "Agent",
    "AgentSpec",
    "Answer",
    "Artifact",
    "Audio",
    "Delta",
    "Entry",
    "File",
    "Handler",
    "Image",
    "InterruptEvent",
    "Manager",
    "MemoryStore",
    "Notice",
    "OreError",
    "Provider",
    "Question",
    "ReAct",
    "Reasoning",
    "Result",
    "Role",
    "Run",
    "Session",
    "SingleShot",
    "Spec",
    "Step",
    "Store",
    "Stream",
    "Text",
    "TextDelta",
    "ThinkingLevel",
    "Thread",
    "Tool",
    "ToolCall",
    "ToolContext",
    "ToolError",
    "ToolResult",
    "Turn",
    "UsageLimits",
    "tool",
]

_HOMES = {
    "ore.agent": ("AgentSpec",),
    "ore.app": ("Agent", "Result", "Run", "Session", "UsageLimits"),
    "ore.artifact": (
        "Artifact",
        "Audio",
        "Delta",
        "File",
        "Image",
        "Notice",
        "Reasoning",
        "Text",
        "TextDelta",
        "ToolCall",
        "ToolResult",
    ),
    "ore.cognitive": ("ReAct", "SingleShot"),
    "ore.errors": ("OreError", "ToolError"),
    "ore.event": ("Answer", "Entry", "InterruptEvent", "Question"),
    "ore.ledger": ("MemoryStore", "Role", "Store", "Thread", "Turn"),
    "ore.loop": ("Handler", "Step"),
    "ore.models": ("Spec", "ThinkingLevel"),
    "ore.provider": ("Provider",),
    "ore.session": ("Manager", "Stream"),
    "ore.tool": ("Tool", "ToolContext", "tool"),
}
"""Which package each name comes from."""

_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name on first use (PEP 562)."""
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'ore' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted([*globals(), *__all__])
