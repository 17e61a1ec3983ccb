"""`Slots`: a bounded number of jobs at once, each in a thread, first come first served."""

import threading
from collections import deque
from typing import Protocol

__all__ = ["Job", "Slots"]


class Job(Protocol):
    """Something that blocks a thread."""

    def run(self) -> None:
        """Do it; never raises."""
        ...

    def ended(self) -> None:
        """Told once its slot is free again, from the worker's thread; never raises."""
        ...


class Slots:
    """Runs jobs in threads of their own, at most `limit` at once; safe from any thread.

    A thread lives while there is work. It is no daemon: an interpreter that
    ends waits for it, so a job has to look whether the main thread is alive.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._busy = 0
        self._waiting: deque[Job] = deque()
        self._lock = threading.Lock()

    @property
    def busy(self) -> int:
        """How many jobs hold a slot."""
        return self._busy

    def start(self, job: Job) -> None:
        """Run it as soon as a slot is free.

        Raises:
            RuntimeError: No thread can be started; the job will not run.
        """
        with self._lock:
            if self._busy >= self._limit:
                self._waiting.append(job)
                return
            self._busy += 1
        try:
            threading.Thread(target=self._work, args=(job,), name="ore-local").start()
        except RuntimeError:
            self._next()
            raise

    def withdraw(self, job: Job) -> bool:
        """Take back a job that still waits.

        Returns:
            Whether it did; else it runs or ran, and `ended` is how one learns of its end.
        """
        with self._lock:
            if job in self._waiting:
                self._waiting.remove(job)
                return True
        return False

    def _work(self, job: Job) -> None:
        current: Job | None = job
        while current is not None:
            current.run()
            following = self._next()
            current.ended()
            current = following

    def _next(self) -> Job | None:
        with self._lock:
            if self._waiting:
                return self._waiting.popleft()
            self._busy -= 1
            return None
