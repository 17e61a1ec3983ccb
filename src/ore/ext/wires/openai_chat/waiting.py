"""`seconds_to_wait`: what the headers of an answer say about trying again."""

import math
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

__all__ = ["seconds_to_wait"]


def seconds_to_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds, from `retry-after-ms` or `retry-after`; `None` when there is neither, or no sense in it.

    A date is held against the answer's own `date`, so that no clock is needed;
    without that one whoever has a clock reads it (RFC 9110, section 10.2.3).
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    given = headers.get("retry-after", "")
    seconds = _number(given)
    if seconds is not None:
        return seconds
    try:
        until, now = parsedate_to_datetime(given), parsedate_to_datetime(headers.get("date", ""))
        return max((until - now).total_seconds(), 0.0)
    except (ValueError, TypeError):
        return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if 0 <= number < math.inf else None
