"""`tides:PORT`: a provider that needs no model."""

from collections.abc import AsyncGenerator

from ore import Role, Spec, TextDelta
from ore.app import ProviderSettings
from ore.artifact import StopReason, ToolCallDelta, Usage
from ore.errors import ModelNotFoundError
from ore.ledger import State
from ore.provider import Batch, Option, WithTools, option
from ore_tides.chart import TideChartDelta
from ore_tides.tide import PORTS, heights_m

__all__ = ["TideProvider", "make"]


class TideProvider:
    """Says when the water is high, and draws it; asks the tool first when it has it."""

    @property
    def name(self) -> str:
        """`tides`."""
        return "tides"

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        """Answer.

        Raises:
            ModelNotFoundError: Nobody knows that port.
        """
        port = spec.name or ""
        if port not in PORTS:
            raise ModelNotFoundError(f"port: expected one of {', '.join(PORTS)}, got {port!r}", provider=self.name)
        offered = option(options, WithTools)
        names = {tool.name for tool in offered.tools} if offered else set()
        if "high_water" in names and state.turns[-1].role is Role.USER:
            yield (ToolCallDelta(index=0, id="call", name="high_water", arguments=f'{{"port": "{port}"}}'),)
            yield (StopReason(reason="tool_use"),)
            return
        yield (TextDelta(content=f"High water at {port}: "),)
        yield (TextDelta(content=f"{_clock(PORTS[port])}."),)
        heights = tuple(heights_m(port))
        yield tuple(TideChartDelta(port=port, heights_m=heights[start : start + 6]) for start in range(0, 24, 6))
        yield (StopReason(reason="stop"), Usage(prompt_tokens=1, completion_tokens=2, total_tokens=3))


def make(settings: ProviderSettings) -> TideProvider:
    """What the entry point is called with; this provider has no address, no key and no limit."""
    return TideProvider()


def _clock(hours: float) -> str:
    return f"{int(hours):02}:{round(hours % 1 * 60):02}"
