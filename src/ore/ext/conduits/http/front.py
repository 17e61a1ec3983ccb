"""`Front`: what all routes share: the sessions, and what was let in."""

import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from ore.errors import LimitError, NotFoundError, SessionOwnedError
from ore.event import Question, Snapshot
from ore.ext.conduits.http.frames import Frames
from ore.ext.conduits.http.options import HttpOptions
from ore.ext.conduits.http.pace import Pace
from ore.ext.conduits.http.problem import Problem, draining
from ore.ext.conduits.http.rate import Rate
from ore.ledger import QuestionStatus, StoredThread, Thread, Turn, is_id, is_inner
from ore.session import Manager, Stream, phase_of

__all__ = ["Front", "View"]


class View(msgspec.Struct, frozen=True, kw_only=True):
    """A session to be looked at, active here or not.

    Attributes:
        snapshot: Its state.
        all_turns: Every turn of every branch.
    """

    snapshot: Snapshot
    all_turns: Sequence[Turn]


class Front:
    """The sessions as requests see them.

    Args:
        sessions: Where they are.
        options: What is let in.

    Attributes:
        draining: Nothing new is taken in, because the process stops.
    """

    def __init__(self, sessions: Manager, options: HttpOptions) -> None:
        self.sessions = sessions
        self.options = options
        self.draining = False
        self.frames = Frames()
        self.rate = Rate(options.limits.writes_per_s, options.limits.burst, time.monotonic)
        self._paces: dict[str, Pace] = {}

    @property
    def readers(self) -> int:
        """Streams that are open."""
        return sum(pace.readers for pace in self._paces.values())

    async def session(self, session_id: str) -> Stream:
        """The live session of a stored thread, which nobody else owns right now.

        Raises:
            NotFoundError: There is no such thread.
            SessionOwnedError: Another live process owns it.
            Problem: The server stops, or too many are active.
        """
        stream = await self._attached(session_id)
        if phase_of(stream) == "idle":  # what works here is owned here
            async with self.sessions.placement.hold(session_id):
                pass
        return stream

    async def view(self, session_id: str) -> View:
        """A session to be looked at, also while another process owns it.

        Raises:
            NotFoundError: There is no such thread.
        """
        if self.draining:
            live = next((stream for stream in self.sessions.list() if stream.id == session_id), None)
            return _live(live) if live is not None else await self._stored(session_id)
        stream = await self._attached(session_id)
        if phase_of(stream) == "idle" and self.sessions.store.lock_folder is not None:
            return await self._idle(stream)
        if phase_of(stream) == "idle" and await self._is_owned_elsewhere(session_id):
            return await self._stored(session_id)
        return _live(stream)

    def check_writing(self) -> None:
        """Let a request that changes something in.

        Raises:
            Problem: There were too many of late, or the server stops.
        """
        if self.draining:
            raise draining()
        self.rate.take()

    def check_room(self) -> None:
        """See whether one more session may become active.

        Raises:
            Problem: No.
        """
        limit = self.options.limits.sessions
        if len(self.sessions.list()) >= limit:
            raise _too_many(f"sessions: expected at most {limit} to be active; delete some, or wait until they rest")

    def enter(self, session_id: str) -> Pace:
        """One more stream of a session is open; gives what all of them keep pace with.

        Raises:
            Problem: There are too many.
        """
        limits = self.options.limits
        if self.readers >= limits.readers:
            raise _too_many(f"readers: expected at most {limits.readers} open streams")
        pace = self._paces.get(session_id) or Pace()
        if pace.readers >= limits.session_readers:
            raise _too_many(f"readers: expected at most {limits.session_readers} open streams of one session")
        self._paces[session_id] = pace
        pace.readers += 1
        return pace

    def leave(self, session_id: str) -> None:
        """One less."""
        pace = self._paces[session_id]
        pace.readers -= 1
        if not pace.readers:
            del self._paces[session_id]

    @asynccontextmanager
    async def alone(self, session_id: str) -> AsyncIterator[None]:
        """Keep other processes from a stored thread while the block lasts.

        Raises:
            NotFoundError: It may not name a session.
            SessionOwnedError: Another live process owns it.
        """
        check_name(session_id)
        async with self.sessions.placement.hold(session_id):
            yield

    async def _attached(self, session_id: str) -> Stream:
        check_name(session_id)
        if self.draining:
            raise draining()
        try:
            return self.sessions.get(session_id)
        except NotFoundError:
            self.check_room()
            return await self.sessions.attach(session_id)

    async def _idle(self, stream: Stream) -> View:
        """A session at rest here, which another process may have gone on with."""
        stored = await self.sessions.store.load(stream.id)
        if phase_of(stream) == "idle" and _differs(stored, stream):
            try:
                await stream.history.refresh()
            except SessionOwnedError:
                return await self._stored(stream.id)
        return _live(stream)

    async def _is_owned_elsewhere(self, session_id: str) -> bool:
        try:
            async with self.sessions.placement.hold(session_id):
                return False
        except SessionOwnedError:
            return True

    async def _stored(self, session_id: str) -> View:
        check_name(session_id)
        store = self.sessions.store
        stored = await store.load(session_id)
        queue: list[Mapping[str, Any]] = [
            {
                "id": message.id,
                "content": message.artifacts,
                "status": "running" if message.taken else "waiting",
                "position": position,
            }
            for position, message in enumerate(await store.pending(session_id))
        ]
        return View(snapshot=_snapshot(stored, queue), all_turns=stored.turns)


def check_name(session_id: str) -> None:
    """Refuse what can be no session of a client's: what matches no pattern, and those inside calls.

    Raises:
        NotFoundError: It is none.
    """
    if not is_id(session_id) or is_inner(session_id):
        raise NotFoundError(f"no session {session_id[:140]!r}")


def _differs(stored: StoredThread, stream: Stream) -> bool:
    """Whether somebody else wrote since the session was loaded."""
    known = stream.history.all_turns
    return (
        len(stored.turns) != len(known)
        or stored.tip != stream.history.state.tip
        or dict(stored.metadata) != stream.metadata.all()
    )


def _live(stream: Stream) -> View:
    return View(snapshot=stream.snapshot(), all_turns=stream.history.all_turns)


def _snapshot(stored: StoredThread, queue: Sequence[Mapping[str, Any]]) -> Snapshot:
    """The state of a session that works elsewhere, as far as it is stored."""
    questions = [
        msgspec.convert(record.question, Question)
        for record in stored.questions.values()
        if record.status is QuestionStatus.OPEN and record.question is not None
    ]
    runs = any(item["status"] == "running" for item in queue)
    return Snapshot(
        id=f"{stored.epoch}-0",
        turns=Thread(stored.turns, tip=stored.tip).turns,
        metadata=stored.metadata,
        phase="waiting" if questions else "submitted" if runs else "queued" if queue else "idle",
        queue=queue,
        questions=questions,
    )


def _too_many(detail: str) -> Problem:
    return Problem(429, LimitError.code, detail, headers={"Retry-After": "5"}, retryable=True)
