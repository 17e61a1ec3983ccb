"""`JsonStore`: a folder of JSON files, durable when an append returns."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from ore.artifact import CODEC, Codec
from ore.errors import InputError
from ore.ext.stores.json_dir import threads, work
from ore.ext.stores.json_dir.worker import Worker
from ore.ledger import EndingRecord, Hit, Message, Opening, Page, Record, StoredThread, Writer, check_id

__all__ = ["JsonStore"]


class JsonStore:
    """A `Store` in a folder, for any number of tasks and event loops of one process.

    Another process is refused with `SessionOwnedError` for as long as this one
    has the folder: from the first use to `aclose`, after which the store may
    be used again, or to the end of the process, however it ends. One thread
    does what may block. Files are for the user alone (0600), and so are the
    folders that had to be made (0700).

    Args:
        folder: Made at the first use.
        codec: Knows the artifacts of third parties.
    """

    def __init__(self, folder: str | os.PathLike[str], *, codec: Codec = CODEC) -> None:
        name = os.fspath(folder)
        if not name or "\0" in name:
            raise InputError(f"expected the path of a folder, got {name!r}")
        self.folder = Path(os.path.realpath(name))
        self._worker = Worker(self.folder, codec)

    @property
    def lock_folder(self) -> None:
        """None: the folder has a lock of its own, so no other process sees the store."""
        return None

    async def create(self, thread_id: str, metadata: Mapping[str, str]) -> None:
        """Make an empty thread."""
        check_id(thread_id)
        facts = dict(metadata)
        await self._worker.put(lambda folder: folder.create(thread_id, facts))

    async def load(self, thread_id: str) -> StoredThread:
        """Read a thread."""
        return await self._worker.put(partial(threads.load, thread_id=check_id(thread_id)))

    async def get_by(self, key: str, value: str) -> str | None:
        """Id of a thread with this fact."""
        return await self._worker.put(partial(threads.get_by, key=key, value=value))

    async def list(self, *, query: str = "", cursor: str | None = None, limit: int = 20) -> Page:
        """Threads, most recently written first; one whose file cannot be read is left out and logged."""
        after = threads.check_cursor(cursor)
        return await self._worker.put(partial(threads.list_threads, query=query, after=after, limit=limit))

    async def search(self, text: str, *, limit: int = 20) -> Sequence[Hit]:
        """Turns that contain `text` in any case, the latest written threads first; reads all turns."""
        return await self._worker.put(partial(threads.search, text=text, limit=limit))

    async def delete(self, thread_id: str) -> bool:
        """Remove a thread."""
        check_id(thread_id)
        return await self._worker.put(lambda folder: folder.delete(thread_id))

    async def submit(self, session_id: str, message: Message) -> EndingRecord | Message | None:
        """Put a message into the inbox."""
        check_id(session_id)
        check_id(message.id, "message")
        return await self._worker.put(partial(work.submit, session_id=session_id, message=message))

    async def pending(self, session_id: str) -> Sequence[Message]:
        """Unfinished messages in order."""
        return await self._worker.put(partial(work.pending, session_id=check_id(session_id)))

    async def ending(self, session_id: str, message_id: str) -> EndingRecord | None:
        """How a message ended."""
        check_id(message_id, "message")
        return await self._worker.put(partial(work.ending, session_id=check_id(session_id), message_id=message_id))

    async def unfinished(self) -> Sequence[str]:
        """Sessions with work."""
        return await self._worker.put(threads.unfinished)

    async def take(self, session_id: str, opening: Opening | None = None) -> Writer:
        """Become the one who may append; an opening is left aside."""
        return await self._worker.put(partial(work.take, session_id=check_id(session_id)))

    async def next(self, writer: Writer, *, mark: bool = False) -> Message | None:
        """The message to work on."""
        return await self._worker.put(partial(work.next_message, held=work.owner(writer), mark=mark))

    def append(self, writer: Writer, records: Sequence[Record]) -> asyncio.Future[None]:
        """Append records, all or none; the future is set once they are on the disk."""
        return self._worker.put(partial(work.append, held=work.owner(writer), records=tuple(records)))

    async def park(self, writer: Writer) -> None:
        """Note that the running message is left on purpose."""
        await self._worker.put(partial(work.park, held=work.owner(writer)))

    async def close(self, writer: Writer) -> bool:
        """Give the session back; the thread's own file is complete then, as far as the disk allows."""
        return await self._worker.put(partial(work.close, held=work.owner(writer)))

    async def interrupt(self, session_id: str) -> None:
        """Note that the running message shall stop."""
        await self._worker.put(partial(work.interrupt, session_id=check_id(session_id)))

    async def aclose(self) -> None:
        """Do what was asked for, then give the folder back and end the thread."""
        await self._worker.aclose()
