"""`Anthropic`, played: keys, errors, heads of answers.

Statuses and types by the vendor's "Claude API errors", and the sentences by
which clients know what has no type of its own (read 2026-11).
"""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from ore.ext.mock.anthropic_messages import AnthropicMessages
from ore.ext.mock.vendor import Endpoint, Refusal
from ore.ext.providers.script import Failure

__all__ = ["Anthropic"]

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


class Anthropic:
    """Plays Anthropic.

    Args:
        extra_fields: Fields that are taken beside the vendor's.
        issued: Signatures of thinking that were issued elsewhere, each with what it signs.
    """

    def __init__(self, extra_fields: Collection[str] = (), issued: Mapping[str, str] | None = None) -> None:
        self.endpoints: Sequence[Endpoint] = (AnthropicMessages(extra_fields, issued),)

    def unfit(self, headers: Mapping[str, str], api_key: str | None) -> Failure | None:
        """Any other key than `api_key` is, and a request that names no version of the interface.

        The key may stand in either header: the vendor's own client sends it as a bearer since 2026-10.
        """
        given = (headers.get("x-api-key"), headers.get("authorization", "").removeprefix("Bearer "))
        if api_key is not None and api_key not in given:
            return Failure("authentication", "invalid x-api-key")
        if not headers.get("anthropic-version"):
            return Failure("bad_request", "anthropic-version: header is required")
        return None

    def refusal(self, failure: Failure, number: int) -> Refusal:
        """`{"type": "error", "error": {"type", "message"}, "request_id"}`."""
        wait = {} if failure.retry_after_s is None else {"retry-after": f"{failure.retry_after_s:g}"}
        body = {**_body(failure), "request_id": self.headers(number)["request-id"]}
        return Refusal(status=_ERRORS[failure.code][0], body=body, headers=wait)

    def event(self, failure: Failure) -> bytes:
        """The error as the last event."""
        return b"event: error\ndata: %s\n\n" % json.dumps(_body(failure), ensure_ascii=False).encode()

    def headers(self, number: int) -> Mapping[str, str]:
        """The request's id."""
        return {"request-id": f"req_mock{number:06d}", "anthropic-organization-id": "org_mock"}


def _body(failure: Failure) -> dict[str, Any]:
    sentence = _SENTENCES.get(failure.code, "")
    message = failure.message if sentence in failure.message else f"{sentence}: {failure.message}"
    return {"type": "error", "error": {"type": _ERRORS[failure.code][1], "message": message}}
