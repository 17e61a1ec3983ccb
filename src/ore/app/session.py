"""`Session`: a conversation, for people who write programs with it."""

from collections.abc import Callable, Sequence
from typing import Any

from ore.app.result import Result, usage_of
from ore.app.run import Run
from ore.artifact import Usage
from ore.event import Content, Mode, UserMessage, content_of
from ore.ledger import Turn
from ore.session import Interrupted, Metadata, Stream, cursor_of

__all__ = ["Session"]


class Session:
    """A conversation that is stored; made by `Agent.session`.

    Messages queue in order. Whoever leaves a `Run` or the session's block
    stops nothing that was submitted.
    """

    def __init__(self, handle: Stream, parse: Callable[[str], Any] | None = None) -> None:
        self.handle = handle
        """The core's own object for it, with everything it can do."""
        self._parse = parse

    @property
    def id(self) -> str:
        """Its id; `Agent.session(id)` goes on with it."""
        return self.handle.id

    @property
    def turns(self) -> Sequence[Turn]:
        """The conversation so far."""
        return self.handle.turns

    @property
    def usage(self) -> Usage:
        """What the conversation used so far, also for answers that were empty, failed or were taken back."""
        return usage_of(self.handle.history.all_turns)

    @property
    def metadata(self) -> Metadata:
        """Its facts."""
        return self.handle.metadata

    def stream(self, content: Content, *, id: str | None = None, mode: Mode = "queue") -> Run:
        """Submit a message at once, and read what comes of it.

        Args:
            content: Text or artifacts.
            id: The message's own id, so that sending twice is one message.
            mode: When it takes its turn.

        Raises:
            SessionClosedError: The session is closed.
            LimitError: The message is too large, or too many wait.
        """
        after = cursor_of(self.handle)
        ticket = self.handle.submit(UserMessage(content=content_of(content), id=id, mode=mode))
        return Run(self.handle, ticket, after, self._parse)

    async def run(self, content: Content, *, id: str | None = None, mode: Mode = "queue") -> Result:
        """Submit a message and wait for its ending. Being cancelled while waiting stops nothing.

        Raises:
            Exception: What the message failed with.
        """
        return await self.stream(content, id=id, mode=mode).result()

    async def interrupt(self, *, clear: bool = True) -> Interrupted:
        """Stop what runs, and take out of the queue what waits."""
        return await self.handle.interrupt(clear=clear)
