"""`OrderChecker`: what holds for the order of a session's events, whatever happened in it."""

from collections.abc import Collection, Iterable

from ore.event import Entry
from ore.testing.message_order import MessageOrder

__all__ = ["OrderChecker", "check_order"]


class OrderChecker:
    """Fed with every event of one session, says what is wrong as soon as it is.

    Ids rise. Each message tells, in this order: `queued`, if anything was
    ahead; its user turn; for each inference `submitted`, `streaming`, its
    fragments and complete artifacts, its turn; each `tool_result` before the
    tool turn that holds it; at most one `error`, or `cancelled`; `done` once,
    and nothing after it. What is told inside a call comes before the call's
    result. All of a message's events carry the same envelope.
    A message that the store could not
    end tells an `error` and goes on at the next attach. Behind a `gap` only what can still be known is checked.

    Args:
        resumed: Messages that an earlier process began, so that their user
            turn is not told again.
    """

    def __init__(self, *, resumed: Collection[str] = ()) -> None:
        self._resumed = frozenset(resumed)
        self._messages: dict[str | None, MessageOrder] = {}
        self._last: tuple[int, int] | None = None
        self._told: list[Entry] = []
        self._gap = False

    def feed(self, entry: Entry) -> None:
        """Take the next event.

        Raises:
            AssertionError: It must not come here.
        """
        self._told.append(entry)
        place = (entry.epoch, entry.number)
        if self._last is not None and place <= self._last:
            self._fail(entry, f"ids rise, but {entry.id} follows {self._last[0]}-{self._last[1]}")
        self._last = place
        if entry.kind == "gap":
            self._gap = True
            for message in self._messages.values():
                message.forget()
            return
        fault = self._of(entry.context.message).next(entry)
        if fault:
            self._fail(entry, fault)

    def close(self) -> None:
        """The session is at rest.

        Raises:
            AssertionError: A message has not ended.
        """
        for id, message in self._messages.items():
            fault = message.unfinished()
            if fault:
                raise AssertionError(f"message {id}: {fault}\n{self._story(id)}")

    def _of(self, id: str | None) -> MessageOrder:
        found = self._messages.get(id)
        if found is None:
            found = self._messages[id] = MessageOrder(id, resumed=id in self._resumed or self._gap)
        return found

    def _fail(self, entry: Entry, fault: str) -> None:
        message = entry.context.message
        raise AssertionError(f"at {entry.id} ({message or 'outside any message'}): {fault}\n{self._story(message)}")

    def _story(self, message: str | None) -> str:
        """The last events of the message, for whoever has to find the fault."""
        told = [entry for entry in self._told if entry.context.message == message][-40:]
        return "\n".join(f"  {entry.id:>8}  {entry.json.decode(errors='replace')[:160]}" for entry in told)


def check_order(entries: Iterable[Entry], *, resumed: Collection[str] = ()) -> None:
    """Check all events of a session that is at rest now.

    Raises:
        AssertionError: Their order breaks what `OrderChecker` says.
    """
    checker = OrderChecker(resumed=resumed)
    for entry in entries:
        checker.feed(entry)
    checker.close()
