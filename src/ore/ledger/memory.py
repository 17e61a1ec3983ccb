"""`MemoryStore`: everything in the process; gone with it."""

from collections.abc import Awaitable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from ore._aio import Ready
from ore.artifact import Text
from ore.errors import ConflictError, FencedError, InputError, NotFoundError, OreError
from ore.ledger.fold import Fold
from ore.ledger.records import EndingRecord, QuestionStatus, Record, TakenRecord, TurnRecord
from ore.ledger.store import Hit, Message, Opening, Page, StoredThread, Writer, check_id, is_inner
from ore.ledger.summary import summarize
from ore.ledger.turn import Turn

__all__ = ["MemoryStore"]

_APPENDED: Final[Ready[None]] = Ready()


class MemoryStore:
    """A `Store` without durability, for tests and for runs that need none.

    Turns are kept as they are, not encoded. One process only.
    """

    def __init__(self) -> None:
        self._threads: dict[str, _Entry] = {}
        self._clock = 0
        self.owners: dict[str, object] = {}
        """Who runs which session right now, in this process; kept by whoever places them."""

    @property
    def lock_folder(self) -> Path | None:
        """None: no other process sees it."""
        return None

    async def create(self, thread_id: str, metadata: Mapping[str, str]) -> None:
        """Make an empty thread."""
        check_id(thread_id)
        if thread_id in self._threads:
            raise ConflictError(f"session {thread_id!r} exists")
        self._threads[thread_id] = _Entry(Fold(metadata=dict(metadata)), self._tick())

    async def load(self, thread_id: str) -> StoredThread:
        """Read a thread."""
        entry = self._entry(thread_id)
        return entry.fold.stored(thread_id, epoch=entry.epoch, sequence=entry.sequence)

    async def get_by(self, key: str, value: str) -> str | None:
        """Id of a thread with this fact."""
        return next((id for id, entry in self._threads.items() if entry.fold.metadata.get(key) == value), None)

    async def list(self, *, query: str = "", cursor: str | None = None, limit: int = 20) -> Page:
        """Threads, most recently written first."""
        before = _cursor(cursor)
        rows = sorted(self._threads.items(), key=lambda row: row[1].written, reverse=True)
        found: list[tuple[int, str]] = []
        for id, entry in rows:
            if is_inner(id) or (before is not None and entry.written >= before):
                continue
            if query and not _matches(query, id, entry.fold):
                continue
            found.append((entry.written, id))
        shown = found[:limit]
        threads = [summarize(id, (fold := self._threads[id].fold).metadata, fold.turns) for _, id in shown]
        return Page(threads=threads, next_cursor=str(shown[-1][0]) if len(found) > limit else None)

    async def search(self, text: str, *, limit: int = 20) -> Sequence[Hit]:
        """Turns that contain `text`, latest written threads first."""
        wanted = text.casefold()
        hits: list[Hit] = []
        for id, entry in sorted(self._threads.items(), key=lambda row: row[1].written, reverse=True):
            for turn in () if is_inner(id) else entry.fold.turns:
                snippet = _snippet(turn, wanted)
                if snippet is not None and len(hits) < limit:
                    hits.append(Hit(id=id, turn=turn.id, snippet=snippet))
        return hits

    async def delete(self, thread_id: str) -> bool:
        """Remove a thread."""
        check_id(thread_id)
        return self._threads.pop(thread_id, None) is not None

    def submit(self, session_id: str, message: Message) -> Awaitable[EndingRecord | Message | None]:
        """Put a message into the inbox, at once."""
        try:
            return Ready(self._submit(session_id, message))
        except OreError as error:
            return Ready(error=error)

    def _submit(self, session_id: str, message: Message) -> EndingRecord | Message | None:
        entry = self._entry(session_id)
        check_id(message.id, "message")
        if message.id not in entry.contents and message.id not in entry.endings:
            entry.inbox[message.id] = message
            entry.contents[message.id] = message.artifacts
            return None
        if entry.contents.get(message.id, message.artifacts) != message.artifacts:
            raise ConflictError(f"message {message.id!r} was submitted before with another content")
        return entry.endings.get(message.id) or entry.inbox.get(message.id)

    async def pending(self, session_id: str) -> Sequence[Message]:
        """Unfinished messages in order."""
        return sorted(self._entry(session_id).inbox.values(), key=_rank)

    async def ending(self, session_id: str, message_id: str) -> EndingRecord | None:
        """How a message ended."""
        return self._entry(session_id).endings.get(check_id(message_id, "message"))

    async def unfinished(self) -> Sequence[str]:
        """Sessions with work."""
        return [id for id, entry in self._threads.items() if entry.inbox]

    async def take(self, session_id: str, opening: Opening | None = None) -> Writer:
        """Become the one who may append."""
        entry = self._entry(session_id)
        entry.epoch += 1
        owner = _Owner(session_id, entry)
        if opening is not None and opening.fits(owner):
            message = opening.message
            if entry.contents[message.id] == message.artifacts:
                MemoryStore.append(self, owner, opening.records)
                owner.taken.add(message.id)
                owner.opened = True
        return owner

    async def next(self, writer: Writer, *, mark: bool = False) -> Message | None:
        """The message to work on."""
        entry = self._owned(writer)
        if not entry.inbox:
            return None
        found = next((message for message in entry.inbox.values() if message.taken), None)
        if found is not None and found.id not in writer.taken:
            is_excused = found.id in entry.parked or entry.waits_for_people()
            found = msgspec.structs.replace(found, attempts=found.attempts + (0 if is_excused else 1))
            entry.parked.discard(found.id)
            entry.inbox[found.id] = found
        if found is None:
            found = min(entry.inbox.values(), key=_rank)
            if mark:
                entry.begin(found.id)
        writer.taken.add(found.id)
        return found

    def append(self, writer: Writer, records: Sequence[Record]) -> Awaitable[None]:
        """Append records, at once."""
        entry = self._owned(writer)
        for record in records:
            if type(record) is TurnRecord:  # most are, and no message begins or ends with one
                entry.fold.add_turn(record)
            else:
                entry.add(record)
        entry.sequence += len(records)
        writer.sequence = entry.sequence
        entry.written = self._clock = self._clock + 1
        return _APPENDED

    async def park(self, writer: Writer) -> None:
        """Note that the running message is left on purpose."""
        entry = self._owned(writer)
        entry.parked = {message.id for message in entry.inbox.values() if message.taken}

    async def close(self, writer: Writer) -> bool:
        """Give the session back."""
        entry = self._owned(writer)
        if not any(message.taken for message in entry.inbox.values()):
            entry.stop = False
        return bool(entry.inbox)

    async def interrupt(self, session_id: str) -> None:
        """Note that the running message shall stop."""
        self._entry(session_id).stop = True

    async def aclose(self) -> None:
        """Nothing to let go of."""

    def _tick(self) -> int:
        self._clock += 1
        return self._clock

    def _entry(self, thread_id: str) -> "_Entry":
        if thread_id in self._threads:
            return self._threads[thread_id]
        check_id(thread_id)
        raise NotFoundError(f"no session {thread_id!r}")

    def _owned(self, writer: Writer) -> "_Entry":
        id = writer.session_id
        entry = self._threads[id] if id in self._threads else self._entry(id)
        if type(writer) is not _Owner or writer.entry is not entry or entry.epoch != writer.epoch:
            raise FencedError(f"session {id!r} was taken by another owner")
        return entry


