"""`Owner`: a writer that knows its thread's number, and the question whether it still holds."""

import sqlite3

from ore.errors import FencedError, NotFoundError
from ore.ledger import Writer

__all__ = ["Owner", "check_held", "missing", "number_of", "owner"]


class Owner(Writer):
    """What `take` gives.

    Attributes:
        number: Of the thread. A thread made again under the id of a deleted one has another.
    """

    __slots__ = ("number",)

    def __init__(self, number: int, session_id: str, epoch: int, sequence: int, *, stop: bool = False) -> None:
        super().__init__(session_id, epoch, sequence, stop=stop)
        self.number = number


def owner(writer: Writer) -> Owner:
    """`writer` as this store made it.

    Raises:
        TypeError: Another one did.
    """
    if not isinstance(writer, Owner):
        raise TypeError(f"expected a writer that this store's take gave, got {writer!r}")
    return writer


def check_held(connection: sqlite3.Connection, held: Owner) -> None:
    """Make sure that nobody took the session after `held` did.

    Raises:
        FencedError: Somebody did.
        NotFoundError: The thread is gone.
    """
    row = connection.execute("SELECT epoch FROM session WHERE number = ?", (held.number,)).fetchone()
    if row is None:
        number_of(connection, held.session_id)
    if row is None or row[0] != held.epoch:
        raise FencedError(f"session {held.session_id!r} was taken by another owner")


def number_of(connection: sqlite3.Connection, thread_id: str) -> int:
    """The thread's number.

    Raises:
        NotFoundError: There is no such thread.
    """
    row = connection.execute("SELECT number FROM session WHERE id = ?", (thread_id,)).fetchone()
    if row is None:
        raise missing(thread_id)
    return int(row[0])


def missing(thread_id: str) -> NotFoundError:
    """The error for a thread that is not there."""
    return NotFoundError(f"no session {thread_id!r}")
