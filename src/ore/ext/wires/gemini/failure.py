"""What went wrong, as ore's errors: of an answer whose status is not 200, and inside a stream.

Statuses and details by "Error model" of Google's cloud APIs and by
"Troubleshooting" of the Gemini API (read 2026-11). The vendor's sentence may
hold what was sent, so of it only numbers and names of fields are shown.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from ore.errors import (
    AuthenticationError,
    BadRequestError,
    ContextOverflowError,
    ModelNotFoundError,
    OverloadedError,
    PermissionDeniedError,
    ProviderError,
    ProviderTimeoutError,
    RateLimitError,
    UnsupportedError,
)

__all__ = ["answer_failure", "stream_failure"]


class _Meaning(NamedTuple):
    """What a status is here, and what may help."""

    error: type[ProviderError]
    said: str


_AUTHENTICATION: Final = _Meaning(
    AuthenticationError, "the key was not accepted; is it set, whole, and one of the Gemini API?"
)
_PERMISSION: Final = _Meaning(
    PermissionDeniedError, "the key may not do this; look at its project's APIs, billing and region"
)
_NOT_FOUND: Final = _Meaning(
    ModelNotFoundError, "no such model, or no such address; are the model's name and the base URL right?"
)
_OVERFLOW: Final = _Meaning(
    ContextOverflowError, "the conversation does not fit the model's window; shorten it, or allow a shorter answer"
)
_TOO_LARGE: Final = _Meaning(
    ContextOverflowError, "the request is larger than the vendor takes; leave out files and images, or begin anew"
)
_RATE: Final = _Meaning(RateLimitError, "too many requests or tokens for the project; wait, or ask for a higher limit")
_OVERLOADED: Final = _Meaning(OverloadedError, "the model has no capacity right now; wait, or take another one")
_INTERNAL: Final = _Meaning(
    OverloadedError, "the vendor failed inside; ask again, and look at its status page if it stays"
)
_TIMEOUT: Final = _Meaning(ProviderTimeoutError, "the vendor gave up waiting; ask again, or for a shorter answer")
_BAD_REQUEST: Final = _Meaning(BadRequestError, "the vendor did not accept the request as it was built")

_BY_NAME: Final[Mapping[str, _Meaning]] = {
    "UNAUTHENTICATED": _AUTHENTICATION,
    "PERMISSION_DENIED": _PERMISSION,
    "NOT_FOUND": _NOT_FOUND,
    "RESOURCE_EXHAUSTED": _RATE,
    "UNAVAILABLE": _OVERLOADED,
    "INTERNAL": _INTERNAL,
    "UNKNOWN": _INTERNAL,
    "DATA_LOSS": _INTERNAL,
    "ABORTED": _INTERNAL,
    "DEADLINE_EXCEEDED": _TIMEOUT,
    "CANCELLED": _TIMEOUT,
    "FAILED_PRECONDITION": _PERMISSION,  # free use that is not offered where the request came from
    "INVALID_ARGUMENT": _BAD_REQUEST,
    "OUT_OF_RANGE": _BAD_REQUEST,
    "UNIMPLEMENTED": _BAD_REQUEST,
}

_BY_STATUS: Final[Mapping[int, _Meaning]] = {
    401: _AUTHENTICATION,
    402: _PERMISSION,
    403: _PERMISSION,
    404: _NOT_FOUND,
    408: _TIMEOUT,
    413: _TOO_LARGE,
    422: _BAD_REQUEST,
    429: _RATE,
    499: _TIMEOUT,
    503: _OVERLOADED,
    504: _TIMEOUT,
    529: _OVERLOADED,
}

_KEY_REASONS: Final = frozenset(("API_KEY_INVALID", "API_KEY_EXPIRED", "ACCESS_TOKEN_EXPIRED", "CREDENTIALS_MISSING"))
_KEY: Final = re.compile(
    r"api[ _]key (not valid|not found|expired|was reported)|unregistered callers|without established identity", re.I
)
_TOKENS: Final = re.compile(
    r"token count(?: of)? \(?(\d+)\)? exceeds the maximum number of tokens allowed \(?(\d+)\)?", re.I
)
_OVERFLOWS: Final = re.compile(
    r"token count.{0,40}exceeds|exceeds? the (maximum|model|context)|context (window|length)|prompt is too long", re.I
)
_PAYLOAD: Final = re.compile(r"payload size exceeds|request (is|entity) too large", re.I)
_FIELD: Final = re.compile(r"[a-zA-Z][\w.]{0,60}(\[\d{1,6}\][\w.]{0,60}){0,8}")
_DELAY: Final = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)s")

_UNSUPPORTED: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r"penalty is not enabled", re.I), "frequency_penalty"),
    (
        re.compile(
            r"thinking[ _](level|budget|config)|thinking is not (supported|enabled)|only works in thinking mode", re.I
        ),
        "thinking_level",
    ),
    (re.compile(r"function calling is not (enabled|supported)", re.I), "tools"),
    (re.compile(r"function calling with a response mime type|json mode is not enabled", re.I), "output"),
    (re.compile(r"developer instruction is not enabled", re.I), "system"),
    (re.compile(r"(image|audio|video|document)s? input modality is not enabled|unsupported mime type", re.I), "media"),
)
"""What a model is said not to take, and what that is here."""


class _Said(NamedTuple):
    """What of an error can be gone by."""

    code: int | None
    name: str
    message: str
    reason: str
    delay_s: float | None
    fields: tuple[str, ...]


def stream_failure(provider: str, error: object) -> ProviderError:
    """The error of a chunk inside a stream.

    Args:
        error: What the chunk holds under that name.
    """
    said = _said({"error": error})
    return _made(provider, None, said, {})


def answer_failure(provider: str, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
    """The error of an answer whose status is not 200; see `Wire.failure`."""
    try:
        found = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        found = None
    return _made(provider, status, _said(found), headers)


def _said(found: Any) -> _Said:
    if isinstance(found, list) and found:  # what is said where no events were asked for
        found = found[0]
    outer = found if isinstance(found, Mapping) else {}
    inner = outer.get("error")
    fault = inner if isinstance(inner, Mapping) else {"message": inner}
    details = [item for item in _list(fault.get("details")) if isinstance(item, Mapping)]
    code, message = fault.get("code"), fault.get("message")
    return _Said(
        code=code if isinstance(code, int) and 400 <= code < 600 else None,
        name=_text(fault.get("status")).upper(),
        message=message if isinstance(message, str) else "",
        reason=next((reason for item in details if (reason := _text(item.get("reason")))), ""),
        delay_s=next((delay for item in details if (delay := _seconds(item.get("retryDelay"))) is not None), None),
        fields=tuple(_fields(details)),
    )


def _fields(details: list[Mapping[str, Any]]) -> Iterator[str]:
    """The places in the request that the vendor names."""
    for item in details:
        for violation in _list(item.get("fieldViolations")):
            field = _text(violation.get("field")) if isinstance(violation, Mapping) else ""
            if _FIELD.fullmatch(field):
                yield field


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _seconds(value: object) -> float | None:
    """A `google.protobuf.Duration`, such as `34.07s`."""
    found = _DELAY.fullmatch(_text(value))
    return float(found[1]) if found else None


def _made(provider: str, status: int | None, said: _Said, headers: Mapping[str, str]) -> ProviderError:
    meaning = _meaning(status, said)
    named = [said.reason or said.name] if re.fullmatch("[A-Z][A-Z_]{1,60}", said.reason or said.name) else []
    facts = [*named, *([f"status {status}"] if status else []), *_about(meaning, said)]
    text = f"{meaning.said} ({', '.join(facts)})" if facts else meaning.said
    field = _unsupported(meaning, said)
    error: ProviderError
    if field is not None:
        advice = "the model does not take it; leave it out, or take another model"
        error = UnsupportedError(f"{field}: {advice} ({', '.join(facts)})", field=field, provider=provider)
    else:
        error = meaning.error(text, provider=provider)
    error.status = status or said.code
    error.request_id = headers.get("x-request-id") or headers.get("x-goog-request-id")
    error.retry_after_s = said.delay_s if said.delay_s is not None else _header_s(headers.get("retry-after"))
    return error


def _meaning(status: int | None, said: _Said) -> _Meaning:
    if said.reason in _KEY_REASONS or _KEY.search(said.message):
        return _AUTHENTICATION
    code = status or said.code or 500
    named = None if code == 422 else _BY_NAME.get(said.name)  # what cannot be processed, however it is called
    meaning = named or _BY_STATUS.get(code) or (_INTERNAL if code >= 500 else _BAD_REQUEST)
    if meaning is _BAD_REQUEST and _PAYLOAD.search(said.message):
        return _TOO_LARGE
    return _OVERFLOW if meaning in (_BAD_REQUEST, _INTERNAL) and _OVERFLOWS.search(said.message) else meaning


def _unsupported(meaning: _Meaning, said: _Said) -> str | None:
    if meaning is not _BAD_REQUEST:
        return None
    return next((field for pattern, field in _UNSUPPORTED if pattern.search(said.message)), None)


def _about(meaning: _Meaning, said: _Said) -> list[str]:
    """What the vendor's words are about, without the words."""
    tokens = _TOKENS.search(said.message) if meaning is _OVERFLOW else None
    if tokens:
        return [f"{tokens[1]} tokens of {tokens[2]}"]
    return [f"about {said.fields[0]}"] if said.fields and meaning is _BAD_REQUEST else []


def _header_s(text: str | None) -> float | None:
    """Seconds to wait; dates are the business of whoever has a clock."""
    return float(text) if text is not None and re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text) else None
