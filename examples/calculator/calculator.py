"""An agent that calculates with functions of its own.

    python calculator.py "What is 6 times 7?"

`ORE_MODEL` names the model; without it and without a key it is the embedded one.
"""

import asyncio
import sys

from ore import Agent, UsageLimits


def add(a: float, b: float) -> float:
    """The sum of two numbers."""
    return a + b


def multiply(a: float, b: float) -> float:
    """The product of two numbers."""
    return a * b


agent = Agent(
    name="calculator",
    instructions="Calculate with the tools, step by step.",
    tools=[add, multiply],
    limits=UsageLimits(rounds=10),  # a small model may call for ever
)


async def main(question: str) -> None:
    async with agent.stream(question) as run:
        async for entry in run.events("tool_call", "tool_result"):
            print(entry.kind, entry.event.for_human(), file=sys.stderr)
        print((await run.result()).text)


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "What is 6 times 7, plus 8?"))
