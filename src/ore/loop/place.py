"""`place_of`: where in the log a reader stands."""

from bisect import bisect_right
from collections.abc import Sequence

from ore.event import Entry

__all__ = ["place_of"]


def place_of(log: Sequence[Entry], number: int) -> int:
    """Index of the first entry behind `number`."""
    if log and number < log[-1].number:
        place = len(log) - (log[-1].number - number)  # where it is when nothing behind it was dropped
        if place >= 0 and log[place].number > number and (place == 0 or log[place - 1].number <= number):
            return place
    return bisect_right(log, number, key=lambda entry: entry.number)
