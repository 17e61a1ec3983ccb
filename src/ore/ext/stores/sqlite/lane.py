"""`Lane`: a thread that works for any number of event loops, a group at a time."""

import asyncio
import threading
import weakref
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any, Protocol, TypeVar, cast

from ore._aio import Holdable, finish

__all__ = ["Job", "Lane", "Performer"]

T = TypeVar("T")


class Job:
    """Something to do in the thread, and the future that waits for it.

    Attributes:
        work: What to do; gets what the performer passes.
        outlasts_power: Whether its effect must survive the machine, not only the process.
        result: What it gave.
        error: What it raised, or why it could not be done.
    """

    __slots__ = ("done", "error", "future", "loop", "outlasts_power", "result", "work")

    def __init__(
        self, work: Callable[[Any], Any], done: Callable[[], None] | None = None, *, outlasts_power: bool = True
    ) -> None:
        self.work = work
        self.done = done
        self.outlasts_power = outlasts_power
        self.loop = asyncio.get_running_loop()
        self.future: Holdable[Any] = Holdable(loop=self.loop)
        self.result: Any = None
        self.error: BaseException | None = None

    def settle(self) -> None:
        """Tell whoever waits, unless they went away; in their loop."""
        if self.error is None and self.done is not None:
            self.done()
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class Performer(Protocol):
    """Does the work; lives in the lane's thread from its first job to its end."""

    def perform(self, jobs: Sequence[Job]) -> None:
        """Set each job's result or error, whatever happens."""
        ...

    def close(self) -> None:
        """Let go of what it holds."""
        ...


class Lane:
    """Jobs in the order in which they were put, in one thread of their own.

    The thread starts with the first job and takes all that wait, up to
    `limit`, as one group. It is a daemon: idle, it keeps no process alive. A
    lane that is dropped without `aclose` ends its thread.

    Args:
        name: Of the thread.
        make: Makes the performer, in the thread. Must not refer to the lane.
        limit: Jobs in one group at most.
    """

    def __init__(self, name: str, make: Callable[[], Performer], limit: int) -> None:
        self._name = name
        self._make = make
        self._limit = limit
        self._guard = threading.Lock()
        self._queue: SimpleQueue[Job | _End] | None = None
        self._thread: threading.Thread | None = None
        self._dropped: weakref.finalize[[Job | _End], Lane] | None = None

    def put(
        self, work: Callable[[Any], T], done: Callable[[], None] | None = None, *, outlasts_power: bool = True
    ) -> asyncio.Future[T]:
        """Queue `work` for the thread.

        A future that is cancelled before the work began takes it back.

        Args:
            done: Called in the loop after success, before the future is set;
                also when nobody waits for it any more.
            outlasts_power: Whether the future waits until a loss of power could
                not undo the effect; else it may, but not before that of
                anything that was put later.
        """
        job = Job(work, done, outlasts_power=outlasts_power)
        with self._guard:
            (self._queue or self._start()).put(job)
        return cast("asyncio.Future[T]", job.future)

    async def aclose(self) -> None:
        """Do what waits, then end the thread; a later `put` starts another."""
        with self._guard:
            queue, thread, dropped = self._queue, self._thread, self._dropped
            self._queue = self._thread = self._dropped = None
        if queue is None or thread is None or dropped is None:
            return
        dropped.detach()
        last = Job(_nothing)
        queue.put(_End(last))
        try:
            await finish(last.future)
        finally:
            thread.join()  # it has nothing left to do

    def _start(self) -> "SimpleQueue[Job | _End]":
        queue = self._queue = SimpleQueue()
        self._thread = threading.Thread(
            target=_serve, args=(queue, self._make, self._limit), name=self._name, daemon=True
        )
        self._thread.start()
        self._dropped = weakref.finalize(self, queue.put, _End())
        return queue


def _nothing(_: object) -> None:
    """The work of the job that only waits for the end."""


class _End:
    """The last thing in a queue; `job` waits for the thread to have let go of everything."""

    __slots__ = ("job",)

    def __init__(self, job: Job | None = None) -> None:
        self.job = job


def _serve(queue: "SimpleQueue[Job | _End]", make: Callable[[], Performer], limit: int) -> None:
    performer = make()
    while (end := _serve_group(queue, performer, limit)) is None:
        pass
    try:
        performer.close()
    finally:
        if end.job is not None:
            _deliver((end.job,))


def _serve_group(queue: "SimpleQueue[Job | _End]", performer: Performer, limit: int) -> _End | None:
    """Wait for jobs and do them; holds on to none of them afterwards."""
    jobs: list[Job] = []
    item = queue.get()
    while isinstance(item, Job):
        jobs.append(item)
        if len(jobs) >= limit or queue.empty():
            break
        item = queue.get()
    wanted: list[Job] = []
    for job in jobs:
        if job.future.cancelled():
            job.error = asyncio.CancelledError()
        else:
            wanted.append(job)
    if wanted:
        performer.perform(wanted)
    _deliver(jobs)
    return item if isinstance(item, _End) else None


def _deliver(jobs: Sequence[Job]) -> None:
    """One call into each loop, however many of its futures are ready."""
    loops: dict[asyncio.AbstractEventLoop, list[Job]] = {}
    for job in jobs:
        loops.setdefault(job.loop, []).append(job)
    for loop, ready in loops.items():
        try:
            loop.call_soon_threadsafe(_settle, ready)
        except RuntimeError:  # closed: nobody there waits any more
            continue


def _settle(jobs: Sequence[Job]) -> None:
    for job in jobs:
        job.settle()
