"""An editor that has two other agents work for it, side by side.

    python sub_agents.py "Compare the Tagus and the Douro."

A sub-agent is a tool. Its events stand inside those of its caller, one level
deeper; its tokens count for its caller's limits; it ends when its caller does.
"""

import asyncio
import sys

from ore import Agent, UsageLimits

FACTS = {"tagus": "1,007 km long, ends in Lisbon", "douro": "897 km long, ends in Porto"}


def look_up(river: str) -> str:
    """What is known of a river."""
    return FACTS.get(river.lower(), f"nothing is known of {river}")


researcher = Agent(
    name="researcher",
    description="Finds facts about one river. Give it the river's name.",
    instructions="Look it up, then say it in one sentence.",
    tools=[look_up],
    limits=UsageLimits(rounds=5),
)
critic = Agent(
    name="critic",
    description="Says what is missing in a draft. Give it the whole draft.",
    instructions="Name one thing that is missing.",
)
editor = Agent(
    name="editor",
    instructions="Ask the researcher about each river, then write two sentences.",
    tools=[researcher.as_tool(), critic.as_tool()],
    limits=UsageLimits(tokens=100_000),
)


async def main(request: str) -> None:
    async with editor.stream(request) as run:
        async for entry in run.events("tool_call", "tool_result", "text"):
            depth = len(entry.context.path or ()) - (entry.kind == "tool_result")  # which comes from inside its call
            print("  " * depth + entry.kind, entry.event.for_human(), file=sys.stderr)
        result = await run.result()
    print(result.text)


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "Compare the Tagus and the Douro."))
