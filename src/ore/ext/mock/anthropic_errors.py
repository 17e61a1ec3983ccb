"""Errors as Anthropic says them.

Statuses and types by the vendor's "Claude API errors", and the sentences by
which clients know what has no type of its own (read 2026-11).
"""

from collections.abc import Mapping
from typing import Any, Final

from ore.ext.providers.script import Failure

__all__ = ["error_body", "error_status"]

_ERRORS: Final[Mapping[str, tuple[int, str]]] = {
    "authentication": (401, "authentication_error"),
    "bad_request": (400, "invalid_request_error"),
    "connection": (500, "api_error"),
    "content_filter": (400, "invalid_request_error"),
    "context_overflow": (400, "invalid_request_error"),
    "not_found": (404, "not_found_error"),
    "overloaded": (529, "overloaded_error"),
    "protocol": (500, "api_error"),
    "rate_limit": (429, "rate_limit_error"),
    "timeout": (504, "timeout_error"),
    "too_large": (413, "request_too_large"),
}
_SENTENCES: Final[Mapping[str, str]] = {
    "content_filter": "Output blocked by content filtering policy",
    "context_overflow": "prompt is too long",
}


def error_status(failure: Failure) -> int:
    """The HTTP status of a failure."""
    return _ERRORS[failure.code][0]


def error_body(failure: Failure) -> dict[str, Any]:
    """`{"type": "error", "error": {"type", "message"}}`."""
    sentence = _SENTENCES.get(failure.code, "")
    message = failure.message if sentence in failure.message else f"{sentence}: {failure.message}"
    return {"type": "error", "error": {"type": _ERRORS[failure.code][1], "message": message}}
