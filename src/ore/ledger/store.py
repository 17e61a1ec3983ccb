"""`Store`: threads and their unfinished work, append-only, without clocks or owners."""

import re
from collections.abc import Awaitable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, Protocol

import msgspec

from ore.artifact import Artifact
from ore.errors import InputError
from ore.ledger.records import EffectRecord, EndingRecord, QuestionRecord, Record
from ore.ledger.turn import Turn

__all__ = [
    "INNER",
    "Hit",
    "Message",
    "Opening",
    "Page",
    "Store",
    "StoredThread",
    "Summary",
    "Writer",
    "check_id",
    "is_id",
    "is_inner",
]

_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}", re.ASCII)


INNER: Final = "_call."
"""What the ids of sessions begin with that belong to a call of another session: no list and no search shows them."""


def is_inner(thread_id: str) -> bool:
    """Whether a session belongs to a call of another one."""
    return thread_id.startswith(INNER)


def is_id(text: str) -> bool:
    """Whether `text` may name a session or a message."""
    return _ID.fullmatch(text) is not None


def check_id(text: str, what: str = "session") -> str:
    """Return `text` when it may name a session or a message; before it reaches a path or a query.

    Raises:
        InputError: It may not.
    """
    if _ID.fullmatch(text) is None:
        shown = text if len(text) <= 140 else text[:140] + "…"
        raise InputError(f"{what} id: expected 1 to 128 of A-Z a-z 0-9 . _ - and no . or - in front, got {shown!r}")
    return text


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """An accepted message in a session's inbox.

    Attributes:
        id: Unique in its session.
        artifacts: Its content.
        mode: `queue`, `steer` or `interrupt`.
        provenance: The conduit it came through.
        traceparent: W3C trace context of whoever sent it.
        attempts: How often it was found unfinished without having been parked.
        taken: Whether work on it began.
    """

    id: str
    artifacts: tuple[Artifact, ...] = ()
    mode: str = "queue"
    provenance: str | None = None
    traceparent: str | None = None
    attempts: int = 0
    taken: bool = False


