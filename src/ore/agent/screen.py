"""`Screen`: an agent looks at a message before it takes it in."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from ore.artifact import Notice
from ore.event import UserMessage

__all__ = ["Screen", "Screened"]


class Screened(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent takes in of a message.

    Attributes:
        message: The message, maybe another one; `None` when it takes none of it.
        notices: What the person shall read first.
    """

    message: UserMessage | None
    notices: Sequence[Notice] = ()


class Screen(Protocol):
    """Asked for each message, behind the session's interceptors, wherever the agent works.

    It runs inside the message: it may take its time, is cancelled with it, and
    one that raises fails it. After a crash in its middle it is asked again.
    """

    async def screen(self, message: UserMessage) -> Screened:
        """Let the message in, change it, or keep it out."""
        ...
