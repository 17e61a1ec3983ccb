"""`logbook:FILE`: a store that is one file, to which lines are added and nothing else."""

import fcntl
import os
from collections.abc import Awaitable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ore import MemoryStore
from ore.artifact import CODEC, Codec, clean, encode, to_json
from ore.errors import CorruptError, StoreError
from ore.ledger import (
    EndingRecord,
    Hit,
    Message,
    Opening,
    Page,
    Record,
    StoredThread,
    Writer,
    decode_record,
    encode_record,
)

__all__ = ["Logbook"]


class Logbook:
    """Writes down what was asked of it, and does it again when it is opened.

    What stands in the file is what `MemoryStore` was told, one JSON array a
    line, so a line that a crash cut off was never acknowledged. It suits a few
    thousand messages: everything is in memory, and each write waits for the
    disk. One process at a time may have the file open.

    Args:
        path: The file, made on first use, for its owner alone.
        codec: Knows the kinds of artifacts that are installed.
    """

    def __init__(self, path: str | os.PathLike[str], *, codec: Codec = CODEC) -> None:
        self.path = Path(path)
        """The file."""
        self._codec = codec
        self._memory: MemoryStore | None = None
        self._writers: dict[str, Writer] = {}
        self._file = -1

    @property
    def lock_folder(self) -> Path | None:
        """None: the file itself is locked."""
        return None

    async def create(self, thread_id: str, metadata: Mapping[str, str]) -> None:
        """Make an empty thread."""
        facts = {clean(key): clean(value) for key, value in metadata.items()}
        await (await self._opened()).create(thread_id, facts)
        self._note("create", thread_id, facts)

    async def load(self, thread_id: str) -> StoredThread:
        """Read a thread."""
        return await (await self._opened()).load(thread_id)

    async def get_by(self, key: str, value: str) -> str | None:
        """Id of a thread with this fact."""
        return await (await self._opened()).get_by(clean(key), clean(value))

    async def list(self, *, query: str = "", cursor: str | None = None, limit: int = 20) -> Page:
        """Threads, most recently written first."""
        return await (await self._opened()).list(query=query, cursor=cursor, limit=limit)

    async def search(self, text: str, *, limit: int = 20) -> Sequence[Hit]:
        """Turns that contain `text`."""
        return await (await self._opened()).search(text, limit=limit)

    async def delete(self, thread_id: str) -> bool:
        """Remove a thread; its lines stay in the file, and say that it is gone."""
        was_there = await (await self._opened()).delete(thread_id)
        if was_there:
            self._note("delete", thread_id)
        return was_there

    async def submit(self, session_id: str, message: Message) -> EndingRecord | Message | None:
        """Put a message into the inbox."""
        known = await (await self._opened()).submit(session_id, message)
        if known is None:
            fields = msgspec.structs.asdict(message)
            fields["artifacts"] = [msgspec.Raw(encode(artifact)) for artifact in message.artifacts]
            self._note("submit", session_id, fields)
        return known

    async def pending(self, session_id: str) -> Sequence[Message]:
        """Unfinished messages in order."""
        return await (await self._opened()).pending(session_id)

    async def ending(self, session_id: str, message_id: str) -> EndingRecord | None:
        """How a message ended."""
        return await (await self._opened()).ending(session_id, message_id)

    async def unfinished(self) -> Sequence[str]:
        """Sessions with work."""
        return await (await self._opened()).unfinished()

    async def take(self, session_id: str, opening: Opening | None = None) -> Writer:
        """Become the one who may append; an opening is left aside."""
        writer = await (await self._opened()).take(session_id)
        self._note("take", session_id)
        return writer

    async def next(self, writer: Writer, *, mark: bool = False) -> Message | None:
        """The message to work on."""
        found = await (await self._opened()).next(writer, mark=mark)
        if found is not None:
            self._note("next", writer.session_id, mark)
        return found

    def append(self, writer: Writer, records: Sequence[Record]) -> Awaitable[None]:
        """Append records, all or none, at once."""
        if self._memory is None:
            raise StoreError(f"{str(self.path)!r} is closed")
        appended = self._memory.append(writer, records)
        self._note("append", writer.session_id, [msgspec.Raw(encode_record(record)) for record in records])
        return appended

    async def park(self, writer: Writer) -> None:
        """Note that the running message is left on purpose."""
        await (await self._opened()).park(writer)
        self._note("park", writer.session_id)

    async def close(self, writer: Writer) -> bool:
        """Give the session back."""
        has_work = await (await self._opened()).close(writer)
        self._note("close", writer.session_id)
        return has_work

    async def interrupt(self, session_id: str) -> None:
        """Note that the running message shall stop."""
        await (await self._opened()).interrupt(session_id)
        self._note("interrupt", session_id)

    async def aclose(self) -> None:
        """Let go of the file."""
        if self._file >= 0:
            os.close(self._file)
        self._memory, self._file = None, -1
        self._writers.clear()

    def _note(self, what: str, session_id: str, detail: Any = None) -> None:
        """Write a line down; once one is lost, nothing more is taken in."""
        line = to_json([what, session_id, detail]) + b"\n"
        try:
            os.write(self._file, line)
            os.fsync(self._file)
        except OSError as error:
            self._memory = None
            raise StoreError(f"{str(self.path)!r} cannot be written: {error.strerror}") from None

    async def _opened(self) -> MemoryStore:
        if self._memory is None:
            if self._file >= 0:
                raise StoreError(f"{str(self.path)!r} could not be written: open it anew")
            self._file = _locked(self.path)
            memory = MemoryStore()
            for number, line in enumerate(_lines(self._file), 1):
                try:
                    await self._again(memory, *msgspec.json.decode(line, type=tuple[str, str, msgspec.Raw]))
                except (ValueError, KeyError) as error:
                    raise CorruptError(f"{str(self.path)!r}, line {number}: {error}") from None
            self._memory = memory
        return self._memory

    async def _again(self, memory: MemoryStore, what: str, session_id: str, detail: msgspec.Raw) -> None:
        """Do what a line says."""
        if what == "create":
            await memory.create(session_id, msgspec.json.decode(detail))
        elif what == "submit":
            await memory.submit(session_id, self._message(detail))
        elif what == "take":
            self._writers[session_id] = await memory.take(session_id)
        elif what == "next":
            await memory.next(self._writers[session_id], mark=msgspec.json.decode(detail))
        elif what == "append":
            raws = msgspec.json.decode(detail, type=list[msgspec.Raw])
            records = [decode_record(raw, self._codec) for raw in raws]
            await memory.append(self._writers[session_id], [record for record in records if record is not None])
        elif what in ("park", "close"):
            await getattr(memory, what)(self._writers[session_id])
        else:
            await getattr(memory, {"delete": "delete", "interrupt": "interrupt"}[what])(session_id)

    def _message(self, raw: msgspec.Raw) -> Message:
        fields = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
        artifacts = msgspec.json.decode(fields.pop("artifacts"), type=list[msgspec.Raw])
        plain = {name: msgspec.json.decode(value) for name, value in fields.items()}
        return Message(**plain, artifacts=tuple(map(self._codec.decode, artifacts)))


def _locked(path: Path) -> int:
    """The file, open for adding, and nobody else's meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise StoreError(f"{str(path)!r} is open in another process") from None
    return descriptor


def _lines(descriptor: int) -> Sequence[bytes]:
    """What was written down; half a line at the end goes."""
    with open(os.dup(descriptor), "rb") as file:
        whole, _, rest = file.read().rpartition(b"\n")
    if rest:
        os.ftruncate(descriptor, len(whole) + bool(whole))
    return whole.split(b"\n") if whole else []
