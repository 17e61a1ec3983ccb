"""What went wrong, as ore's errors: those of OpenAI's other interface, and those that only Responses have."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from ore.artifact import to_json
from ore.errors import ProviderError
from ore.ext.wires.openai_chat.failure import http_error, stream_error

__all__ = ["answer_failure", "stream_failure"]

_ALIKE: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("invalid_prompt", "bio_policy", "cyber_policy", "misalignment_policy_violation"), "content_filter"
    ),
    "image_content_policy_violation": "content_filter",
    "vector_store_timeout": "timeout",
    "data_residency_mismatch": "permission_denied",
    "server_is_overloaded": "overloaded_error",
    "slow_down": "overloaded_error",
}
"""Codes of Responses by what they mean elsewhere: the vendor's `ResponseError` (read 2026-11)."""

_OF_THE_REQUEST: Final = re.compile("(invalid|image|unsupported|empty|failed_to_download|missing|previous_response)_.*")
"""Codes that blame the request; inside a stream no status says so."""


def stream_failure(provider: str, found: Any) -> ProviderError:
    """The error of an `error` event, of a response that failed, or of a body that is one error object.

    Args:
        provider: Who answered.
        found: The event, or the error object.
    """
    error = _error_in(found)
    if error is None:
        return stream_error(provider, found)
    code = _code(error)
    if code not in _ALIKE and _OF_THE_REQUEST.fullmatch(code):
        error = {**error, "type": "invalid_request_error"}
    return stream_error(provider, _translated(error))


def answer_failure(provider: str, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
    """The error of an answer whose status is not 200; see `Wire.failure`."""
    try:
        error = _error_in(json.loads(body.decode("utf-8", "replace")))
    except (ValueError, RecursionError):
        error = None
    if error is not None and _code(error) in _ALIKE:
        body = to_json({"error": _translated(error)})
    return http_error(provider, status, headers, body)


def _error_in(found: Any) -> dict[str, Any] | None:
    if not isinstance(found, dict):
        return None
    error = found.get("error", found)
    return error if isinstance(error, dict) else None


def _code(error: Mapping[str, Any]) -> str:
    code = error.get("code")
    return code if isinstance(code, str) else ""


def _translated(error: dict[str, Any]) -> dict[str, Any]:
    """An error whose type says what its code means."""
    alike = _ALIKE.get(_code(error))
    return error if alike is None else {**error, "type": alike}
