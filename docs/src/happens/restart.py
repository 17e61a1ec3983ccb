import asyncio
import sys

from ore import Agent, Answer, Stream, tool
from ore.app import live_sessions


@tool(approve=True)
def send(to: str) -> str:
    """Send a letter."""
    return f"sent to {to}"


agent = Agent(tools=[send])


async def asked(stream: Stream) -> None:
    """Return once somebody is asked."""
    _, events = stream.snapshot_and_subscribe("question")
    async with events:
        while stream.snapshot().phase != "waiting":
            await anext(events)


async def main(words: list[str]) -> None:
    async with live_sessions([agent]) as sessions:  # what was left goes on
        stream = await sessions.open("letters")
        if words == ["begin"]:
            await stream.submit("Write to Ann.").accepted()
            await stream.submit("Thank you.").accepted()
        await asked(stream)
        shown = stream.snapshot()
        print("open:", [question.tool for question in shown.questions], "waiting:", len(shown.queue) - 1)
        if words == ["finish"]:
            key = shown.questions[0].key
            await stream.answer(key, Answer(key=key, decision="approve"))
            await stream.idle()
            print([turn.artifacts[0].for_human() for turn in stream.turns if turn.role.value == "assistant"])


asyncio.run(main(sys.argv[1:]))