class StoredThread(msgspec.Struct, frozen=True, kw_only=True):
    """A thread as a store holds it.

    Attributes:
        turns: Every turn of every branch, in the order of recording.
        effects: The last record of each call whose turn has no results yet, by call key.
        questions: The last record of each question, by its key.
        started: The first turn of each message that has turns and no ending, by message id.
        sequence: Number of the last record.
        epoch: How often the session was taken.
    """

    id: str
    metadata: Mapping[str, str]
    turns: Sequence[Turn]
    tip: str | None = None
    effects: Mapping[str, EffectRecord] = {}
    questions: Mapping[str, QuestionRecord] = {}
    started: Mapping[str, str] = {}
    sequence: int = 0
    epoch: int = 0


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """A thread in a list."""

    id: str
    title: str | None = None
    preview: str | None = None
    last_at: datetime | None = None
    turns: int = 0


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """Part of a list, most recently written first."""

    threads: Sequence[Summary]
    next_cursor: str | None = None


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that a search found."""

    id: str
    turn: str
    snippet: str


class Writer:
    """The right to append to one session, until somebody takes it anew.

    Attributes:
        session_id: The session.
        epoch: Greater than that of every earlier writer.
        sequence: Number of the last record.
        stop: Whether an interrupt was committed that nobody has acted on: it
            stays until the message that ran has ended, another has begun, or
            the session was given back with none unfinished.
        waiting: Ids of the messages in the inbox when the session was taken;
            `None` when the store does not say, when they are many, or when
            one of them is unfinished.
        opened: Whether the opening that came with `take` was appended.
    """

    __slots__ = ("epoch", "opened", "sequence", "session_id", "stop", "taken", "waiting")

    def __init__(self, session_id: str, epoch: int, sequence: int, *, stop: bool = False) -> None:
        self.session_id = session_id
        self.epoch = epoch
        self.sequence = sequence
        self.stop = stop
        self.taken: set[str] = set()
        self.waiting: frozenset[str] | None = None
        self.opened = False


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """How a message begins, for whoever takes its session just for it: one commit does both.

    Attributes:
        message: The message, which nobody has begun.
        after: Number of the last record that is known.
        records: Its first turn, and that it is taken.
    """

    message: Message
    after: int
    records: Sequence[Record]

    def fits(self, writer: Writer) -> bool:
        """Whether nothing speaks against it: no record came since, no interrupt is noted, and no other message waits.

        Whether the one that waits has this content is for the store to see.
        """
        return writer.sequence == self.after and not writer.stop and writer.waiting == frozenset((self.message.id,))


class Store(Protocol):
    """Keeps threads, and the messages that are not finished.

    Everything that returns has happened durably, to the store's own measure of
    it. Missing (`NotFoundError`), corrupt (`CorruptError`) and conflicting
    (`ConflictError`) are never the same. Safe to use from many tasks at once.
    """

    @property
    def lock_folder(self) -> Path | None:
        """Folder for the lock files of its sessions; `None` when no other process sees the store."""
        ...

    async def create(self, thread_id: str, metadata: Mapping[str, str]) -> None:
        """Make an empty thread.

        Raises:
            ConflictError: It exists.
            InputError: `thread_id` may not name a thread.
        """
        ...

    async def load(self, thread_id: str) -> StoredThread:
        """Read a thread.

        Raises:
            NotFoundError: There is none.
            CorruptError: It cannot be read.
        """
        ...

    async def get_by(self, key: str, value: str) -> str | None:
        """Id of a thread whose metadata has `key` with `value`; a missing key matches nothing."""
        ...

    async def list(self, *, query: str = "", cursor: str | None = None, limit: int = 20) -> Page:
        """Threads, most recently written first, without reading their bodies.

        Raises:
            InputError: The cursor is not one of this store's.
        """
        ...

    async def search(self, text: str, *, limit: int = 20) -> Sequence[Hit]:
        """Turns that contain `text`, best or latest first."""
        ...

    async def delete(self, thread_id: str) -> bool:
        """Remove a thread with all its work; whether there was one."""
        ...

    def submit(self, session_id: str, message: Message) -> Awaitable[EndingRecord | Message | None]:
        """Put a message into the inbox; does nothing when its id is known.

        May begin at once, so that a `take` right behind it shares its commit.

        Returns:
            `None` when it is new; else the one that waits or runs under this
            id, or how it ended.

        Raises:
            ConflictError: Another content came under this id before.
            InputError: The message's id cannot be used.
            NotFoundError: There is no such thread.
        """
        ...

    async def pending(self, session_id: str) -> Sequence[Message]:
        """The unfinished message, if any, then the waiting ones in order."""
        ...

    async def ending(self, session_id: str, message_id: str) -> EndingRecord | None:
        """How a message ended; `None` while it has not, and when none came under this id.

        Raises:
            NotFoundError: There is no such thread.
            InputError: One of the ids cannot be used.
        """
        ...

    async def unfinished(self) -> Sequence[str]:
        """Ids of the sessions whose inbox is not empty."""
        ...

    async def take(self, session_id: str, opening: Opening | None = None) -> Writer:
        """Become the one who may append; every earlier writer is fenced from now on.

        Args:
            opening: What to append at once, in the same commit, if it fits and
                the message waits with just this content. A store may leave it
                aside; `Writer.opened` tells.
        """
        ...

    async def next(self, writer: Writer, *, mark: bool = False) -> Message | None:
        """The unfinished message first, then those that steer or interrupt, then the others; `None` when none waits.

        Within each kind first in, first out. A message that is found
        unfinished has its attempts counted, unless it was parked or waited for
        a person. `mark`
        makes durable that work on it begins; without it a `TakenRecord` goes
        with the first append.

        Raises:
            FencedError: Somebody else took the session.
        """
        ...

    def append(self, writer: Writer, records: Sequence[Record]) -> Awaitable[None]:
        """Append records, all or none.

        Raises:
            FencedError: Somebody else took the session; nothing was written.
            StoreError: They could not be written; nothing was.
        """
        ...

    async def park(self, writer: Writer) -> None:
        """Note that a shutdown leaves the running message unfinished on purpose."""
        ...

    def close(self, writer: Writer) -> Awaitable[bool]:
        """Give the session back; whether the inbox has work again.

        May be asked for while an append is on its way, and is done behind it;
        the writer may append again, and give back again, unless the session
        was taken.
        """
        ...

    async def interrupt(self, session_id: str) -> None:
        """Note durably that the running message shall stop."""
        ...

    async def aclose(self) -> None:
        """Finish what was begun and let go of files and threads."""
        ...
