"""What went wrong, as ore's errors: of an answer whose status is not 200, and inside a stream."""

import re
from collections.abc import Mapping
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
from ore.ext.wires.blame import blames_request, refused_media

__all__ = ["answer_failure", "stream_failure"]


class _Meaning(NamedTuple):
    """What a type of error is here, and what may help."""

    error: type[ProviderError]
    said: str


_AUTHENTICATION: Final = _Meaning(
    AuthenticationError, "the key was not accepted; is it set, whole, and one of this vendor?"
)
_PERMISSION: Final = _Meaning(
    PermissionDeniedError, "the key may not do this; look at what its workspace is allowed, or take another model"
)
_BILLING: Final = _Meaning(
    PermissionDeniedError, "the account cannot pay for it; look at its credit and its limit of spending"
)
_NOT_FOUND: Final = _Meaning(
    ModelNotFoundError, "no such model, or no such address; are the model's name and the base URL right?"
)
_TOO_LARGE: Final = _Meaning(
    ContextOverflowError,
    "the request is larger than the vendor takes (32 MB); leave out files and images, or begin anew",
)
_OVERFLOW: Final = _Meaning(
    ContextOverflowError, "the conversation does not fit the model's window; shorten it, or allow a shorter answer"
)
_RATE: Final = _Meaning(RateLimitError, "too many requests or tokens for the account; wait, or ask for a higher limit")
_OVERLOADED: Final = _Meaning(OverloadedError, "the vendor has no capacity right now; wait, or take another model")
_INTERNAL: Final = _Meaning(
    OverloadedError, "the vendor failed inside; ask again, and look at its status page if it stays"
)
_TIMEOUT: Final = _Meaning(ProviderTimeoutError, "the vendor gave up waiting; ask again, or for a shorter answer")
_BAD_REQUEST: Final = _Meaning(
    BadRequestError,
    "the vendor did not accept the request as it was built; `ore run --capture FILE` writes down what was sent",
)

_BY_TYPE: Final[Mapping[str, _Meaning]] = {
    "authentication_error": _AUTHENTICATION,
    "permission_error": _PERMISSION,
    "billing_error": _BILLING,
    "not_found_error": _NOT_FOUND,
    "request_too_large": _TOO_LARGE,
    "exceed_context_size_error": _OVERFLOW,  # llama.cpp
    "rate_limit_error": _RATE,
    "overloaded_error": _OVERLOADED,
    "api_error": _INTERNAL,
    "timeout_error": _TIMEOUT,
    "invalid_request_error": _BAD_REQUEST,
}
"""By "Claude API errors" of the vendor's documentation (read 2026-11)."""

_BY_STATUS: Final[Mapping[int, _Meaning]] = {
    401: _AUTHENTICATION,
    402: _BILLING,
    403: _PERMISSION,
    404: _NOT_FOUND,
    408: _TIMEOUT,
    413: _TOO_LARGE,
    429: _RATE,
    504: _TIMEOUT,
    529: _OVERLOADED,
}

_OVERFLOWS: Final = re.compile(
    r"prompt is too long|exceeds? (?:the |its )?(?:model's |available )?context|context (?:window|length|limit)", re.I
)
_CREDIT: Final = re.compile(r"credit balance|usage limits|spend(?:ing)? limit", re.I)
_PLACE: Final = re.compile(
    r"((?:messages|tools|system|thinking|output_config|tool_choice)(?:\.(?:\d{1,6}|[a-z_]{1,40})){0,8}"
    r"|max_tokens|model|stop_sequences|temperature|top_[pk])\s*:"
)
_NUMBERS: Final = re.compile(r"prompt is too long: (\d+) tokens > (\d+) maximum")


class _Said(NamedTuple):
    """What of an error can be gone by."""

    type: str
    message: str
    request_id: str | None


def stream_failure(provider: str, error: object) -> ProviderError:
    """The error of an `error` event inside a stream.

    Args:
        error: What the event holds under that name.
    """
    return _made(provider, None, _said({"error": error}), {})


def answer_failure(provider: str, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
    """The error of an answer whose status is not 200; see `Wire.failure`.

    Its words are ore's own, since a server may repeat what was sent: of the
    vendor's it has the type, the place in the request and the numbers.
    """
    try:
        found = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        found = None
    return _made(provider, status, _said(found), headers)


def _said(found: Any) -> _Said:
    outer = found if isinstance(found, Mapping) else {}
    inner = outer.get("error")
    fault = inner if isinstance(inner, Mapping) else {"message": inner}
    request_id = outer.get("request_id")
    return _Said(
        type=_text(fault.get("type")),
        message=_text(fault.get("message")),
        request_id=_text(request_id) or None,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _made(provider: str, status: int | None, said: _Said, headers: Mapping[str, str]) -> ProviderError:
    media = refused_media(said.message) if status in _WITHOUT_MEDIA else None
    meaning = _meaning(status, said)
    known = said.type if said.type in _BY_TYPE else ""
    facts = [fact for fact in (known, f"status {status}" if status else "", _place(meaning, said.message)) if fact]
    told = f" ({', '.join(facts)})" if facts else ""
    error: ProviderError
    if media is not None:
        words = f"the model takes no {media}; leave it out, or use another model{told}"
        error = UnsupportedError(words, field=media, provider=provider)
    else:
        error = meaning.error(f"{meaning.said}{told}", provider=provider)
    error.status = status
    error.request_id = headers.get("request-id") or headers.get("x-request-id") or said.request_id
    error.retry_after_s = _seconds(headers.get("retry-after"))
    return error


_WITHOUT_MEDIA: Final = (None, 400, 404, 415, 422, 500, 501)
"""Statuses with which servers say that the model takes no pictures and the like."""


def _meaning(status: int | None, said: _Said) -> _Meaning:
    meaning = _BAD_REQUEST if blames_request(status, said.message) else _BY_TYPE.get(said.type)
    if meaning is None or (meaning in (_INTERNAL, _BAD_REQUEST) and status in _BY_STATUS):
        meaning = _BY_STATUS.get(status or 0) or (_INTERNAL if status is None or status >= 500 else _BAD_REQUEST)
    if meaning is _BAD_REQUEST and _OVERFLOWS.search(said.message):
        return _OVERFLOW
    return _BILLING if meaning in (_BAD_REQUEST, _PERMISSION) and _CREDIT.search(said.message) else meaning


def _place(meaning: _Meaning, message: str) -> str:
    """What the vendor's words are about, without the words."""
    numbers = _NUMBERS.search(message)
    if numbers:
        return f"{numbers[1]} tokens of {numbers[2]}"
    place = _PLACE.match(message) if meaning is _BAD_REQUEST else None
    return f"about {place[1]}" if place else ""


def _seconds(text: str | None) -> float | None:
    """Seconds to wait; dates are the business of whoever has a clock."""
    return float(text) if text is not None and re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text) else None
