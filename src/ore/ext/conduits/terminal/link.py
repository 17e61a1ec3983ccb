"""`Link`: where a screen's events come from, and where what people do goes."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Protocol

import msgspec

from ore.artifact import Artifact
from ore.event import Answer, Entry, Mode, Snapshot
from ore.ledger import Page

__all__ = ["CommandLine", "Lines", "Link"]


class CommandLine(msgspec.Struct, frozen=True, kw_only=True):
    """A slash command in a list.

    Attributes:
        hint: What stands behind its name, such as `PROVIDER:NAME`.
    """

    name: str
    description: str
    hint: str = ""


class Lines(Protocol):
    """Told how the line to the session is."""

    def line(self, state: str) -> None:
        """`live`, `reconnecting`, or why there is none."""
        ...


class Link(Protocol):
    """A session, wherever it lives: in this process, or behind `ore serve`.

    Everything may be called from the screen's own task; what cannot be done
    raises an `OreError` with a text for people. One that is closed is not used
    again.
    """

    @property
    def session_id(self) -> str:
        """The session that is followed."""
        ...

    @property
    def model(self) -> str | None:
        """Who answers next, as far as this end knows."""
        ...

    async def open(self, session_id: str | None) -> Snapshot:
        """Follow a session, made when there is none; the state as it stands.

        Raises:
            OreError: It cannot be used.
        """
        ...

    def events(self, lines: Lines) -> AsyncGenerator[Sequence[Entry], None]:
        """What happens in the session that was opened, without gap; ends when it is closed or another is opened.

        What comes again, such as after a lost line, has the ids that it had.
        """
        ...

    async def snapshot(self) -> Snapshot:
        """The state as it stands now."""
        ...

    async def send(self, content: Sequence[Artifact], *, id: str, mode: Mode = "queue") -> None:
        """Send a message; returns once it is durable. Sent again under the same id it is still one message."""
        ...

    async def interrupt(self) -> None:
        """Stop what runs; what waits stays."""
        ...

    async def withdraw(self, message_id: str) -> bool:
        """Take a message back before it starts; whether that was in time."""
        ...

    async def stop(self, activity_id: str) -> None:
        """Stop one call; the message goes on."""
        ...

    async def answer(self, answer: Answer) -> None:
        """Answer a question.

        Raises:
            OreError: Somebody else was first.
        """
        ...

    async def move(self, turn_id: str | None) -> None:
        """Go on from another turn."""
        ...

    async def fork(self, turn_id: str | None) -> str:
        """A new session with the path up to a turn; its id."""
        ...

    async def threads(self, query: str, cursor: str | None = None) -> Page:
        """Stored sessions, most recently used first."""
        ...

    async def describe(self, session_id: str, facts: Mapping[str, str | None]) -> None:
        """Change facts of a session, such as its title; `None` deletes one."""
        ...

    async def delete(self, session_id: str) -> None:
        """Remove a session for good."""
        ...

    async def commands(self) -> Sequence[CommandLine]:
        """The slash commands that the session knows."""
        ...

    async def aclose(self) -> None:
        """Follow nothing any more; what runs goes on where it lives."""
        ...
