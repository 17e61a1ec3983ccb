"""`Invocation`: one command that somebody typed, and how it answers."""

from collections.abc import Awaitable, Callable, Sequence

from ore.artifact import Notice, Severity
from ore.event import UserMessage
from ore.session import Stream

__all__ = ["CommandHandler", "Invocation"]


class Invocation:
    """One command that somebody typed.

    Attributes:
        stream: The session.
        name: What it was called by.
        text: What stands behind the name and one blank, as it was typed.
        notices: What was said so far.
    """

    __slots__ = ("name", "notices", "stream", "text")

    def __init__(self, stream: Stream, name: str, text: str) -> None:
        self.stream = stream
        self.name = name
        self.text = text
        self.notices: list[Notice] = []

    @property
    def words(self) -> Sequence[str]:
        """The text, split at blanks."""
        return self.text.split()

    def say(self, text: str, severity: Severity = Severity.INFO) -> None:
        """Tell the person who typed it; no model ever reads it."""
        self.notices.append(Notice(content=text, severity=severity))

    def usage(self, text: str) -> None:
        """Say how the command is used; nothing was changed."""
        self.say(f"usage: /{self.name} {text}")


CommandHandler = Callable[[Invocation], Awaitable[UserMessage | None]]
"""Does what a command is for, inside the message that it came with: it may take
its time and is cancelled with it. Returns a message that goes on in its place,
for the model; mostly nothing. What it raises becomes a notice, unless it said
something itself before."""
