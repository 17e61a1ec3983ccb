"""`HttpClient`: the SDK's HTTP client, which says what went wrong instead of failing all that runs."""

import logging
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

import httpx2
import msgspec
from mcp.types import CONNECTION_CLOSED

from ore.ext.tools.mcp.settings import Http, McpOptions

__all__ = ["Failure", "HttpClient", "failure_of"]

log = logging.getLogger(__name__)

CONNECT_S: Final = 10.0
"""10 s to connect, as for models; a call's own limit counts for its answer."""

SESSION: Final = "mcp-session-id"


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """How a request failed below the protocol.

    Attributes:
        unsent: Whether the server surely did nothing, so that asking again does no harm.
        status: The HTTP status; `None` when none came.
    """

    unsent: bool
    status: int | None = None


class HttpClient(httpx2.AsyncClient):
    """Answers requests that fail below the protocol with an error of the protocol.

    In the SDK a request whose connection fails takes all others of the server
    with it, and one with an error status comes back without that status.

    Args:
        where: The server.
        options: How it is treated.
        on_lost: Told why, when nobody waits for an answer that would say it.
    """

    def __init__(self, where: Http, options: McpOptions, on_lost: Callable[[str], None]) -> None:
        headers = dict(where.headers)
        if where.token:
            headers = {name: value for name, value in headers.items() if name.lower() != "authorization"}
            headers["Authorization"] = f"Bearer {where.token}"
        super().__init__(headers=headers, auth=where.auth, timeout=httpx2.Timeout(None, connect=CONNECT_S))
        self._on_lost = on_lost
        self._close_s = options.close_s
        self._message_bytes = options.message_bytes
        self._is_sse = where.protocol == "sse"

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request; a message that fails is answered with an error, which goes to whoever sent it."""
        if request.method == "DELETE":
            request.extensions["timeout"] = httpx2.Timeout(self._close_s).as_dict()
        try:
            response = await super().send(request, **options)
        except httpx2.TransportError as error:
            return self._failed(request, error)
        if response.status_code >= 400:
            return await self._refused(request, response)
        if _kind(response).startswith("text/event-stream"):
            response.stream = _Events(response.stream, self._ended if self._is_sse else None)
        else:
            response.stream = _Bounded(response.stream, self._message_bytes)
        return response

    def _failed(self, request: httpx2.Request, error: httpx2.TransportError) -> httpx2.Response:
        unsent = isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout)
        text = f"cannot be reached ({_words(error)})" if unsent else f"broke the connection ({_words(error)})"
        if request.method == "DELETE":
            return _gone(request)
        if request.method == "GET":
            if unsent:
                self._on_lost(text)
            raise error
        return self._answer(request, 503, text, Failure(unsent=unsent))

    async def _refused(self, request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
        if request.method == "DELETE":
            await response.aclose()
            return _gone(request)
        status = response.status_code
        forgotten = status == 404 and SESSION in request.headers
        if request.method == "GET" and forgotten and "last-event-id" in request.headers:
            self._on_lost("does not know this session any more")
        if request.method != "POST" or (_kind(response).startswith("application/json") and not forgotten):
            return response
        await response.aclose()
        text = f"answered with HTTP status {status} {response.reason_phrase}".rstrip()
        return self._answer(request, status, text, Failure(unsent=forgotten, status=status))

    def _ended(self) -> None:
        self._on_lost("closed the connection")

    def _answer(self, request: httpx2.Request, status: int, text: str, failure: Failure) -> httpx2.Response:
        if self._is_sse:  # there answers come on another stream, so this one would reach nobody
            self._on_lost(text)
            return httpx2.Response(202, request=request)
        error = {"code": CONNECTION_CLOSED, "message": text, "data": {"ore": msgspec.to_builtins(failure)}}
        return httpx2.Response(status, json={"jsonrpc": "2.0", "id": None, "error": error}, request=request)


def failure_of(data: Any) -> Failure | None:
    """What an error carries of a failure that was answered here."""
    if not isinstance(data, dict) or "ore" not in data:
        return None
    try:
        return msgspec.convert(data["ore"], Failure)
    except msgspec.ValidationError:
        return None


def _gone(request: httpx2.Request) -> httpx2.Response:
    """Leave was taken: of a server that is gone, or forgot the session, it need not be."""
    return httpx2.Response(204, request=request)


def _kind(response: httpx2.Response) -> str:
    kind: str = response.headers.get("content-type", "")
    return kind.lower()


class _Events(httpx2.AsyncByteStream):
    """A stream of events that ends when its connection does, instead of failing."""

    def __init__(self, stream: Any, on_end: Callable[[], None] | None) -> None:
        self._stream = stream
        self._on_end = on_end

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for part in self._stream:
                yield part
        except httpx2.TransportError as error:
            log.debug("a stream of events ended: %s", type(error).__name__)
        if self._on_end is not None:
            self._on_end()

    async def aclose(self) -> None:
        await self._stream.aclose()


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__


class _Bounded(httpx2.AsyncByteStream):
    """A body that fails when it is longer than a message may be."""

    def __init__(self, stream: Any, limit: int) -> None:
        self._stream = stream
        self._left = limit
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            self._left -= len(part)
            if self._left < 0:
                raise httpx2.StreamError(f"expected a message of at most {self._limit:,} bytes, got more")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()
