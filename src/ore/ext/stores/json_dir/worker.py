"""`Worker`: one thread that does what may block, for any number of event loops."""

import asyncio
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from ore._aio import finish
from ore.artifact import Codec
from ore.errors import StoreError
from ore.ext.stores.json_dir.folder import Folder

__all__ = ["Worker"]

T = TypeVar("T")


class Worker:
    """Works with a folder in the order in which it was asked to.

    The thread starts and the folder is locked with the first job; both end
    with `aclose`, after which another job starts them again. They end as well
    when the worker is dropped.

    Args:
        path: Of the folder.
        codec: Knows the artifacts of third parties.
    """

    def __init__(self, path: Path, codec: Codec) -> None:
        self._folder = Folder(path, codec)
        self._turn = threading.Lock()
        """One job at a time, also where a thread is ending and the next has begun."""
        self._guard = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._dropped: weakref.finalize[[ThreadPoolExecutor, Callable[[], None]], Worker] | None = None

    def put(self, work: Callable[[Folder], T]) -> asyncio.Future[T]:
        """Queue `work` for the thread.

        A future that is cancelled before the work began takes it back.
        """
        loop = asyncio.get_running_loop()
        with self._guard:
            return loop.run_in_executor(self._pool or self._start(), partial(_perform, self._turn, self._folder, work))

    async def aclose(self) -> None:
        """Do what waits, then give the folder back and end the thread."""
        with self._guard:
            pool, dropped = self._pool, self._dropped
            self._pool = self._dropped = None
        if pool is None or dropped is None:
            return
        dropped.detach()
        try:
            await finish(asyncio.get_running_loop().run_in_executor(pool, partial(_close, self._turn, self._folder)))
        finally:
            pool.shutdown()  # it has nothing left to do

    def _start(self) -> ThreadPoolExecutor:
        pool = self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ore-json-store")
        self._dropped = weakref.finalize(self, _end, pool, partial(_close, self._turn, self._folder))
        self._dropped.atexit = False  # the process that ends frees the lock
        return pool


def _perform(turn: threading.Lock, folder: Folder, work: Callable[[Folder], T]) -> T:
    with turn:
        try:
            folder.open()
            return work(folder)
        except OSError as error:
            where = f": {str(error.filename)!r}" if error.filename else ""
            raise StoreError(f"store {str(folder.path)!r}: {error.strerror or error}{where}") from error


def _close(turn: threading.Lock, folder: Folder) -> None:
    with turn:
        folder.close()


def _end(pool: ThreadPoolExecutor, close: Callable[[], None]) -> None:
    with suppress(RuntimeError):  # the interpreter is ending
        pool.submit(close)
    pool.shutdown(wait=False)
