"""`retry_after_s`: how long a server asks to wait."""

import math
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

__all__ = ["retry_after_s"]


def retry_after_s(headers: Mapping[str, str], now_s: float) -> float | None:
    """Seconds to wait; `None` when the server does not say, or says what cannot be read.

    `retry-after` by RFC 9110, section 10.2.3: seconds or a date; and
    `retry-after-ms`, which OpenAI and Azure send beside it.

    Args:
        headers: With names in lower case.
        now_s: Seconds since 1970, for dates; one that is past is no wait.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after")
    seconds = _number(text)
    return seconds if seconds is not None or text is None else _until(text, now_s)


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if 0 <= value < math.inf else None


def _until(text: str, now_s: float) -> float | None:
    try:
        return max(parsedate_to_datetime(text).timestamp() - now_s, 0.0)
    except (ValueError, TypeError, OverflowError):
        return None
