"""`Operation`: one route, as it is served and as it is described."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp

from ore.ext.conduits.http.front import Front

__all__ = ["EVENTS", "JSON", "LINES", "Answer", "Handler", "Operation", "Query"]

Handler = Callable[[Front, Request], Awaitable[ASGIApp]]
"""Answers a request, or raises what becomes a problem."""

JSON = "application/json"
LINES = "application/x-ndjson"
EVENTS = "text/event-stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A value of a query.

    Attributes:
        name: Its name.
        about: What it does.
        schema: What it has to be.
    """

    name: str
    about: str
    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "string"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer that is no problem.

    Attributes:
        about: When it comes.
        schema: The name of what it holds; `None` when it holds nothing.
        media_type: Of what it holds.
    """

    about: str
    schema: str | None = None
    media_type: str = JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one path.

    Attributes:
        method: Of HTTP.
        path: With its parameters in braces; `:path` behind one that may hold slashes.
        handle: Answers.
        summary: What it does for whoever asks.
        answers: By status.
        problems: Statuses of the problems that this route itself has; those of
            every request are not repeated here.
        body: The name of what the request's body has to be.
        needs_body: Whether it may not be left out.
        query: Values of the query.
        headers: Values of request headers that it looks at, each with what it does.
    """

    method: str
    path: str
    handle: Handler
    summary: str
    answers: Mapping[int, Answer]
    problems: Sequence[int] = ()
    body: str | None = None
    needs_body: bool = True
    query: Sequence[Query] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
