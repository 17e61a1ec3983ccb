"""`OpenAI`, played: keys, errors, heads of answers.

Statuses, types and codes by the vendor's "Error codes" (read 2026-11).
"""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from ore.ext.mock.openai_chat import OpenAIChat
from ore.ext.mock.vendor import Endpoint, Refusal
from ore.ext.providers.script import Failure

__all__ = ["OpenAI"]

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


class OpenAI:
    """Plays OpenAI, or a server that speaks as it does.

    Args:
        extra_fields: Fields that are taken beside the vendor's.
    """

    def __init__(self, extra_fields: Collection[str] = ()) -> None:
        self.endpoints: Sequence[Endpoint] = (OpenAIChat(extra_fields),)

    def unfit(self, headers: Mapping[str, str], api_key: str | None) -> Failure | None:
        """Any other key than `api_key` is."""
        if api_key is None or headers.get("authorization") == f"Bearer {api_key}":
            return None
        return Failure("authentication", "Incorrect API key provided.")

    def refusal(self, failure: Failure, number: int) -> Refusal:
        """`{"error": {"message", "type", "param", "code"}}`."""
        status = _ERRORS[failure.code][0]
        wait = {} if failure.retry_after_s is None else {"Retry-After": f"{failure.retry_after_s:g}"}
        return Refusal(status=status, body=_body(failure), headers=wait)

    def event(self, failure: Failure) -> bytes:
        """The error as the last event; no `[DONE]` follows."""
        return b"data: %s\n\n" % json.dumps(_body(failure), ensure_ascii=False).encode()

    def headers(self, number: int) -> Mapping[str, str]:
        """The request's id."""
        return {"x-request-id": f"req_mock{number:06d}", "openai-processing-ms": "1", "openai-version": "2020-10-01"}


def _body(failure: Failure) -> dict[str, Any]:
    _, kind, code = _ERRORS[failure.code]
    return {"error": {"message": failure.message, "type": kind, "param": None, "code": code}}
