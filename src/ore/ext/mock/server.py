"""`MockServer`: a vendor on this machine, which answers from a script and refuses what the vendor would."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Final, Self

from aiohttp import web

from ore.errors import InputError
from ore.ext.mock.asked import Asked
from ore.ext.mock.calls import Calls
from ore.ext.mock.doorkeeper import is_local
from ore.ext.mock.journal import Recorded, without_secrets
from ore.ext.mock.playing import Break, Step, check_script
from ore.ext.mock.vendor import Endpoint, Vendor
from ore.ext.mock.vendors import vendor_of
from ore.ext.providers.script import Failure, Hang, Item, Pause, Script, read_script
from ore.testing.shapes import ShapeError

__all__ = ["MockServer"]

HOST: Final = "127.0.0.1"
"""Loopback, and nothing else: whoever can ask gets the script and sees the journal."""

BODY_BYTES: Final = 32 << 20
"""Anthropic's limit for a request ("Claude API errors", read 2026-11)."""

CUT_S: Final = 0.01
"""Seconds that answers get when the server is closed; 0 would be without end."""


class MockServer:
    """A loopback server that plays a vendor's answers from a script.

    Each answer takes the next list of the script, in the order in which
    requests come; after the last one the answer is an error that says so, or
    the lists begin again where the script says `repeat`. A request that the
    vendor would refuse gets its 400 with what is wrong, and takes no list.

    An error of the script is a status before anything was sent, and an event
    inside a stream; `connection` drops the connection, `protocol` ends the
    answer in the middle. The head of a stream goes out with the first
    artifacts; an empty list of artifacts sends it alone.

        async with MockServer(script_of([TextDelta(content="Hi")])) as server:
            client = AsyncOpenAI(base_url=f"{server.url}/v1", api_key="any")

    Args:
        script: What to answer, or the name of a `scripted:` file.
        vendor: `openai` or `anthropic`, or a vendor of one's own.
        api_key: The only key that is taken; without one any is.
        port: Where it listens; 0 picks a free one.

    Raises:
        InputError: The file cannot be read, or holds what no model says;
            there is no such vendor.

    Attributes:
        requests: What came, in order; those that are running, too.
    """

    def __init__(
        self, script: Script | str, *, vendor: str | Vendor = "openai", api_key: str | None = None, port: int = 0
    ) -> None:
        read = read_script(script) if isinstance(script, str) else script
        check_script(read)
        self._vendor: Vendor = vendor_of(vendor) if isinstance(vendor, str) else vendor
        self._calls = Calls(read)
        self._api_key = api_key
        self._port = port
        self._runner: web.AppRunner | None = None
        self._running = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self.requests: list[Recorded] = []

    @property
    def url(self) -> str:
        """Its address, without a path.

        Raises:
            RuntimeError: It does not listen.
        """
        if self._runner is None:
            raise RuntimeError("the server does not listen yet; enter it, or await its start")
        return f"http://{HOST}:{self._port}"

    async def start(self) -> None:
        """Listen.

        Raises:
            InputError: The port is taken, or may not be used.
        """
        app = web.Application(client_max_size=BODY_BYTES)
        app.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=CUT_S)
        await runner.setup()
        try:
            await web.TCPSite(runner, HOST, self._port).start()
        except (OSError, OverflowError) as error:
            await runner.cleanup()
            raise InputError(f"port {self._port} of {HOST} cannot be listened on: {error}") from None
        self._port = runner.addresses[0][1]
        self._runner = runner

    async def aclose(self) -> None:
        """Stop listening; answers that are running are cut."""
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    async def idle(self) -> None:
        """Wait until no request is running, so that each has its ending."""
        await self._idle.wait()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        if not is_local(headers):
            return web.json_response({"error": "expected a request to this machine by its own name"}, status=403)
        if (request.method, request.path) == ("GET", "/journal"):
            return web.json_response({"requests": [recorded.as_json() for recorded in self.requests]})
        recorded = Recorded(method=request.method, path=request.path, headers=without_secrets(headers))
        self.requests.append(recorded)
        self._running += 1
        self._idle.clear()
        try:
            return await self._recorded(request, headers, recorded)
        except (asyncio.CancelledError, ConnectionError):
            recorded.ending = "left"
            raise
        finally:
            self._running -= 1
            if not self._running:
                self._idle.set()

    async def _recorded(
        self, request: web.Request, headers: Mapping[str, str], recorded: Recorded
    ) -> web.StreamResponse:
        try:
            recorded.content = await request.read()
        except web.HTTPRequestEntityTooLarge:
            failure = Failure("too_large", f"expected a request of at most {BODY_BYTES} bytes, got more")
            response: web.StreamResponse = self._refuse(failure, recorded)
        else:
            response = await self._respond(request, headers, recorded)
        if recorded.ending == "running":
            recorded.ending = "answered"
        return response

    async def _respond(
        self, request: web.Request, headers: Mapping[str, str], recorded: Recorded
    ) -> web.StreamResponse:
        endpoint = self._endpoint(request.path)
        if endpoint is None:
            failure = Failure("not_found", f"no such path: {request.method} {request.path}")
            return self._refuse(failure, recorded)
        if request.method != "POST":
            failure = Failure("bad_request", f"expected POST, got {request.method}")
            return self._refuse(failure, recorded, status=405)
        unfit = self._vendor.unfit(headers, self._api_key)
        if unfit is not None:
            return self._refuse(unfit, recorded)
        try:
            endpoint.check(recorded.content)
        except ShapeError as error:
            recorded.fault = str(error)
            return self._refuse(Failure("bad_request", str(error)), recorded)
        items = self._calls.take()
        asked = Asked(number=self._calls.taken, body=recorded.body)
        play = self._stream if asked.streams else self._whole
        return await play(request, endpoint, items, asked, recorded)

    def _endpoint(self, path: str) -> Endpoint | None:
        return next((endpoint for endpoint in self._vendor.endpoints if path in endpoint.paths), None)

    async def _stream(
        self, request: web.Request, endpoint: Endpoint, items: Sequence[Item], asked: Asked, recorded: Recorded
    ) -> web.StreamResponse:
        response: web.StreamResponse | None = None
        for step in endpoint.stream(items, asked):
            if isinstance(step, Break) and _ends_at_once(step.failure, begun=response is not None):
                return self._fail(request, step.failure, recorded)
            content = await _written(step)
            if response is None and content is not None:
                response = await self._begun(request, recorded)
            if response is not None and content:
                await response.write(content)
        assert response is not None, "an answer has an end"
        await response.write_eof()
        return response

    async def _begun(self, request: web.Request, recorded: Recorded) -> web.StreamResponse:
        response = web.StreamResponse(headers={**self._head(), "Cache-Control": "no-cache"})
        response.content_type, response.charset = "text/event-stream", "utf-8"
        await response.prepare(request)
        recorded.status = response.status
        return response

    async def _whole(
        self, request: web.Request, endpoint: Endpoint, items: Sequence[Item], asked: Asked, recorded: Recorded
    ) -> web.StreamResponse:
        body = json.dumps(endpoint.whole(items, asked), ensure_ascii=False).encode("utf-8", "replace")
        for item in items:
            if isinstance(item, Failure) and item.code != "protocol":
                return self._fail(request, item, recorded)
            if isinstance(item, Failure):
                body = body[: len(body) // 2]
                break
            if isinstance(item, Pause | Hang):
                await _written(item)
        recorded.status = 200
        return web.Response(body=body, headers=self._head(), content_type="application/json")

    def _fail(self, request: web.Request, failure: Failure, recorded: Recorded) -> web.StreamResponse:
        """Drop the connection, or refuse the request."""
        if failure.code != "connection":
            return self._refuse(failure, recorded)
        recorded.ending = "dropped"
        if request.transport is not None:
            request.transport.abort()
        return web.Response()

    def _refuse(self, failure: Failure, recorded: Recorded, status: int | None = None) -> web.Response:
        refusal = self._vendor.refusal(failure, len(self.requests))
        recorded.status = status or refusal.status
        headers = {**self._head(), **refusal.headers}
        body = json.dumps(refusal.body).encode()
        return web.Response(status=recorded.status, body=body, headers=headers, content_type="application/json")

    def _head(self) -> Mapping[str, str]:
        return self._vendor.headers(len(self.requests))


def _ends_at_once(failure: Failure, *, begun: bool) -> bool:
    """Whether nothing is sent of a failure but a status, or not even that."""
    return failure.code == "connection" or (failure.code != "protocol" and not begun)


async def _written(step: Step) -> bytes | None:
    """What a step writes, once its time has come; nothing where an answer is just cut."""
    match step:
        case Pause(seconds=seconds):
            await asyncio.sleep(seconds)
        case Hang():
            await asyncio.Event().wait()
        case Break(failure=failure, event=event):
            return b"" if failure.code == "protocol" else event
        case content:
            return content
    return None
