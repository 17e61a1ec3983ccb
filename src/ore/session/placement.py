"""`Placement`: who runs a session; and the local one, a lock file for each."""

import asyncio
import fcntl
import os
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

from ore._forks import close_lock, holds_lock, keep_lock
from ore.errors import SessionOwnedError, StoreError
from ore.ledger import check_id

__all__ = ["Activate", "LocalPlacement", "Placement"]

Activate = Callable[[str], Awaitable[None]]
"""Works through what waits in a session; free when nothing waits, safe when run
twice, and it leaves unfinished work in the inbox when it is cancelled."""


class Placement(Protocol):
    """Decides who runs a session, at least once for each time it is enlisted."""

    async def enlist(self, session_id: str, activation: str) -> None:
        """See to it that the session is activated; the same activation of it counts once."""
        ...

    async def serve(self, activate: Activate, *, limit: int, drain_s: float) -> None:
        """Activate what is enlisted, `limit` sessions at once, until cancelled.

        Then what runs gets `drain_s` seconds before it is cancelled.
        """
        ...

    def hold(self, session_id: str) -> AbstractAsyncContextManager[None]:
        """Own the session while the block lasts: the right to take, submit and append.

        Raises:
            SessionOwnedError: Another process owns it right now.
        """
        ...


class LocalPlacement:
    """Sessions of one machine: a task in this process, and a file lock for each session that is active.

    The kernel frees a lock when its process dies, so there is no lease, no pid
    and no timeout, and another process can go on at once.

    Args:
        folder: Where the lock files are, private to the user; `None` when the
            store is in memory, which no other process sees.
        owners: Who runs which session, shared by all who use one store in memory.
    """

    def __init__(self, folder: Path | None = None, *, owners: MutableMapping[str, object] | None = None) -> None:
        self._folder = folder
        self._owners = owners if owners is not None else {}
        self._held: dict[str, tuple[int, int]] = {}
        self._enlisted: dict[tuple[str, str], None] = {}
        self._wake: asyncio.Event | None = None

    def hold(self, session_id: str) -> AbstractAsyncContextManager[None]:
        """Own the session while the block lasts; nested in one process.

        Raises:
            SessionOwnedError: On entering: another process owns it.
        """
        return _Hold(self, session_id)

    async def enlist(self, session_id: str, activation: str) -> None:
        """Have the session activated by `serve`."""
        self._enlisted[(session_id, activation)] = None
        if self._wake is not None:
            self._wake.set()

    async def serve(self, activate: Activate, *, limit: int, drain_s: float) -> None:
        """Activate what is enlisted until cancelled."""
        self._wake = asyncio.Event()
        running: set[asyncio.Task[None]] = set()
        try:
            while True:
                self._wake.clear()
                while self._enlisted and len(running) < limit:
                    session_id, activation = next(iter(self._enlisted))
                    del self._enlisted[(session_id, activation)]
                    task = asyncio.ensure_future(activate(session_id))
                    running.add(task)
                    task.add_done_callback(self._ended(running))
                await self._wake.wait()
        finally:
            await _drain(running, drain_s)

    def _ended(self, running: "set[asyncio.Task[None]]") -> "Callable[[asyncio.Task[None]], None]":
        def ended(task: "asyncio.Task[None]") -> None:
            running.discard(task)
            if not task.cancelled():
                task.exception()
            if self._wake is not None:
                self._wake.set()

        return ended

    def acquire(self, session_id: str) -> None:
        """Own a session, once more; see `hold`.

        Raises:
            SessionOwnedError: Another process owns it, or another manager of this one.
            StoreError: Its lock file cannot be opened.
        """
        held = self._held.get(session_id)
        if held is not None:
            self._held[session_id] = (held[0], held[1] + 1)
        elif self._folder is not None:
            try:
                self._held[session_id] = (self._lock(self._folder, session_id), 1)
            except OSError as error:
                where = str(self._folder / f"{session_id}.lock")
                raise StoreError(f"lock file {where!r}: {error.strerror or type(error).__name__}") from error
        elif self._owners.setdefault(session_id, self) is self:
            self._held[session_id] = (-1, 1)
        else:
            raise SessionOwnedError(f"session {session_id!r} is in use by another manager of this process")

    def release(self, session_id: str) -> None:
        """Own it once less."""
        held = self._held.get(session_id)
        if held is None:
            return
        descriptor, count = held
        if count > 1:
            self._held[session_id] = (descriptor, count - 1)
            return
        del self._held[session_id]
        if descriptor < 0:
            del self._owners[session_id]
            return
        close_lock(descriptor)  # the file stays: removing it each time would cost more than the lock itself

    def _open(self, folder: Path, path: str) -> int:
        try:
            return _opened(path)
        except FileNotFoundError:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return _opened(path)

    def _lock(self, folder: Path, session_id: str) -> int:
        """An open descriptor that holds the session's lock file; a few system calls, none of which waits."""
        path = f"{folder}/{check_id(session_id)}.lock"
        while True:
            descriptor = self._open(folder, path)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is_at(descriptor, path):
                    return descriptor
            except BlockingIOError:
                owner = "manager of this process" if holds_lock(path, descriptor) else "live process"
                close_lock(descriptor)
                raise SessionOwnedError(f"session {session_id!r} is in use by another {owner}") from None
            except BaseException:
                close_lock(descriptor)
                raise
            close_lock(descriptor)  # its owner removed it between the two calls


class _Hold:
    __slots__ = ("_placement", "_session_id")

    def __init__(self, placement: LocalPlacement, session_id: str) -> None:
        self._placement = placement
        self._session_id = session_id

    async def __aenter__(self) -> None:
        self._placement.acquire(self._session_id)

    async def __aexit__(self, *_: object) -> None:
        self._placement.release(self._session_id)


def _opened(path: str) -> int:
    return keep_lock(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), path)


def _is_at(descriptor: int, path: str) -> bool:
    """Whether the open file is still the one at `path`."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


async def _drain(running: "set[asyncio.Task[None]]", drain_s: float) -> None:
    if not running:
        return
    _, late = await asyncio.wait(set(running), timeout=drain_s)
    for task in late:
        task.cancel()
    if late:
        await asyncio.wait(late)
