import asyncio

from ore import Agent
from ore.app import live_sessions
from ore.ext.conduits.terminal import ScreenSettings, TerminalConduit, Zones


def book(city: str) -> str:
    """Book a hotel."""
    return f"booked in {city}"


agent = Agent(tools=[book], instructions="You plan trips.")
look = ScreenSettings(name="Trips", zones=Zones({"stage": "lifecycle"}))


async def main() -> None:
    async with live_sessions([agent]) as sessions:
        await (await sessions.open("lisbon")).metadata.change({"stage": "planning"})
        await TerminalConduit("lisbon", settings=look).serve(sessions)


asyncio.run(main())
