"""`Gate`: what every request passes before anything else looks at it."""

import asyncio
import logging
import time
from collections.abc import Sequence
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ore.errors import AuthenticationError, LimitError, PermissionDeniedError
from ore.ext.conduits.http.hosts import Hosts
from ore.ext.conduits.http.options import HttpOptions
from ore.ext.conduits.http.problem import Problem, problem_answer
from ore.ext.conduits.http.token import Token
from ore.ext.conduits.http.tracing import traceparent_of

__all__ = ["Gate", "route_of"]

log = logging.getLogger("ore.http.access")

OPEN: Final = ("/", "/chat", "/healthz")
"""Routes without a token: whether the server is well, and the page, which asks for the token itself."""

OPEN_BELOW: Final = "/static/"

METHODS: Final = "GET, POST, PUT, PATCH, DELETE"

EXPOSED: Final = "ETag, Location, Retry-After, Preference-Applied, Ore-Message"

SAFE: Final = (
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
    ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
)
"""Headers of every answer that has none of its own."""


class Gate:
    """Looks at host, origin, token and size, in this order, and lets through what may come.

    Args:
        app: What is behind it.
        options: What is let in.
    """

    def __init__(self, app: ASGIApp, options: HttpOptions) -> None:
        self._app = app
        self._options = options
        self._token = Token(options.token)
        self._hosts = Hosts(options.hosts, options.origins, any_address=options.any_address)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or let through."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = time.perf_counter()
        outgoing = _Outgoing(send, self._always(scope))
        try:
            await self._through(scope, receive, outgoing)
        finally:
            if self._options.access_log:
                spent_ms = (time.perf_counter() - begun) * 1_000
                log.info("%s %r %s %.1f ms", scope["method"], route_of(scope), outgoing.status or "-", spent_ms)

    async def _through(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            headers = Headers(scope=scope)
            self._check_source(headers)
            if _is_preflight(scope, headers):
                await send({"type": "http.response.start", "status": 204, "headers": []})
                await send({"type": "http.response.body"})
                return
            if not self._token.lets(headers) and not _is_open(route_of(scope)):
                raise _unknown()
            body = await self._body(headers, receive)
        except Problem as problem:
            await problem_answer(problem)(scope, receive, send)
            return
        if body is not None:
            await self._app(scope, receive if body == b"" else _Replayed(body, receive), send)

    def _check_source(self, headers: Headers) -> None:
        """Refuse names that this machine was made to have, and pages that have no business here."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._hosts.lets(hosts[0]):
            raise Problem(403, PermissionDeniedError.code, f"Host: expected a name of this server, got {hosts!r:.200}")
        for origin in headers.getlist("origin"):
            if not (self._hosts.is_own(origin, hosts[0]) or self._hosts.is_named(origin)):
                raise Problem(403, PermissionDeniedError.code, f"Origin: expected this server, got {origin[:200]!r}")

    async def _body(self, headers: Headers, receive: Receive) -> bytes | None:
        """All of the request's body, none of which is looked at here; `None` when the client went away.

        Raises:
            Problem: It is too large, or takes too long.
        """
        limit = self._options.limits.body_bytes
        length = headers.get("content-length", "0")
        if length.isascii() and length.isdigit() and int(length) > limit:
            raise _too_large(limit)
        if length == "0" and "transfer-encoding" not in headers:
            return b""
        try:
            async with asyncio.timeout(self._options.limits.body_s):
                return await _read(receive, limit)
        except TimeoutError:
            limit_s = self._options.limits.body_s
            raise Problem(408, LimitError.code, f"body: expected all of it within {limit_s:g} s") from None

    def _always(self, scope: Scope) -> Sequence[tuple[str, str]]:
        """Headers of every answer to a request."""
        found = list(SAFE)
        connection = HTTPConnection(scope)
        trace = traceparent_of(connection)
        if trace is not None:
            found.append(("traceparent", trace))
        origin = connection.headers.get("origin", "")
        if self._options.origins and self._hosts.is_named(origin):
            asked = connection.headers.get("access-control-request-headers", "content-type")
            found += [
                ("access-control-allow-origin", origin),
                ("access-control-allow-methods", METHODS),
                ("access-control-allow-headers", asked),
                ("access-control-expose-headers", EXPOSED),
                ("vary", "Origin"),
            ]
        return found


class _Outgoing:
    """Sends, with headers that the answer has in any case; knows its status."""

    def __init__(self, send: Send, headers: Sequence[tuple[str, str]]) -> None:
        self._send = send
        self._headers = headers
        self.status: int | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(raw=list(message.get("headers", ())))
            for name, value in self._headers:
                headers.setdefault(name, value)
            message = {**message, "headers": headers.raw}
        await self._send(message)


class _Replayed:
    """Gives a body that was read already, then whatever comes."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


async def _read(receive: Receive, limit: int) -> bytes | None:
    pieces: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        pieces.append(message.get("body", b""))
        size += len(pieces[-1])
        if size > limit:
            raise _too_large(limit)
        if not message.get("more_body", False):
            return b"".join(pieces)


def route_of(scope: Scope) -> str:
    """The path below where the application is mounted."""
    path: str = scope["path"]
    root: str = scope.get("root_path", "")
    return path[len(root) :] if root and path.startswith(f"{root}/") else path


def _is_open(route: str) -> bool:
    return route in OPEN or route.startswith(OPEN_BELOW)


def _is_preflight(scope: Scope, headers: Headers) -> bool:
    """Whether a browser asks first; what it asks for was let in by its origin."""
    return scope["method"] == "OPTIONS" and "access-control-request-method" in headers and "origin" in headers


def _unknown() -> Problem:
    return Problem(
        401,
        AuthenticationError.code,
        "expected `Authorization: Bearer TOKEN`, or the cookie that GET /?token=TOKEN sets",
        headers={"WWW-Authenticate": 'Bearer realm="ore"'},
    )


def _too_large(limit: int) -> Problem:
    return Problem(413, LimitError.code, f"body: expected at most {limit} bytes")
