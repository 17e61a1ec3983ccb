"""What went wrong, as ore's errors: of an answer whose status is not 200, and inside a stream.

Statuses by "Errors" of Ollama's documentation, sentences by what its server
answers (read 2026-11). They may hold names and paths of the server's machine,
so of them only numbers are shown.
"""

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

__all__ = ["answer_failure", "stream_failure"]


class _Meaning(NamedTuple):
    """What a status or a sentence is here, and what may help."""

    error: type[ProviderError]
    said: str


_OVERFLOW: Final = _Meaning(
    ContextOverflowError, "the conversation does not fit the model's window; shorten it, or ask for a larger window"
)
_NOT_FOUND: Final = _Meaning(
    ModelNotFoundError, "the server does not have this model; look at `ollama list`, and fetch it with `ollama pull`"
)
_INTERNAL: Final = _Meaning(OverloadedError, "the server failed inside; ask again, and look at its log if it stays")
_MEMORY: Final = _Meaning(
    OverloadedError, "the server's machine has too little memory for this model; free some, or take a smaller one"
)
_BAD_REQUEST: Final = _Meaning(BadRequestError, "the server did not accept the request as it was built")

_BY_STATUS: Final[Mapping[int, _Meaning]] = {
    401: _Meaning(AuthenticationError, "the server wants a key; sign in to it, or set one"),
    402: _Meaning(PermissionDeniedError, "the account cannot pay for it; look at its plan"),
    403: _Meaning(PermissionDeniedError, "the server may not do this; look at what its account is allowed"),
    404: _NOT_FOUND,
    408: _Meaning(ProviderTimeoutError, "the server gave up waiting; ask again, or for a shorter answer"),
    413: _OVERFLOW,
    429: _Meaning(RateLimitError, "too many requests; wait, or ask for less at once"),
    503: _Meaning(OverloadedError, "the server is busy; wait, or let it do more at once"),
    504: _Meaning(ProviderTimeoutError, "the server gave up waiting; ask again, or for a shorter answer"),
}

_SENTENCES: Final[tuple[tuple[re.Pattern[str], _Meaning], ...]] = (
    (
        re.compile(
            r"exceed\w* (the )?(max\w* |available )?context|context (length|window|limit)|prompt too long", re.I
        ),
        _OVERFLOW,
    ),
    (re.compile(r"model .{0,200}not found|no such model", re.I), _NOT_FOUND),
    (re.compile(r"requires more (system )?memory|out of memory|insufficient memory", re.I), _MEMORY),
)

_UNSUPPORTED: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r"does not support thinking|think value .{0,80}is not supported", re.I), "thinking_level"),
    (re.compile(r"does not support tools", re.I), "tools"),
    (re.compile(r"does not support (image|vision)|missing data required for image input", re.I), "image"),
)
"""What a model is said not to take, and what that is here."""

_NUMBERS: Final = re.compile(r"by (\d{1,9}) tokens")


def stream_failure(provider: str, error: object) -> ProviderError:
    """The error of a line inside a stream.

    Args:
        error: What the line holds under that name.
    """
    return _made(provider, None, _message({"error": error}))


def answer_failure(provider: str, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
    """The error of an answer whose status is not 200; see `Wire.failure`."""
    try:
        found = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        found = None
    error = _made(provider, status, _message(found))
    waits = headers.get("retry-after")
    if waits is not None and re.fullmatch(r"\d{1,9}(\.\d{1,9})?", waits):  # dates are for whoever has a clock
        error.retry_after_s = float(waits)
    return error


def _message(found: Any) -> str:
    """The server's sentence; other servers that speak like it put it into an object."""
    said = found.get("error") if isinstance(found, Mapping) else None
    if isinstance(said, Mapping):
        said = said.get("message")
    return said if isinstance(said, str) else ""


def _made(provider: str, status: int | None, message: str) -> ProviderError:
    facts = f" (status {status})" if status is not None else ""
    field = next((field for pattern, field in _UNSUPPORTED if pattern.search(message)), None)
    error: ProviderError
    if field is not None and status in (None, 400, 500):
        error = UnsupportedError(
            f"the model cannot take {field}{facts}; leave it out, or take another model", field=field, provider=provider
        )
    else:
        meaning = _meaning(status, message)
        numbers = _NUMBERS.search(message) if meaning is _OVERFLOW else None
        told = f" ({numbers[1]} tokens too many)" if numbers else ""
        error = meaning.error(f"{meaning.said}{told}{facts}", provider=provider)
    error.status = status
    return error


def _meaning(status: int | None, message: str) -> _Meaning:
    if status in (None, 400, 404, 500):
        found = next((meaning for pattern, meaning in _SENTENCES if pattern.search(message)), None)
        if found is not None:
            return found
    if status is None:
        return _INTERNAL
    return _BY_STATUS.get(status) or (_INTERNAL if status >= 500 else _BAD_REQUEST)
