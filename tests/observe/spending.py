"""Providers whose inferences use what a test says, and agents that share a budget."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence

from ore import Agent, UsageLimits
from ore.artifact import Artifact, TextDelta, ToolCall, Usage
from ore.ledger import Role, State
from ore.models import Spec
from ore.provider import Batch, Option


def usage(tokens: int) -> Usage:
    """An inference that used so many tokens."""
    return Usage(prompt_tokens=tokens - 1, completion_tokens=1, total_tokens=tokens)


class Spender:
    """A provider that counts what it was paid for, and how many of its inferences ran at once.

    Args:
        cost: Tokens of an inference, by the number of those before it.
        turns: What it says in a conversation, by the number of answers in it.
    """

    name = "spender"

    def __init__(self, cost: Callable[[int], int], *turns: Sequence[Artifact]) -> None:
        self._cost = cost
        self._turns = turns
        self.spent: list[int] = []
        self.running = self.most = 0

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        said = sum(turn.role is Role.ASSISTANT for turn in state.turns)
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            for artifact in self._turns[min(said, len(self._turns) - 1)]:
                yield (artifact,)
                await asyncio.sleep(0)
            self.spent.append(self._cost(len(self.spent)))
            yield (usage(self.spent[-1]),)
        finally:
            self.running -= 1


def calls(*names: str) -> list[Artifact]:
    """The model calls agents, all at once."""
    return [ToolCall(id=f"c{place}", name=name, arguments='{"prompt": "go"}') for place, name in enumerate(names)]


def family(cost: Callable[[int], int], limits: UsageLimits, *, children: int = 5) -> tuple[Agent, Spender, Spender]:
    """A parent that asks children side by side, over and over; each of those uses a tool over and over."""

    async def work() -> str:
        """Work."""
        await asyncio.sleep(0)
        return "worked"

    below = Spender(cost, [ToolCall(id="w", name="work", arguments="{}")])
    names = [f"child{place}" for place in range(children)]
    above = Spender(cost, calls(*names))
    loose = UsageLimits(rounds=8)
    tools = [Agent(below, name=name, description="Works.", tools=[work], limits=loose).as_tool() for name in names]
    return Agent(above, tools=tools, limits=limits), above, below


def words(count: int) -> list[Artifact]:
    """An answer of so many tokens, one at a time."""
    return [TextDelta(content="four")] * count
