"""`RemoteLink`: a session that lives behind `ore serve`."""

import asyncio
import os
import random
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final
from urllib.parse import quote, urlsplit

import aiohttp
import msgspec

from ore.artifact import CODEC, Artifact, Codec, encode, to_json
from ore.errors import InputError, OreError, ProtocolError
from ore.event import Answer, Entry, EventContext, Gap, Mode, Snapshot
from ore.ext.conduits.terminal.link import CommandLine, Lines
from ore.ext.conduits.terminal.local_link import HINTS
from ore.ext.conduits.terminal.remote_events import decode_entry, decode_snapshot
from ore.ext.wires.sse import SseReader
from ore.ledger import Page, Summary, check_id

__all__ = ["RemoteLink"]

_FIRST_PAUSE_S: Final = 0.3
_LONGEST_PAUSE_S: Final = 8.0
_SILENCE_S: Final = 45.0
"""Three of the server's heartbeats: whoever says nothing for that long is gone."""

_TRIES: Final = 6
"""How often a message is sent under its id before that is told as a failure."""

_ELSEWHERE: Final = (301, 302, 307, 308, 404, 405, 501)
"""What other servers answer to a request that `ore serve` knows."""

_FINAL: Final = {401: "not let in: the token is missing or wrong", 404: "the session is gone", 409: "owned elsewhere"}


class _RefusedError(OreError):
    """The server said no."""

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status


class _LostError(OreError):
    """The server was not reached."""


