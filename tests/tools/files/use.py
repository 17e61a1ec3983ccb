"""The tools of files as a model uses them, through a whole session."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.script import answer, call
from ore import Agent
from ore.artifact import ToolResult
from ore.ext.tools.files import files
from ore.ext.tools.sandboxes import FolderSandbox
from ore.ledger import MemoryStore
from ore.testing import ScriptedProvider
from ore.tool import Tool

__all__ = ["all_used", "sparse", "used"]


async def used(folder: Path, name: str, *, tools: Sequence[Tool] | None = None, **arguments: Any) -> ToolResult:
    """The result of one call, in a folder."""
    [result] = await all_used(tools or files(FolderSandbox(folder)), (name, arguments))
    return result


async def all_used(tools: Sequence[Tool], *calls: tuple[str, dict[str, Any]]) -> list[ToolResult]:
    """The results of calls of one turn."""
    asked = [
        artifact
        for place, (name, arguments) in enumerate(calls)
        for artifact in call(name, json.dumps(arguments), id=f"c{place}")
    ]
    agent = Agent(ScriptedProvider(asked, answer("ok")), tools=list(tools))
    turns = (await agent.run("go", store=MemoryStore())).turns
    return [artifact for artifact in turns[2].artifacts if isinstance(artifact, ToolResult)]


def sparse(path: Path, beginning: bytes) -> None:
    """A file of 10 GiB that takes no room."""
    with open(path, "wb") as file:
        file.write(beginning)
        file.truncate(10 << 30)
