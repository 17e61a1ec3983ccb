"""The agent of the fault tests: what it does follows from the conversation alone, so any process can go on with it.

A user's text is a plan: its first word names it, the others are tools to call
in one turn; `|` begins another turn. `plan-7 note again | note` is two rounds.
"""

import asyncio
import json
import os
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ore.agent import AgentSpec
from ore.artifact import StopReason, Text, TextDelta, ToolCall, Usage
from ore.ledger import Role, State, Turn
from ore.models import Spec
from ore.provider import Batch, Option
from ore.testing.failing import FailingProvider, failing_tool
from ore.testing.failpoints import Failpoints
from ore.tool import StaticTools, Tool, ToolContext, tool


class Outside(Protocol):
    """What tools change."""

    def add(self, key: str) -> None:
        """The tool of this call has its effect."""
        ...


@dataclass(frozen=True)
class World:
    """What is outside: a file, to which each effect adds a line, on the disk before its tool returns."""

    path: Path

    def add(self, key: str) -> None:
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, f"{key}\n".encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def runs(self) -> Counter[str]:
        """How often each call had its effect."""
        return Counter(self.path.read_text().split()) if self.path.exists() else Counter()


@dataclass
class Gate:
    """What the tool `wait` waits for."""

    open: asyncio.Event = field(default_factory=asyncio.Event)


class Planner:
    """A provider that does what the last plan says, round by round, then says that it is done."""

    name = "planner"

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        plan, done = _plan(state.turns)
        if done < len(plan.rounds):
            yield (TextDelta(content="so "),)
            yield (TextDelta(content="be it"),)
            yield tuple(
                ToolCall(id=f"c{n}", name=name, arguments=json.dumps({"text": f"{plan.name}-{done}-{n}"}))
                for n, name in enumerate(plan.rounds[done])
            )
            yield (StopReason(reason="tool_use"),)
        else:
            yield (TextDelta(content=f"{plan.name} "),)
            yield (TextDelta(content="is done"),)
            yield (StopReason(reason="stop"), Usage(prompt_tokens=1, completion_tokens=1, total_tokens=2))


@dataclass(frozen=True)
class Plan:
    name: str
    rounds: Sequence[Sequence[str]]


def _plan(turns: Sequence[Turn]) -> tuple[Plan, int]:
    """The last plan that has rounds, or the last word of the user; and how many rounds are done."""
    done = 0
    latest: Plan | None = None
    for turn in reversed(turns):
        if turn.role is Role.USER:
            name, _, rest = "".join(a.content for a in turn.artifacts if isinstance(a, Text)).partition(" ")
            plan = Plan(name, [part.split() for part in rest.split("|")] if rest else [])
            latest = latest or plan
            if plan.rounds:
                return plan, done
        done += bool(turn.calls)
    assert latest is not None
    return latest, done


def tools(world: Outside, gate: Gate, points: Failpoints | None = None) -> Sequence[Tool]:
    async def note(context: ToolContext, text: str) -> str:
        """Change the world; twice would be wrong."""
        world.add(context.key)
        return f"noted {text}"

    async def again(context: ToolContext, text: str) -> str:
        """Change the world; the key makes it safe to repeat."""
        world.add(context.key)
        return f"noted again {text}"

    def slow(context: ToolContext, text: str) -> str:
        """Change the world from a thread."""
        world.add(context.key)
        return f"noted slowly {text}"

    async def look(text: str) -> str:
        """Change nothing."""
        return f"saw {text}"

    async def careful(context: ToolContext, text: str) -> str:
        """Change the world, once somebody said yes."""
        world.add(context.key)
        return f"noted with care {text}"

    async def wonder(context: ToolContext, text: str) -> str:
        """Ask, then change the world."""
        answer = await context.ask(f"why {text}?")
        world.add(context.key)
        return f"because {answer.answer}"

    async def wait(context: ToolContext, text: str) -> str:
        """Wait until the gate is open; change nothing."""
        await gate.open.wait()
        return f"waited {text}"

    async def child(context: ToolContext, text: str) -> str:
        """Have another planner note two things."""
        outcome = await context.delegate(agent(world, points or Failpoints(), gate), f"{text} note | note")
        world.add(context.key)
        return f"{outcome.status} {outcome.text}"

    async def team(context: ToolContext, text: str) -> str:
        """Have another planner do three things at once."""
        outcome = await context.delegate(agent(world, points or Failpoints(), gate), f"{text} note slow again")
        world.add(context.key)
        return f"{outcome.status} {outcome.text}"

    return [
        tool(child, idempotent=True),
        tool(team, idempotent=True),
        tool(note),
        tool(again, idempotent=True),
        tool(slow),
        tool(look, read_only=True),
        tool(careful, approve=True),
        tool(wonder),
        tool(wonder, name="wonder_again", idempotent=True),
        tool(wait, read_only=True),
    ]


def agent(world: Outside, points: Failpoints, gate: Gate | None = None, **fields: Any) -> AgentSpec:
    made = [failing_tool(one, points) for one in tools(world, gate or Gate(), points)]
    provider = FailingProvider(Planner(), points)
    return AgentSpec(name="planner", provider=provider, tools=StaticTools(*made).tools, **fields)
