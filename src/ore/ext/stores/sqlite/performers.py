"""The two sides of a file: one that writes in groups, one that reads."""

import random
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ore.ext.stores.sqlite.faults import is_broken, is_busy, store_error
from ore.ext.stores.sqlite.lane import Job
from ore.ext.stores.sqlite.schema import BUSY_S

__all__ = ["Commits", "GroupWriter", "Reader"]

Open = Callable[[], sqlite3.Connection]


class Commits:
    """How many transactions were committed, in all threads that a store had."""

    def __init__(self) -> None:
        self.count = 0


class _Side:
    """A connection that is opened when it is needed, and anew after it broke."""

    def __init__(self, path: Path, open_database: Open) -> None:
        self._path = path
        self._open = open_database
        self._connection: sqlite3.Connection | None = None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = self._open()
        return self._connection

    def _recover(self, error: BaseException) -> None:
        """Leave no transaction open, and no connection that cannot be trusted."""
        if self._connection is None:
            return
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error:
            self.close()
        else:
            if is_broken(error):
                self.close()

    def _fail(self, jobs: Sequence[Job], error: BaseException) -> None:
        for job in jobs:
            job.error = store_error(error, self._path)


class GroupWriter(_Side):
    """Commits what many sessions asked for in one transaction, with one sync.

    Where one is refused, all are done once more with a savepoint for each, so
    that it rolls back alone. When the transaction as a whole fails, each job is
    tried once more by itself, so one that does not fit on the disk takes no
    other with it. A transaction whose jobs need not outlast a loss of power is
    not synced; the next sync covers it.
    """

    def __init__(self, path: Path, open_database: Open, commits: Commits) -> None:
        super().__init__(path, open_database)
        self._commits = commits
        self._syncs = True

    def close(self) -> None:
        super().close()
        self._syncs = True  # as a new connection does

    def perform(self, jobs: Sequence[Job]) -> None:
        """Do all jobs; what has a result is durable."""
        try:
            connection = self._connected()
            self._sync(connection, any(job.outlasts_power for job in jobs))
            _begin(connection)
        except Exception as error:  # whatever it is, those who wait must hear of it
            self._recover(error)
            self._fail(jobs, error)
            return
        try:
            if not _attempt_all(connection, jobs):
                if len(jobs) == 1:
                    return
                _begin(connection)
                for job in jobs:
                    _attempt(connection, job)
                connection.execute("COMMIT")
            self._commits.count += 1
        except Exception as error:
            self._recover(error)
            if len(jobs) == 1:
                self._fail(jobs, error)
                return
            for job in jobs:
                self.perform((job,))

    def _sync(self, connection: sqlite3.Connection, syncs: bool) -> None:
        if syncs is not self._syncs:
            connection.execute("PRAGMA synchronous = FULL" if syncs else "PRAGMA synchronous = NORMAL")
            self._syncs = syncs


class Reader(_Side):
    """Reads, each time from one state of the whole file."""

    def perform(self, jobs: Sequence[Job]) -> None:
        """Do all jobs."""
        for job in jobs:
            try:
                connection = self._connected()
                connection.execute("BEGIN")
                job.result = job.work(connection)
                connection.execute("COMMIT")
            except Exception as error:  # whatever it is, those who wait must hear of it
                self._recover(error)
                self._fail((job,), error)


def _begin(connection: sqlite3.Connection) -> None:
    """Become the file's one writer.

    Asks at short random intervals: SQLite's own waiting backs off to 100 ms,
    and then a process that commits without a pause locks the others out.
    """
    deadline = time.monotonic() + BUSY_S
    while True:
        try:
            connection.execute("BEGIN IMMEDIATE")
            return
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() >= deadline:
                raise
            time.sleep(random.uniform(0.0005, 0.005))


def _attempt_all(connection: sqlite3.Connection, jobs: Sequence[Job]) -> bool:
    """Do all in one transaction without savepoints, and commit; or nothing of it, when one is refused."""
    for job in jobs:
        job.error = None
        try:
            job.result = job.work(connection)
        except sqlite3.Error:
            raise
        except Exception as error:
            connection.execute("ROLLBACK")
            job.result, job.error = None, error
            return False
    connection.execute("COMMIT")
    return True


def _attempt(connection: sqlite3.Connection, job: Job) -> None:
    job.result = job.error = None
    connection.execute("SAVEPOINT job")
    try:
        job.result = job.work(connection)
    except sqlite3.Error:
        raise
    except Exception as error:  # a refusal, or a fault of the program: the others go on
        connection.execute("ROLLBACK TO job")
        job.error = error
    connection.execute("RELEASE job")
