"""`LocalLink`: sessions of this process."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Final

from ore.artifact import Artifact
from ore.errors import NotFoundError, OreError
from ore.event import Answer, Entry, Mode, Snapshot, UserMessage, provenance
from ore.ext.commands import Commands
from ore.ext.conduits.terminal.link import CommandLine, Lines
from ore.ledger import Page, delete_thread
from ore.loop import Subscription
from ore.session import Manager, Stream, answering

__all__ = ["HINTS", "PROVENANCE", "LocalLink"]

PROVENANCE: Final = "terminal"

HINTS: Final = {
    "compact": "[focus]",
    "fork": "[turn]",
    "model": "PROVIDER:NAME | default",
    "name": "title",
    "temperature": "number | default",
    "thinking": "level | default",
    "export": "html | text | json",
    "debug": "request",
}
"""What stands behind the commands of ore."""


class LocalLink:
    """Follows sessions of a manager.

    Args:
        sessions: They live there, and stay when the link is closed.
    """

    def __init__(self, sessions: Manager) -> None:
        self._sessions = sessions
        self._stream: Stream | None = None
        self._reader: Subscription | None = None

    @property
    def session_id(self) -> str:
        """The session that is followed."""
        return self._live.id

    @property
    def model(self) -> str | None:
        """Who answers next."""
        try:
            found = answering(self._live)
        except OreError:
            return None
        return f"{found.provider.name}:{found.spec.name}" if found.spec.name else found.provider.name

    async def open(self, session_id: str | None) -> Snapshot:
        """Follow a session, made when there is none."""
        stream = await self._sessions.open(session_id)
        self._close_reader()
        self._stream = stream
        snapshot, self._reader = stream.snapshot_and_subscribe()
        return snapshot

    async def events(self, lines: Lines) -> AsyncGenerator[Sequence[Entry], None]:
        """What happens, all that waits at a time."""
        reader = self._reader
        if reader is None:
            raise RuntimeError("expected a session; open one first")
        lines.line("live")
        while (batch := await reader.next_batch()) is not None:
            yield batch
        lines.line("closed")

    async def snapshot(self) -> Snapshot:
        """The state as it stands now."""
        return self._live.snapshot()

    async def send(self, content: Sequence[Artifact], *, id: str, mode: Mode = "queue") -> None:
        """Send a message."""
        with provenance(PROVENANCE):
            ticket = self._live.submit(UserMessage(content=tuple(content), id=id, mode=mode))
        await ticket.accepted()

    async def interrupt(self) -> None:
        """Stop what runs."""
        await self._live.interrupt(clear=False)

    async def withdraw(self, message_id: str) -> bool:
        """Take a message back."""
        stream = self._live
        item = next((one for one in stream.snapshot().queue if one["id"] == message_id), None)
        if item is None or item["status"] != "waiting":
            return False
        # Sending what waits once more gives the ticket that it has.
        return await stream.submit(UserMessage(content=tuple(item["content"]), id=message_id)).withdraw()

    async def stop(self, activity_id: str) -> None:
        """Stop one call."""
        self._live.cancel(activity_id)

    async def answer(self, answer: Answer) -> None:
        """Answer a question."""
        await self._live.answer(answer.key, answer)

    async def move(self, turn_id: str | None) -> None:
        """Go on from another turn; the session tells everybody who watches."""
        await self._live.history.set_tip(turn_id)

    async def fork(self, turn_id: str | None) -> str:
        """A new session with the path up to a turn."""
        return await self._sessions.fork(self._live.id, turn_id)

    async def threads(self, query: str, cursor: str | None = None) -> Page:
        """Stored sessions."""
        return await self._sessions.list_threads(query=query, cursor=cursor)

    async def describe(self, session_id: str, facts: Mapping[str, str | None]) -> None:
        """Change facts of a session."""
        stream = await self._sessions.attach(session_id)
        await stream.metadata.change(facts)

    async def delete(self, session_id: str) -> None:
        """Remove a session for good; one that is active is closed first."""
        active = next((one for one in self._sessions.list() if one.id == session_id), None)
        if active is not None:
            await active.close()
        if not await delete_thread(self._sessions.store, session_id):
            raise NotFoundError(f"no session {session_id!r}")

    async def commands(self) -> Sequence[CommandLine]:
        """The slash commands."""
        return [
            CommandLine(name=name, description=one.description, hint=HINTS.get(name, ""))
            for interceptor in self._sessions.interceptors
            if isinstance(interceptor, Commands)
            for name, one in interceptor.bound.items()
        ]

    async def aclose(self) -> None:
        """Follow nothing any more."""
        self._close_reader()

    @property
    def _live(self) -> Stream:
        if self._stream is None:
            raise RuntimeError("expected a session; open one first")
        return self._stream

    def _close_reader(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None
