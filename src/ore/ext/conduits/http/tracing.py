"""Trace context of requests (W3C Trace Context, level 1)."""

import re
from typing import Final

from starlette.requests import HTTPConnection

__all__ = ["traceparent_of"]

_TRACEPARENT: Final = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?")


def traceparent_of(request: HTTPConnection) -> str | None:
    """The request's trace context; one that is malformed counts as none, as the standard says."""
    given = request.headers.get("traceparent", "").strip()
    if len(given) > 200 or _TRACEPARENT.fullmatch(given) is None or (given.startswith("00") and len(given) > 55):
        return None
    return given
