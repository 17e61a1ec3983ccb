"""ore over HTTP, as a client of the peers' harness: from a session's message to its one subscriber.

The harness (`bench.py` with its fake server and the other clients) is not part
of the project. `README.md` beside this file says how to run them together.
"""

import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from ore.agent import AgentSpec
from ore.artifact import Text
from ore.ext.providers.anthropic import Anthropic
from ore.ext.providers.google import Google
from ore.ext.providers.openai import OpenAI
from ore.ext.providers.openai_responses import OpenAIResponses
from ore.ledger import MemoryStore, Role
from ore.session import Manager
from ore.tool import StaticTools, tool

clock = time.perf_counter


def add(a: int, b: int) -> int:
    """Add two integers."""
    counted: Any = sys.modules["tool"]  # the harness counts its calls
    return int(counted.add(a, b))


@tool(name="add")
async def async_add(a: int, b: int) -> int:
    """Add two integers."""
    return add(a, b)


_PROVIDERS: Mapping[str, Callable[..., Any]] = {
    "oai": OpenAI,
    "ant": Anthropic,
    "resp": OpenAIResponses,
    "gem": Google,
}


class Client:
    """One stack of the harness; `variant` is `oai`, `ant`, `resp` or `gem`."""

    def __init__(self, base: str, variant: str | None) -> None:
        self._base = base
        self._variant = variant or "oai"
        self.prefix = {"ant": "claude-sonnet-4-5", "gem": "gemini-2.5-flash"}.get(self._variant, "gpt-4o")

    async def open(self) -> None:
        provider: Any = _PROVIDERS[self._variant](api_key="sk-none", base_url=self._base)
        tools = StaticTools(async_add).tools
        self._plain = Manager(AgentSpec(name="a", provider=provider), MemoryStore())
        self._tools = Manager(AgentSpec(name="a", provider=provider, tools=tools), MemoryStore())

    async def close(self) -> None:
        await self._plain.aclose()
        await self._tools.aclose()

    async def _go(self, manager: Manager, model: str) -> tuple[str, float]:
        session = await manager.create({"ore.model.name": model})
        out: list[str] = []
        first = 0.0
        async with session.subscribe("text_delta", "lifecycle", "error") as reader:
            session.submit("add 2 and 3")
            async for batch in reader.batches():
                for entry in batch:
                    event: Any = entry.event
                    if entry.kind == "text_delta":
                        first = first or clock()
                        out.append(event.content)
                    elif entry.kind == "error":
                        raise RuntimeError(event.message)
                    elif event.phase == "done":
                        break
                else:
                    continue
                break
        await session.close()
        return "".join(out), first

    async def stream(self, model: str) -> tuple[str, float]:
        return await self._go(self._plain, model)

    async def react(self, model: str) -> tuple[str, float]:
        return await self._go(self._tools, model)

    async def body(self, turns: int) -> Any:
        """A session with so many turns, for the cost of a request body."""
        session = await self._plain.create()
        for number in range(turns):
            role = Role.USER if number % 2 == 0 else Role.ASSISTANT
            await session.append_turn(role, Text(content=f"message {number}"))
        return session


__all__ = ["Client"]
