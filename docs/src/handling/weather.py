import asyncio

from ore import Agent, ToolContext, ToolError, tool
from ore.artifact import Cut, TruncationStyle
from ore.tool import Example


class Place:
    """What the questions of a session are about."""

    def __init__(self, city: str) -> None:
        self.city = city

    def for_model(self) -> str:
        return f"From now on it is about {self.city}."

    def for_human(self) -> str:
        return f"-> {self.city}"

    def status(self) -> dict[str, str]:
        return {"weather.city": self.city}


@tool(examples=[Example(input={"city": "Lisbon"}, explanation="A city, without its country.")])
async def choose(city: str) -> Place:
    """Choose the city that all questions are about."""
    return Place(city)


@tool(
    read_only=True,
    timeout_s=20,
    display_hint=lambda arguments: f"the last {arguments['days']} days",
    cut=Cut(max_lines=3, style=TruncationStyle.HEAD, hint="Ask for {shown_lines} days at most."),
)
async def past(context: ToolContext, days: int) -> str:
    """Past weather, a line for each day.

    Args:
        days: How many, back from today.
    """
    city = context.meta.get("weather.city")
    if city is None:
        raise ToolError("no city was chosen; call choose first")
    context.progress(f"asks the station of {city}")
    return "\n".join(f"{city}, {day} days ago: 21 °C" for day in range(1, days + 1))


agent = Agent(tools=[choose, past])


async def main() -> None:
    async with agent.session("weather") as session:
        run = session.stream("How was it in Porto last week?")
        async for entry in run.events("tool_call", "tool_result"):
            print(entry.event.for_human())
        print((await run.result()).text)
        print(session.metadata.get("weather.city"))


asyncio.run(main())
