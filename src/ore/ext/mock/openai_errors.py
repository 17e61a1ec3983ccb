"""Errors as OpenAI says them; statuses, types and codes by the vendor's "Error codes" (read 2026-11)."""

from collections.abc import Mapping
from typing import Any, Final

from ore.ext.providers.script import Failure

__all__ = ["error_body", "error_status"]

_ERRORS: Final[Mapping[str, tuple[int, str, str | None]]] = {
    "authentication": (401, "invalid_request_error", "invalid_api_key"),
    "bad_request": (400, "invalid_request_error", None),
    "connection": (500, "server_error", None),
    "content_filter": (400, "invalid_request_error", "content_filter"),
    "context_overflow": (400, "invalid_request_error", "context_length_exceeded"),
    "not_found": (404, "invalid_request_error", "unknown_url"),
    "overloaded": (503, "service_unavailable_error", "server_is_overloaded"),
    "protocol": (500, "server_error", None),
    "rate_limit": (429, "requests", "rate_limit_exceeded"),
    "timeout": (504, "server_error", "timeout"),
    "too_large": (413, "invalid_request_error", None),
}


def error_status(failure: Failure) -> int:
    """The HTTP status of a failure."""
    return _ERRORS[failure.code][0]


def error_body(failure: Failure) -> dict[str, Any]:
    """`{"error": {"message", "type", "param", "code"}}`."""
    _, kind, code = _ERRORS[failure.code]
    return {"error": {"message": failure.message, "type": kind, "param": None, "code": code}}
