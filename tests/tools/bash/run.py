"""A command as a model runs it, through a whole session."""

import json
from typing import Any

from app.script import answer, call
from ore import Agent
from ore.artifact import ToolResult
from ore.ledger import MemoryStore
from ore.testing import ScriptedProvider
from ore.tool import Tool

__all__ = ["commands", "ran"]


async def ran(tool: Tool, command: str, **arguments: Any) -> ToolResult:
    """The result of one command."""
    [result] = await commands(tool, {"command": command, **arguments})
    return result


async def commands(tool: Tool, *calls: dict[str, Any]) -> list[ToolResult]:
    """The results of commands of one turn."""
    asked = [artifact for place, one in enumerate(calls) for artifact in call("bash", json.dumps(one), id=f"c{place}")]
    agent = Agent(ScriptedProvider(asked, answer("ok")), tools=[tool])
    turns = (await agent.run("go", store=MemoryStore())).turns
    return [artifact for artifact in turns[2].artifacts if isinstance(artifact, ToolResult)]
