"""`http_app`: the sessions of a manager as an ASGI application."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from ore.errors import InputError, NotFoundError, OreError
from ore.event import provenance
from ore.ext.conduits.http.front import Front
from ore.ext.conduits.http.gate import Gate
from ore.ext.conduits.http.operation import Handler, Operation
from ore.ext.conduits.http.operations import OPERATIONS
from ore.ext.conduits.http.options import HttpOptions
from ore.ext.conduits.http.page import page_routes
from ore.ext.conduits.http.problem import Problem, problem_answer, problem_of
from ore.ext.conduits.http.service import SERVICE
from ore.ext.conduits.http.tracing import traceparent_of
from ore.session import Manager

__all__ = ["app_of", "http_app"]

log = logging.getLogger("ore.http")

PROVENANCE: Final = "http"
"""Where messages came through that come from here."""

_READING: Final = ("GET", "HEAD")


def http_app(sessions: Manager, options: HttpOptions | None = None) -> ASGIApp:
    """The sessions over HTTP, as an application of its own or mounted in another one.

    Whoever makes the manager closes it. Without a token it answers whoever
    reaches it under a name of loopback.

    Args:
        sessions: The sessions.
        options: What is let in.
    """
    return app_of(Front(sessions, options or HttpOptions()))


def app_of(front: Front) -> ASGIApp:
    """The application of a front that somebody else holds too."""
    app = Starlette(
        routes=[*_routes(front, (*OPERATIONS, *SERVICE)), *page_routes(front.options)],
        exception_handlers={
            Problem: _problem,
            OreError: _error,
            HTTPException: _http_error,
            Exception: _failure,
        },
    )
    app.router.redirect_slashes = False
    return Gate(app, front.options)


def _routes(front: Front, operations: Sequence[Operation]) -> Sequence[BaseRoute]:
    """One route for each path, so that a wrong method is told which ones there are."""
    paths: dict[str, dict[str, Handler]] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method] = operation.handle
    return [Route(path, _endpoint(front, path, handlers), methods=[*handlers]) for path, handlers in paths.items()]


def _endpoint(front: Front, path: str, handlers: Mapping[str, Handler]) -> Callable[[Request], Awaitable[ASGIApp]]:
    async def endpoint(request: Request) -> ASGIApp:
        if request.method not in _READING:
            front.check_writing()
        handle = handlers.get(request.method, handlers.get("GET", _no_method))
        with provenance(PROVENANCE, traceparent=traceparent_of(request)), _span(front, request.method, path):
            return await handle(front, request)

    return endpoint


def _span(front: Front, method: str, path: str) -> AbstractContextManager[object]:
    """A span of the request up to its answer; a stream goes on without it."""
    tracer = front.sessions.tracer
    if tracer is None:
        return nullcontext()
    return tracer.span(f"{method} {path}", **{"http.request.method": method, "http.route": path})


async def _no_method(front: Front, request: Request) -> ASGIApp:
    raise HTTPException(405)


async def _problem(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, Problem)
    return problem_answer(problem)


async def _error(request: Request, error: Exception) -> Response:
    assert isinstance(error, OreError)
    problem = problem_of(error)
    if problem.status >= 500:
        log.error("%s %s failed", request.method, request.scope["path"], exc_info=error)
    return problem_answer(problem)


async def _http_error(request: Request, error: Exception) -> Response:
    """What the router says itself."""
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        problem = Problem(404, NotFoundError.code, "no such route")
    elif error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "")
        problem = Problem(405, InputError.code, f"method: expected one of {allowed}, got {request.method!r}")
    else:
        problem = Problem(error.status_code, InputError.code, error.detail)
    problem.headers.update(error.headers or {})
    return problem_answer(problem)


async def _failure(request: Request, error: Exception) -> Response:
    """A fault of the program: the log has it, the answer does not."""
    return problem_answer(Problem(500, OreError.code, "the server failed; its log says why"))
