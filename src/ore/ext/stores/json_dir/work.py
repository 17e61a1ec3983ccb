"""Unfinished work: submitted, taken, worked on, left and given back."""

from collections.abc import Sequence

import msgspec

from ore.errors import ConflictError, FencedError, InputError
from ore.ext.stores.json_dir.entry import Entry
from ore.ext.stores.json_dir.folder import Folder
from ore.ext.stores.json_dir.frames import (
    AppendFrame,
    BeginFrame,
    FoundFrame,
    ParkFrame,
    StopFrame,
    SubmitFrame,
    TakeFrame,
    digest_of,
    store_message,
)
from ore.ledger import EndingRecord, Message, Record, TurnRecord, Writer, encode_record

__all__ = ["append", "close", "ending", "interrupt", "next_message", "owner", "park", "pending", "submit", "take"]


class Owner(Writer):
    """What `take` gives.

    Attributes:
        born: Of the thread. One made again under the id of a deleted one has another.
    """

    __slots__ = ("born",)

    def __init__(self, entry: Entry) -> None:
        super().__init__(entry.id, entry.epoch, entry.sequence, stop=entry.stop)
        self.born = entry.born


def owner(writer: Writer) -> Owner:
    """`writer` as this store made it.

    Raises:
        TypeError: Another one did.
    """
    if not isinstance(writer, Owner):
        raise TypeError(f"expected a writer that this store's take gave, got {writer!r}")
    return writer


def submit(folder: Folder, session_id: str, message: Message) -> EndingRecord | Message | None:
    """Put a message into the inbox unless its id is known.

    Raises:
        ConflictError: Another content came under this id before.
        NotFoundError: There is no such thread.
    """
    entry = folder.entry(session_id)
    digest = digest_of(message)
    if entry.digests.get(message.id, digest) != digest:
        raise ConflictError(f"message {message.id!r} was submitted before with another content")
    known = entry.endings.get(message.id) or entry.inbox.get(message.id)
    if known is None:
        folder.write(entry, SubmitFrame(number=entry.frame + 1, message=store_message(message), digest=digest))
    return known


def pending(folder: Folder, session_id: str) -> Sequence[Message]:
    """The unfinished messages, then the waiting ones, in the order of `next_message`."""
    return folder.entry(session_id).pending()


def ending(folder: Folder, session_id: str, message_id: str) -> EndingRecord | None:
    """How a message ended, if it did."""
    return folder.entry(session_id).endings.get(message_id)


def take(folder: Folder, session_id: str) -> Owner:
    """Fence every earlier writer.

    Raises:
        NotFoundError: There is no such thread.
    """
    entry = folder.entry(session_id)
    folder.write(entry, TakeFrame(number=entry.frame + 1))
    return Owner(entry)


def next_message(folder: Folder, held: Owner, *, mark: bool) -> Message | None:
    """The message to work on, with this finding counted.

    Raises:
        FencedError: Somebody else took the session.
    """
    entry = _held(folder, held)
    found = next(iter(entry.pending()), None)
    if found is None:
        return None
    number = entry.frame + 1
    if found.taken and found.id not in held.taken:
        is_parked = found.id in entry.parked
        found = msgspec.structs.replace(
            found, attempts=found.attempts + (0 if is_parked or entry.waits_for_people else 1)
        )
        if is_parked or found != entry.inbox[found.id]:
            folder.write(entry, FoundFrame(number=number, message=found.id, attempts=found.attempts))
    elif mark and not found.taken:
        folder.write(entry, BeginFrame(number=number, message=found.id))
    held.taken.add(found.id)
    return found


def append(folder: Folder, held: Owner, records: Sequence[Record]) -> None:
    """Append records, all or none.

    Raises:
        FencedError: Somebody else took the session.
        InputError: A turn holds what is never stored.
    """
    entry = _held(folder, held)
    _check(records)
    if records:
        raws = [msgspec.Raw(encode_record(record)) for record in records]
        folder.write(entry, AppendFrame(number=entry.frame + 1, written=folder.tick(), records=raws))
    held.sequence = entry.sequence


def park(folder: Folder, held: Owner) -> None:
    """Let the next finding of the running message not count.

    Raises:
        FencedError: Somebody else took the session.
    """
    entry = _held(folder, held)
    if {message.id for message in entry.inbox.values() if message.taken} != entry.parked:
        folder.write(entry, ParkFrame(number=entry.frame + 1))


def close(folder: Folder, held: Owner) -> bool:
    """Bring the thread's file up to date; whether the inbox has work.

    Raises:
        FencedError: Somebody else took the session.
    """
    entry = _held(folder, held)
    if entry.stop and not any(message.taken for message in entry.inbox.values()):
        folder.write(entry, StopFrame(number=entry.frame + 1, is_wanted=False))
    folder.tidy(entry)
    return bool(entry.inbox)


def interrupt(folder: Folder, session_id: str) -> None:
    """Note that the running message shall stop.

    Raises:
        NotFoundError: There is no such thread.
    """
    entry = folder.entry(session_id)
    if not entry.stop:
        folder.write(entry, StopFrame(number=entry.frame + 1, is_wanted=True))


def _held(folder: Folder, held: Owner) -> Entry:
    """The thread, if nobody took it after `held` did."""
    entry = folder.entry(held.session_id)
    if (entry.epoch, entry.born) != (held.epoch, held.born):
        raise FencedError(f"session {held.session_id!r} was taken by another owner")
    return entry


def _check(records: Sequence[Record]) -> None:
    for record in records:
        if isinstance(record, TurnRecord):
            for artifact in record.turn.artifacts:
                if not artifact.persistent:
                    raise InputError(f"turn {record.turn.id!r}: expected what can be stored, got {artifact.kind!r}")
