"""`TideChart`: a kind of artifact that ore does not know."""

from collections.abc import Sequence
from typing import ClassVar

from ore import Artifact, Delta

__all__ = ["TideChart", "TideChartDelta"]

_STEPS = "▁▂▃▄▅▆▇█"


class TideChart(Artifact, frozen=True, kw_only=True, tag="tide_chart"):
    """The height of the water over a day."""

    port: str
    heights_m: tuple[float, ...]

    def for_model(self) -> str:
        """The figures, for whichever model reads the conversation later."""
        return f"water at {self.port}, each hour in metres: {', '.join(map(str, self.heights_m))}"

    def for_human(self) -> str:
        """A line that rises and falls."""
        low, high = min(self.heights_m), max(self.heights_m)
        scale = (len(_STEPS) - 1) / ((high - low) or 1)
        return f"{self.port} {''.join(_STEPS[round((height - low) * scale)] for height in self.heights_m)}"


class TideChartDelta(Delta, frozen=True, kw_only=True, tag="tide_chart_delta"):
    """Some more hours of a chart."""

    family: ClassVar[str] = "tide_chart"

    port: str
    heights_m: tuple[float, ...]

    @property
    def key(self) -> str:
        """One chart for each port."""
        return f"tide_chart:{self.port}"

    @classmethod
    def assemble(cls, parts: Sequence[Delta]) -> TideChart | None:
        """The whole day."""
        mine = [part for part in parts if isinstance(part, cls)]
        heights = tuple(height for part in mine for height in part.heights_m)
        return TideChart(port=mine[0].port, heights_m=heights) if heights else None
