"""`/tide PORT`: said to ore, and read by no model."""

from ore.ext.commands import Commands, Invocation
from ore_tides.chart import TideChart
from ore_tides.tide import PORTS, heights_m

__all__ = ["bind"]


def bind(commands: Commands) -> None:
    """What the entry point is called with."""
    commands.bind("tide", "how high the water is today: lisbon, porto or brest", _tide)


async def _tide(invocation: Invocation) -> None:
    port = invocation.text.strip()
    if port not in PORTS:
        invocation.usage(" | ".join(PORTS))
        return
    invocation.say(TideChart(port=port, heights_m=tuple(heights_m(port))).for_human())
    await invocation.stream.metadata.set("tides.port", port)
