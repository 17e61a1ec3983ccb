"""`SqliteStore`: all threads in one file, durable when an append returns."""

import asyncio
import os
from collections.abc import Awaitable, Mapping, Sequence
from functools import partial
from pathlib import Path

from ore.artifact import CODEC, Codec
from ore.errors import InputError, StoreError
from ore.ext.stores.sqlite import search, threads, work
from ore.ext.stores.sqlite.lane import Lane
from ore.ext.stores.sqlite.log import append
from ore.ext.stores.sqlite.owner import owner
from ore.ext.stores.sqlite.performers import Commits, GroupWriter, Reader
from ore.ext.stores.sqlite.schema import MOUNTS, open_database
from ore.ledger import EndingRecord, Hit, Message, Opening, Page, Record, StoredThread, Writer, check_id

__all__ = ["SqliteStore"]


class SqliteStore:
    """A `Store` in a file, for any number of tasks, event loops and processes.

    One thread writes: it commits what all sessions asked for meanwhile in one
    transaction, with one sync. Another reads. Both start when they are first
    needed and end with `aclose`, after which the store may be used again. The
    file and what SQLite puts beside it are for the user alone (0600), and so
    are the folders that had to be made (0700).

    Args:
        path: Of the file; made with its folders at the first use.
        codec: Knows the artifacts of third parties.
        group_limit: Writes in one transaction at most.
        full_text: Whether `search` keeps an index of all texts in the file,
            where SQLite has FTS5. Without, it reads all turns each time.
        mounts: Linux's table of file systems, by which one over a network is refused.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        codec: Codec = CODEC,
        group_limit: int = 512,
        full_text: bool = True,
        mounts: Path = MOUNTS,
    ) -> None:
        name = os.fspath(path)
        if not name or "\0" in name or name == ":memory:":
            raise InputError(f"expected the path of a file, got {name!r}; a store without one is `memory:`")
        if group_limit < 1:
            raise InputError(f"group_limit: expected at least 1, got {group_limit}")
        self.path = Path(os.path.realpath(name))
        self._codec = codec
        self._full_text = full_text
        self.commits = Commits()
        """How many transactions were committed so far, by this object."""
        connect = partial(open_database, self.path, mounts)
        self._writes = Lane("ore-store-writer", partial(GroupWriter, self.path, connect, self.commits), group_limit)
        self._reads = Lane("ore-store-reader", partial(Reader, self.path, connect), group_limit)

    @property
    def lock_folder(self) -> Path:
        """Beside the file, so that all who open it find the same one."""
        return self.path.with_name(f"{self.path.name}.locks")

    async def create(self, thread_id: str, metadata: Mapping[str, str]) -> None:
        """Make an empty thread."""
        await self._writes.put(partial(threads.create, thread_id=check_id(thread_id), metadata=dict(metadata)))

    async def load(self, thread_id: str) -> StoredThread:
        """Read a thread."""
        return await self._reads.put(partial(threads.load, thread_id=check_id(thread_id), codec=self._codec))

    async def records(self, thread_id: str) -> Sequence[tuple[int, int, Record | None]]:
        """A thread's log as it stands, to check it: number, epoch and record, `None` where only a newer ore knows it.

        Raises:
            NotFoundError: There is no such thread.
            CorruptError: A record cannot be read.
        """
        return await self._reads.put(partial(threads.records, thread_id=check_id(thread_id), codec=self._codec))

    async def get_by(self, key: str, value: str) -> str | None:
        """Id of a thread with this fact."""
        return await self._reads.put(partial(threads.get_by, key=key, value=value))

    async def list(self, *, query: str = "", cursor: str | None = None, limit: int = 20) -> Page:
        """Threads, most recently written first."""
        before = threads.check_cursor(cursor)
        return await self._reads.put(partial(threads.list_threads, query=query, before=before, limit=limit))

    async def search(self, text: str, *, limit: int = 20) -> Sequence[Hit]:
        """Turns that contain `text` in any case, the latest written threads first."""
        by_index = self._full_text and await self._is_indexed()
        return await self._reads.put(partial(search.find, text=text, limit=limit, codec=self._codec, by_index=by_index))

    async def _is_indexed(self) -> bool:
        """Bring the index up to date; where that fails, as on a full disk, turns can still be read."""
        try:
            while await self._writes.put(partial(search.catch_up, codec=self._codec)):
                pass
        except StoreError:
            return False
        return True

    async def delete(self, thread_id: str) -> bool:
        """Remove a thread."""
        return await self._writes.put(partial(threads.delete, thread_id=check_id(thread_id)))

    def submit(self, session_id: str, message: Message) -> Awaitable[EndingRecord | Message | None]:
        """Put a message into the inbox."""
        return self._writes.put(partial(work.submit, session_id=session_id, message=message, codec=self._codec))

    async def pending(self, session_id: str) -> Sequence[Message]:
        """Unfinished messages in order."""
        return await self._reads.put(partial(work.pending, session_id=check_id(session_id), codec=self._codec))

    async def ending(self, session_id: str, message_id: str) -> EndingRecord | None:
        """How a message ended."""
        check_id(message_id, "message")
        return await self._reads.put(partial(work.ending, session_id=check_id(session_id), message_id=message_id))

    async def unfinished(self) -> Sequence[str]:
        """Sessions with work."""
        return await self._reads.put(work.unfinished)

    async def take(self, session_id: str, opening: Opening | None = None) -> Writer:
        """Become the one who may append."""
        # Should the machine fail before anything is appended, there is no writer left to fence; so no sync for this.
        return await self._writes.put(
            partial(work.take, session_id=check_id(session_id), opening=opening), outlasts_power=opening is not None
        )

    async def next(self, writer: Writer, *, mark: bool = False) -> Message | None:
        """The message to work on."""
        found = await self._writes.put(partial(work.next_message, held=owner(writer), mark=mark, codec=self._codec))
        if found is not None:
            writer.taken.add(found.id)
        return found

    def append(self, writer: Writer, records: Sequence[Record]) -> asyncio.Future[None]:
        """Append records, all or none; the future is set once they are on the disk."""
        records = tuple(records)
        return self._writes.put(
            partial(append, held=owner(writer), records=records), partial(_advance, writer, len(records))
        )

    async def park(self, writer: Writer) -> None:
        """Note that the running message is left on purpose."""
        await self._writes.put(partial(work.park, held=owner(writer)))

    def close(self, writer: Writer) -> asyncio.Future[bool]:
        """Give the session back."""
        return self._writes.put(partial(work.close, held=owner(writer)))

    async def interrupt(self, session_id: str) -> None:
        """Note that the running message shall stop."""
        await self._writes.put(partial(work.interrupt, session_id=check_id(session_id)))

    async def aclose(self) -> None:
        """Do what was asked for, then let go of the file and the threads."""
        try:
            await self._writes.aclose()
        finally:
            await self._reads.aclose()


def _advance(writer: Writer, records: int) -> None:
    writer.sequence += records