class RemoteLink:
    """Follows sessions of a running `ore serve`.

    A line that is lost is taken up again where it was; a message is sent again
    under its id until the server has it, so that it is one message.

    Args:
        url: Where the server is, such as `http://127.0.0.1:7654`.
        token: What it asks for.
        codec: Knows kinds of artifacts beside the built-in ones.

    Raises:
        InputError: The address is none.
    """

    def __init__(self, url: str, *, token: str | None = None, codec: Codec = CODEC) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"connect: expected an address such as http://127.0.0.1:7654, got {url!r}")
        self._url = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._codec = codec
        self._client: aiohttp.ClientSession | None = None
        self._id: str | None = None
        self._cursor = ""

    @property
    def session_id(self) -> str:
        """The session that is followed."""
        if self._id is None:
            raise RuntimeError("expected a session; open one first")
        return self._id

    @property
    def model(self) -> str | None:
        """Only the server knows."""
        return None

    async def open(self, session_id: str | None) -> Snapshot:
        """Follow a session, made when there is none; a new one without an id.

        Raises:
            InputError: Nothing may have that id, the token is missing or wrong,
                or the address is not one of `ore serve`.
            OreError: The server was not reached, or said no.
        """
        if session_id is not None:
            check_id(session_id)
        body = {} if session_id is None else {"thread_id": session_id, "create": True}
        try:
            opened = await self._json("POST", "sessions", body)
        except _RefusedError as error:
            if error.status == 401:
                raise InputError(f"{self._url}: {_FINAL[401]}; --token or ORE_TOKEN says it") from None
            if error.status in _ELSEWHERE:
                raise InputError(f"{self._url}: {error}; is it the address of an `ore serve`?") from None
            raise
        self._id = str(opened["id"])
        return await self.snapshot()

    async def events(self, lines: Lines) -> AsyncGenerator[Sequence[Entry], None]:
        """What happens, from the last snapshot on; a line that is lost is taken up again."""
        session, pause_s, stale = self.session_id, _FIRST_PAUSE_S, False
        while session == self._id:
            try:
                if stale:
                    yield [await self._gap()]
                    stale = False
                async with self._stream(session) as response:
                    lines.line("live")
                    pause_s = _FIRST_PAUSE_S
                    reader = SseReader("ore serve")
                    async for block in response.content.iter_any():
                        entries = [self._entry(data) for _, data in reader.feed(block)]
                        if entries:
                            yield entries
            except _RefusedError as error:
                if error.status in _FINAL:
                    lines.line(_FINAL[error.status])
                    return
                stale = error.status == 400  # a cursor that the server does not know any more
            except (_LostError, ProtocolError, aiohttp.ClientError, TimeoutError, OSError):
                pass
            lines.line("reconnecting")
            await asyncio.sleep(pause_s * (0.75 + random.random() / 2))
            pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)

    async def snapshot(self) -> Snapshot:
        """The state as it stands now; events go on from it."""
        snapshot = decode_snapshot(await self._call("GET", self._at("snapshot")), self._codec)
        self._cursor = self._cursor if _is_later(self._cursor, snapshot.id) else snapshot.id
        return snapshot

    async def send(self, content: Sequence[Artifact], *, id: str, mode: Mode = "queue") -> None:
        """Send a message, again under its id where nobody knows whether it arrived."""
        raw = [msgspec.Raw(encode(artifact)) for artifact in content]
        body = {"content": raw, "id": id, "mode": mode}
        for attempt in range(_TRIES):
            try:
                await self._call("POST", self._at("messages"), body, {"Prefer": "respond-async"})
                return
            except _LostError:
                if attempt == _TRIES - 1:
                    raise
                await asyncio.sleep(min(_FIRST_PAUSE_S * 2**attempt, _LONGEST_PAUSE_S))

    async def interrupt(self) -> None:
        """Stop what runs."""
        await self._call("POST", self._at("interrupt"), {"clear": False})

    async def withdraw(self, message_id: str) -> bool:
        """Take a message back."""
        try:
            await self._call("DELETE", self._at("messages", message_id))
        except _RefusedError as error:
            if error.status in (404, 409):
                return False
            raise
        return True

    async def stop(self, activity_id: str) -> None:
        """Stop one call."""
        await self._call("DELETE", self._at("activities", activity_id))

    async def answer(self, answer: Answer) -> None:
        """Answer a question."""
        body: dict[str, Any] = {"answer": answer.answer} if answer.decision is None else {"decision": answer.decision}
        if answer.reason is not None:
            body["reason"] = answer.reason
        if answer.arguments is not None:
            body["arguments"] = answer.arguments
        await self._call("POST", self._at("questions", answer.key), body)

    async def move(self, turn_id: str | None) -> None:
        """Go on from another turn."""
        await self._call("PUT", self._at("tip"), {"turn": turn_id})

    async def fork(self, turn_id: str | None) -> str:
        """A new session with the path up to a turn."""
        answer = await self._json("POST", self._at("fork"), {} if turn_id is None else {"at": turn_id})
        return str(answer["id"])

    async def threads(self, query: str, cursor: str | None = None) -> Page:
        """Stored sessions."""
        words = f"threads?q={quote(query, safe='')}" + (f"&cursor={quote(cursor, safe='')}" if cursor else "")
        answer = await self._json("GET", words)
        return Page(
            threads=msgspec.convert(answer["threads"], list[Summary], strict=False),
            next_cursor=answer.get("next_cursor"),
        )

    async def describe(self, session_id: str, facts: Mapping[str, str | None]) -> None:
        """Change facts of a session."""
        await self._call("PATCH", f"sessions/{quote(session_id, safe='')}/metadata", dict(facts))

    async def delete(self, session_id: str) -> None:
        """Remove a session for good."""
        await self._call("DELETE", f"threads/{quote(session_id, safe='')}")

    async def commands(self) -> Sequence[CommandLine]:
        """The slash commands that the server knows."""
        found = (await self._json("GET", "commands"))["commands"]
        return [
            CommandLine(name=one["name"], description=one["description"], hint=HINTS.get(one["name"], ""))
            for one in found
        ]

    async def aclose(self) -> None:
        """Follow nothing any more."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _at(self, *parts: str) -> str:
        return "/".join(["sessions", *(quote(part, safe="") for part in (self.session_id, *parts))])

    def _entry(self, data: bytes) -> Entry:
        entry = decode_entry(data, self._codec)
        self._cursor = entry.id
        return entry

    async def _gap(self) -> Entry:
        self._cursor = ""
        snapshot = await self.snapshot()
        epoch, _, number = snapshot.id.partition("-")
        return Entry(int(epoch or 0), int(number or 0), "gap", EventContext(), Gap(snapshot=snapshot))

    @asynccontextmanager
    async def _stream(self, session: str) -> AsyncGenerator[aiohttp.ClientResponse, None]:
        headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": self._cursor} if self._cursor else {})
        path = f"sessions/{quote(session, safe='')}/events?kinds=*"
        limits = aiohttp.ClientTimeout(total=None, sock_connect=10.0, sock_read=_SILENCE_S)
        async with self._asked("GET", path, None, headers, limits) as response:
            yield response

    async def _json(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = msgspec.json.decode(await self._call(method, path, body), type=dict[str, Any])
        except msgspec.MsgspecError:
            raise ProtocolError(f"expected JSON of `ore serve` at {self._url}, got something else") from None
        return answer

    async def _call(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None
    ) -> bytes:
        limits = aiohttp.ClientTimeout(total=60.0, sock_connect=10.0)
        try:
            async with self._asked(method, path, body, headers or {}, limits) as response:
                return await response.read()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise _LostError(
                f"{self._url} was not reached: {_why(error)}; is the address right, and does `ore serve` run there?"
            ) from None

    @asynccontextmanager
    async def _asked(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        headers: Mapping[str, str],
        limits: aiohttp.ClientTimeout,
    ) -> AsyncGenerator[aiohttp.ClientResponse, None]:
        if self._client is None:
            self._client = aiohttp.ClientSession()
        content = {"Content-Type": "application/json"} if body is not None else {}
        async with self._client.request(
            method,
            f"{self._url}/{path}",
            data=None if body is None else to_json(body),
            headers={**self._headers, **content, **headers},
            timeout=limits,
            allow_redirects=False,
        ) as response:
            if response.status >= 300:
                raise _RefusedError(await _reason(response), status=response.status)
            yield response


def _why(error: Exception) -> str:
    """Why there is no line to the server."""
    number = getattr(error, "errno", None)
    if isinstance(number, int) and number > 0:
        return os.strerror(number).lower()
    return "no answer in time" if isinstance(error, TimeoutError) else type(error).__name__


async def _reason(response: aiohttp.ClientResponse) -> str:
    """What the server says of its refusal."""
    raw = await response.read()
    try:
        problem = msgspec.json.decode(raw, type=dict[str, Any])
        return str(problem.get("detail") or problem.get("title") or response.status)
    except msgspec.MsgspecError:
        return f"the server answered {response.status}"


def _is_later(one: str, other: str) -> bool:
    def place(id: str) -> tuple[int, int]:
        epoch, _, number = id.partition("-")
        return int(epoch or 0), int(number or 0)

    return bool(one) and place(one) > place(other)
