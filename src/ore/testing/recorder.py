"""`Recorder`: everything that a session tells, collected without waiting."""

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Protocol, Self

from ore.artifact import TextDelta
from ore.event import Entry, Lifecycle
from ore.loop import Subscription

__all__ = ["Recorder"]


class Source(Protocol):
    """Anything that can be subscribed to: a Stream, a Step, an EventBus."""

    def subscribe(self, *kinds: str, after: str | None = None) -> Subscription:
        """Read events."""
        ...


class Recorder:
    """Keeps the events of a session from here on, or from behind the event `after`.

    Looking at it takes what has happened so far; nothing is missed between
    two looks, and after the `async with` it stays as it was at the end.

        async with Recorder(stream) as seen:
            await stream.process(message)
        assert seen.kinds == [...]

    Args:
        source: What to subscribe to.
        kinds: The kinds to keep; all without any.
    """

    def __init__(self, source: Source, *kinds: str, after: str | None = None) -> None:
        self._reader = source.subscribe(*kinds, after=after)
        self._kept: list[Entry] = []
        self._open = True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop keeping; what was told until now stays."""
        self._look()
        self._open = False
        self._reader.close()

    @property
    def entries(self) -> Sequence[Entry]:
        """The events so far, in order."""
        self._look()
        return tuple(self._kept)

    @property
    def kinds(self) -> list[str]:
        """Their kinds."""
        return [entry.kind for entry in self.entries]

    @property
    def words(self) -> list[str]:
        """Their kinds, with the phase in place of `lifecycle` and the outcome behind `done`."""
        return [_word(entry) for entry in self.entries]

    @property
    def text(self) -> str:
        """The text as it streamed."""
        return "".join(entry.event.content for entry in self.entries if isinstance(entry.event, TextDelta))

    def of(self, message: str | None) -> list[Entry]:
        """The events of one message; with `None` those outside any."""
        return [entry for entry in self.entries if entry.context.message == message]

    async def until(self, found: str | Callable[[Entry], bool]) -> Entry:
        """Wait for an event of a kind, or one that fits; those that came already count.

        Raises:
            EOFError: The session closed without it.
        """
        fits = found if callable(found) else lambda entry: entry.kind == found
        place = 0
        while True:
            self._look()
            for entry in self._kept[place:]:
                if fits(entry):
                    return entry
            place = len(self._kept)
            if not self._open:
                raise EOFError("the recorder was closed before the event came")
            try:
                self._kept.append(await anext(self._reader))
            except StopAsyncIteration:
                raise EOFError("the session closed before the event came") from None

    def _look(self) -> None:
        if self._open:
            self._kept.extend(self._reader.take())


def _word(entry: Entry) -> str:
    event = entry.event
    if not isinstance(event, Lifecycle):
        return entry.kind
    return f"{event.phase} {event.outcome}" if event.outcome is not None else event.phase