class _Entry:
    __slots__ = ("contents", "endings", "epoch", "fold", "inbox", "parked", "sequence", "stop", "written")

    def __init__(self, fold: Fold, written: int) -> None:
        self.fold = fold
        self.written = written
        self.epoch = 1
        self.sequence = 0
        self.inbox: dict[str, Message] = {}
        self.contents: dict[str, object] = {}
        self.endings: dict[str, EndingRecord] = {}
        self.parked: set[str] = set()
        self.stop = False
        """An interrupt that nobody has acted on: the message that ran has not ended, no other has begun."""

    def add(self, record: Record) -> None:
        self.fold.add(record)
        if type(record) is TakenRecord:
            self.begin(record.message)
        elif type(record) is EndingRecord:
            message = self.inbox.pop(record.message, None)
            self.endings[record.message] = record
            self.stop = self.stop and not (message and message.taken)

    def waits_for_people(self) -> bool:
        """Whether a question is open: until it is not, no finding counts."""
        return any(record.status is QuestionStatus.OPEN for record in self.fold.questions.values())

    def begin(self, message_id: str) -> None:
        """Work on a message begins."""
        message = self.inbox.get(message_id)
        if message is not None and not message.taken:
            self.inbox[message_id] = msgspec.structs.replace(message, taken=True)
            self.stop = False


class _Owner(Writer):
    __slots__ = ("entry",)

    def __init__(self, session_id: str, entry: _Entry) -> None:
        super().__init__(session_id, entry.epoch, entry.sequence, stop=entry.stop)
        self.entry = entry
        if not any([message.taken for message in entry.inbox.values()]):
            self.waiting = frozenset(entry.inbox)


def _rank(message: Message) -> tuple[bool, bool]:
    """Unfinished ones first, then those that do not queue; equal ones keep their order."""
    return not message.taken, not message.taken and message.mode == "queue"


def _matches(query: str, thread_id: str, fold: Fold) -> bool:
    summary = summarize(thread_id, fold.metadata, fold.turns)
    wanted = query.casefold()
    return any(wanted in (text or "").casefold() for text in (thread_id, summary.title, summary.preview))


def _snippet(turn: Turn, wanted: str) -> str | None:
    for artifact in turn.artifacts:
        if isinstance(artifact, Text) and (at := artifact.content.casefold().find(wanted)) >= 0:
            return artifact.content[max(at - 40, 0) : at + 80]
    return None


def _cursor(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 19):
        raise InputError(f"expected a cursor that an earlier page gave, got {cursor[:40]!r}")
    return int(cursor)
