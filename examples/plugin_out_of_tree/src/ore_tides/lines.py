"""`ore serve --conduit lines:PORT`: a conduit for `nc` and `telnet`."""

import asyncio
from collections.abc import Mapping

from ore import Manager, Stream, TextDelta
from ore.app import ConduitSettings
from ore.artifact import Notice, ToolCall
from ore.errors import OreError
from ore.event import Entry, ErrorEvent, Lifecycle, provenance
from ore.session import Descriptor
from ore_tides.chart import TideChart

__all__ = ["LineConduit", "make"]


class LineConduit:
    """One session for each connection: its first line is the session's id, each further one a message.

    Whoever hangs up stops nothing. With a token, the line before the first has
    to be it.
    """

    def __init__(self, settings: ConduitSettings) -> None:
        self._settings = settings
        self._writers: set[asyncio.StreamWriter] = set()

    @property
    def descriptor(self) -> Descriptor:
        """What it is."""
        return Descriptor(name="lines", description="one message a line over TCP", capabilities=frozenset({"text"}))

    async def serve(self, sessions: Manager) -> None:
        """Listen until cancelled."""

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self._writers.add(writer)
            try:
                await self._talk(sessions, reader, writer)
            except (OSError, OreError) as error:
                writer.write(f"({error})\n".encode())
            finally:
                self._writers.discard(writer)
                writer.close()

        settings = self._settings
        server = await asyncio.start_server(connected, settings.host, settings.port)
        try:
            if settings.listening is not None:
                settings.listening(f"lines on {settings.host}:{server.sockets[0].getsockname()[1]}")
            await server.serve_forever()
        finally:
            server.close()
            for writer in self._writers:
                writer.close()

    async def _talk(self, sessions: Manager, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        token = self._settings.token
        if token is not None and await _line(reader) != token:
            return
        stream = await sessions.open(await _line(reader) or None)
        writer.write(f"session {stream.id}\n".encode())
        while (line := await _line(reader)) is not None:
            await _answer(stream, line, writer)


async def _line(reader: asyncio.StreamReader) -> str | None:
    raw = await reader.readline()
    return raw.decode("utf-8", "replace").strip() if raw else None


async def _answer(stream: Stream, line: str, writer: asyncio.StreamWriter) -> None:
    async with stream.subscribe() as events:
        with provenance("lines"):  # every event of the message says where it came from
            ticket = stream.submit(line)
        async for entry in events:
            if entry.context.message != ticket.id:
                continue
            writer.write(_shown(entry).encode())
            await writer.drain()
            if isinstance(entry.event, Lifecycle) and entry.event.phase == "done":
                return


def _shown(entry: Entry) -> str:
    event = entry.event
    if isinstance(event, TextDelta):
        return event.content
    if isinstance(event, TideChart | Notice):
        return f"\n{event.for_human()}"
    if isinstance(event, ToolCall):
        return f"[{event.name} {event.arguments}]\n"
    if isinstance(event, ErrorEvent):
        return f"({event.code}: {event.message})"
    return _ENDINGS.get(getattr(event, "phase", ""), "")


_ENDINGS: Mapping[str, str] = {"cancelled": " …", "done": "\n"}


def make(settings: ConduitSettings) -> LineConduit:
    """What the entry point is called with."""
    return LineConduit(settings)
