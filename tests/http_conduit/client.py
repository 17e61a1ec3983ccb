"""A client of an ASGI application in the same loop: whole answers, and streams that are read as they come."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Answer", "Client", "Event", "Live"]

HOST = "127.0.0.1:7654"


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def lines(self) -> list[Any]:
        """Its lines of JSON."""
        return [json.loads(line) for line in self.body.splitlines()]


@dataclass(frozen=True)
class Event:
    """One server-sent event."""

    id: str
    kind: str
    data: Any


@dataclass
class Live:
    """An answer that is still coming."""

    status: int
    headers: Mapping[str, str]
    _pieces: "asyncio.Queue[bytes | None]"
    _gone: asyncio.Event
    comments: list[str] = field(default_factory=list)
    _buffer: bytes = b""

    async def piece(self) -> bytes | None:
        """The next piece as it was sent; `None` at the end."""
        return await self._pieces.get()

    async def until(self, mark: bytes) -> bytes | None:
        """What comes before the next mark; `None` at the end."""
        while mark not in self._buffer:
            piece = await self._pieces.get()
            if piece is None:
                return None
            self._buffer += piece
        head, _, self._buffer = self._buffer.partition(mark)
        return head

    async def line(self) -> Any:
        """The next line of JSON; `None` at the end."""
        line = await self.until(b"\n")
        return None if line is None else json.loads(line)

    async def event(self) -> Event | None:
        """The next event; comments are kept aside."""
        while (frame := await self.until(b"\n\n")) is not None:
            fields: dict[str, str] = {}
            for line in frame.decode().split("\n"):
                name, _, value = line.partition(": ")
                if name == "" or line.startswith(":"):
                    self.comments.append(line[2:])
                else:
                    fields[name] = value
            if "data" in fields:
                from http_conduit.checked import check_event

                check_event(data := json.loads(fields["data"]))
                return Event(fields["id"], fields["event"], data)
        return None

    async def events(self, count: int) -> list[Event]:
        """The next events."""
        found = [await self.event() for _ in range(count)]
        return [event for event in found if event is not None]

    async def rest(self) -> list[Event]:
        """All events to the end."""
        found = []
        while (event := await self.event()) is not None:
            found.append(event)
        return found

    def leave(self) -> None:
        """Close the connection."""
        self._gone.set()


Check = Callable[[str, str, Answer], None]


class Client:
    """Calls an application.

    Args:
        app: The application.
        headers: Of every request.
        check: Looks at every whole answer: method, path, answer.
        root_path: Where the application is mounted.
    """

    def __init__(
        self, app: Any, headers: Mapping[str, str] | None = None, check: Check | None = None, root_path: str = ""
    ) -> None:
        self.app = app
        self.headers = dict(headers or {})
        self._check = check
        self._root = root_path

    async def call(
        self, method: str, path: str, json: Any = None, *, body: bytes | None = None, headers: Any = None
    ) -> Answer:
        """A request, and all of its answer."""
        async with self.open(method, path, json, body=body, headers=headers) as live:
            pieces = []
            while (piece := await live.piece()) is not None:
                pieces.append(piece)
        answer = Answer(live.status, live.headers, b"".join(pieces))
        if self._check is not None:
            self._check(method, path, answer)
        return answer

    async def get(self, path: str, **more: Any) -> Answer:
        return await self.call("GET", path, **more)

    async def post(self, path: str, json: Any = None, **more: Any) -> Answer:
        return await self.call("POST", path, json, **more)

    async def delete(self, path: str, **more: Any) -> Answer:
        return await self.call("DELETE", path, **more)

    @asynccontextmanager
    async def open(
        self, method: str, path: str, json: Any = None, *, body: bytes | None = None, headers: Any = None
    ) -> AsyncIterator[Live]:
        """A request whose answer is read as it comes; leaving the block closes the connection."""
        raw = _body(json, body)
        pieces: asyncio.Queue[bytes | None] = asyncio.Queue()
        started: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        gone = asyncio.Event()
        left = [raw]

        async def receive() -> dict[str, Any]:
            if left:
                return {"type": "http.request", "body": left.pop(), "more_body": False}
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                started.set_result(message)
            elif not gone.is_set():
                pieces.put_nowait(message.get("body", b""))
                if not message.get("more_body", False):
                    pieces.put_nowait(None)

        scope = self._scope(method, path, raw, json is not None, headers or {})
        task = asyncio.create_task(self.app(scope, receive, send))
        try:
            await asyncio.wait((task, started), return_when=asyncio.FIRST_COMPLETED)
            if not started.done():
                task.result()
            start = started.result()
            names = {name.decode(): value.decode() for name, value in start["headers"]}
            yield Live(start["status"], names, pieces, gone)
        finally:
            gone.set()
            try:
                await task
            finally:
                started.cancel()

    def _scope(self, method: str, path: str, raw: bytes, is_json: bool, more: Mapping[str, str]) -> dict[str, Any]:
        headers = {"host": HOST, **self.headers, **{name.lower(): value for name, value in more.items()}}
        if raw and "transfer-encoding" not in headers:
            headers.setdefault("content-length", str(len(raw)))
        if is_json:
            headers.setdefault("content-type", "application/json")
        name, _, query = path.partition("?")
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": self._root + _unquoted(name),
            "raw_path": (self._root + name).encode(),
            "root_path": self._root,
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", 7654),
            "state": {},
        }


def _body(value: Any, raw: bytes | None) -> bytes:
    if raw is not None:
        return raw
    return b"" if value is None else json.dumps(value).encode()


def _unquoted(path: str) -> str:
    from urllib.parse import unquote

    return unquote(path)


def kinds_of(lines: Sequence[Any]) -> list[str]:
    """The kinds of events, in order."""
    return [line["kind"] for line in lines]
