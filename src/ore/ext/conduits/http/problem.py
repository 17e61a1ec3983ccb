"""`Problem`: what went wrong, as `application/problem+json` (RFC 9457) with ore's codes."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

import msgspec
from starlette.responses import Response

from ore.artifact import to_json
from ore.errors import (
    ConflictError,
    CorruptError,
    ErrorInfo,
    FencedError,
    InputError,
    LimitError,
    NotFoundError,
    OreError,
    SessionClosedError,
    SessionOwnedError,
    UnsupportedError,
    describe,
)

__all__ = ["Problem", "draining", "problem_answer", "problem_of"]

MEDIA_TYPE: Final = "application/problem+json"

RETRY_S: Final = 1
"""Seconds that `Retry-After` names where nothing else is known."""

_STATUSES: Final[tuple[tuple[type[OreError], int], ...]] = (
    (NotFoundError, 404),
    (ConflictError, 409),
    (SessionOwnedError, 409),
    (SessionClosedError, 409),
    (FencedError, 409),
    (InputError, 422),
    (UnsupportedError, 422),
    (CorruptError, 500),
)
"""The status of each error that a request may meet; 500 for all others."""


class Problem(Exception):
    """A request that gets no other answer than this.

    Args:
        status: Of the answer.
        code: One of ore's.
        detail: What was expected, and what came.
        headers: Of the answer.
        retryable: Whether the same request may succeed later.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        headers: Mapping[str, str] | None = None,
        retryable: bool = False,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.info = ErrorInfo(code=code, message=detail, retryable=retryable)
        self.headers = dict(headers or {})


def draining() -> Problem:
    """Nothing new is taken in any more, because the process stops."""
    return Problem(
        503,
        SessionClosedError.code,
        "the server stops; try again once it is back",
        headers={"Retry-After": "5"},
        retryable=True,
    )


def problem_of(error: OreError) -> Problem:
    """An error of ore's as the answer to a request."""
    info = describe(error)
    problem = Problem(_status(error), info.code, info.message)
    problem.info = info
    if problem.status == 429:
        problem.headers["Retry-After"] = str(RETRY_S)
    return problem


def problem_answer(problem: Problem) -> Response:
    """The answer, with the error object's own fields beside those of the standard."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "detail": problem.info.message,
    }
    fields = body | msgspec.to_builtins(problem.info)
    return Response(to_json(fields), problem.status, headers=problem.headers, media_type=MEDIA_TYPE)


def _status(error: OreError) -> int:
    if isinstance(error, LimitError):
        return 429 if error.retryable else 413
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)
