"""`Outcome` and `Ticket`: what becomes of an accepted message."""

from collections.abc import Awaitable, Callable, Generator, Sequence
from typing import Any

import msgspec

from ore.errors import OreError
from ore.ledger import EndingRecord, Turn
from ore.ledger import Outcome as Status
from ore.session.latch import Latch

__all__ = ["Interrupted", "Outcome", "Ticket", "ended_before"]


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How a message ended.

    Attributes:
        status: `done`, `cancelled`, `failed`, `cleared` or `closed`.
        turn: The last assistant turn of the message, if any.
        error: Why it failed.
        turns: The turns that it added, in order, its own first.
    """

    status: Status
    turn: Turn | None = None
    turns: Sequence[Turn] = ()
    error: Exception | None = None


class Interrupted(msgspec.Struct, frozen=True, kw_only=True):
    """What an interrupt did.

    Attributes:
        cancelled: Id of the message that was running, if one was.
        cleared: What was taken out of the queue: pairs of id and content.
    """

    cancelled: str | None = None
    cleared: tuple[tuple[str, tuple[Any, ...]], ...] = ()


def ended_before(ending: EndingRecord, turn: Turn | None) -> Outcome:
    """The outcome of a message that ended in the log, with its error as the log has it."""
    info = ending.error
    if info is None:
        return Outcome(status=ending.outcome, turn=turn)
    return Outcome(status=ending.outcome, turn=turn, error=_kind(OreError, info.code)(info.message))


def _kind(kind: type[OreError], code: str) -> type[OreError]:
    """The error of that code among `kind` and those below it; `kind` when there is none."""
    if kind.code == code:
        return kind
    found = (_kind(one, code) for one in kind.__subclasses__())
    return next((one for one in found if one.code == code), kind)


class Ticket:
    """Stands for one message; await it for its `Outcome`.

    Whoever waits may go away: that stops nothing. Several may wait.
    """

    __slots__ = ("_accepted", "_cancel", "_outcome", "_withdraw", "id", "is_repeated")

    def __init__(self, id: str, withdraw: "Act | None" = None, cancel: "Act | None" = None) -> None:
        self.id = id
        self._withdraw = withdraw
        self._cancel = cancel
        self.is_repeated = False
        """Whether the message had ended under this id before, so that no event of it comes any more."""
        self._accepted: Latch[Exception | None] = Latch()
        self._outcome: Latch[Outcome | BaseException] = Latch()

    @property
    def outcome(self) -> Outcome | None:
        """How it ended; `None` while it has not."""
        value = self._outcome.value
        return value if isinstance(value, Outcome) else None

    @property
    def is_accepted(self) -> bool:
        """Whether the message is durable."""
        return self._accepted.done and self._accepted.value is None

    async def accepted(self) -> None:
        """Return once the message is durable: it will be worked on, whatever happens to this process.

        Raises:
            StoreError: It could not be stored.
            SessionOwnedError: Another process owns the session; nothing was stored.
        """
        error = await self._accepted.wait()
        if error is not None:
            raise error

    def __await__(self) -> Generator[Any, None, Outcome]:
        """Wait for the ending.

        Raises:
            SessionClosedError: This process shuts down; the message goes on at
                the next attach, here or elsewhere.
            SessionOwnedError: Another process owns the session, and the message.
        """
        return self._ended().__await__()

    async def _ended(self) -> Outcome:
        value = await self._outcome.wait()
        if isinstance(value, BaseException):
            raise value
        return value

    async def withdraw(self) -> bool:
        """Take the message back before it starts; one to a session at rest may start in the commit that accepts it.

        Returns:
            Whether that was in time; then its outcome is `cleared`.
        """
        return self._withdraw is not None and await self._withdraw(self)

    async def cancel(self) -> bool:
        """End just this message: take it back when it waits, cancel it when it runs.

        Durable on return: should this process die right behind, the next one
        does not go on with it.

        Returns:
            Whether there was something to end; not where the answer was on its
            way to the store already.

        Raises:
            StoreError: That could not be made durable; one that ran is
                cancelled all the same.
        """
        return self._cancel is not None and await self._cancel(self)

    def accept(self, error: Exception | None = None) -> None:
        """The message is durable, or could not be made so."""
        self._accepted.set(error)

    def resolve(self, outcome: Outcome) -> None:
        """The message ended."""
        if not self._accepted.done:
            self._accepted.set(None)
        self._outcome.set(outcome)

    def repeat(self, outcome: Outcome) -> None:
        """The message ended before, under the same id."""
        self.is_repeated = True
        self.resolve(outcome)

    def leave(self, error: BaseException) -> None:
        """The message goes on elsewhere: whoever waits here gets `error`."""
        self._accepted.set(None)
        self._outcome.set(error)


Act = Callable[[Ticket], Awaitable[bool]]
"""Does something to a message, and says whether that was in time."""
