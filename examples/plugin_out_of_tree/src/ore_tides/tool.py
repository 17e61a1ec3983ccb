"""`high_water`: a tool that any model may call."""

from collections.abc import Sequence
from typing import Literal

from ore import Tool, tool
from ore_tides.tide import high_water_h

__all__ = ["tools"]


@tool(read_only=True)
def high_water(port: Literal["lisbon", "porto", "brest"]) -> float:
    """Hours after midnight of the first high water."""
    return high_water_h(port)


def tools() -> Sequence[Tool]:
    """What `--tool tides` brings."""
    return (high_water,)
