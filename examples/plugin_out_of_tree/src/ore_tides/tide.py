"""When the water is high: a cosine, good enough for an example and for no boat."""

from collections.abc import Mapping, Sequence
from math import cos, pi
from typing import Final

__all__ = ["PORTS", "heights_m", "high_water_h"]

PERIOD_H: Final = 12.42
"""From one high water to the next: half a lunar day."""

PORTS: Final[Mapping[str, float]] = {"lisbon": 3.5, "porto": 3.0, "brest": 5.0}
"""Hours after midnight of the first high water."""


def high_water_h(port: str) -> float:
    """Hours after midnight of the first high water.

    Raises:
        KeyError: Nobody knows that port.
    """
    return PORTS[port]


def heights_m(port: str) -> Sequence[float]:
    """The height of the water at each full hour of a day."""
    return [round(2 + 1.5 * cos(2 * pi * (hour - high_water_h(port)) / PERIOD_H), 2) for hour in range(24)]
