import asyncio

from ore import Agent, UsageLimits


def find(words: str) -> str:
    """Find pages about something."""
    return f"three pages about {words}"


researcher = Agent(
    tools=[find],
    name="researcher",
    description="Finds out facts. Give it one question, with all that it needs to know.",
    limits=UsageLimits(rounds=10),
)
agent = Agent(tools=[researcher.as_tool()], limits=UsageLimits(tokens=50_000))


async def main() -> None:
    async with agent.stream("How far is the moon?") as run:
        async for entry in run.events("tool_call", "tool_result"):
            depth = len(entry.context.path or ())
            print("  " * depth, entry.kind, entry.event.for_human())
        print((await run.result()).text)


asyncio.run(main())
