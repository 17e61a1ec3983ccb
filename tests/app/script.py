"""Answers for scripts, and waiting without a clock."""

import asyncio
from collections.abc import Callable
from itertools import count

from ore.artifact import Artifact, TextDelta, ToolCall


def answer(*pieces: str) -> list[Artifact]:
    """An answer that comes in these pieces."""
    return [TextDelta(content=piece) for piece in pieces]


def call(name: str, arguments: str = "{}", *, id: str = "c") -> list[Artifact]:
    """The model calls a tool."""
    return [ToolCall(id=id, name=name, arguments=arguments)]


async def until(condition: Callable[[], bool]) -> None:
    """Let others run until it holds."""
    async with asyncio.timeout(5):
        for _ in count():
            if condition():
                return
            await asyncio.sleep(0)
