"""`Interceptor`: looks at a message before the agent does."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import msgspec

from ore.artifact import Notice
from ore.event import UserMessage

if TYPE_CHECKING:
    from ore.session.stream import Stream

__all__ = ["Intercepted", "Interceptor"]


class Intercepted(msgspec.Struct, frozen=True, kw_only=True):
    """What an interceptor made of a message.

    Attributes:
        message: The message, maybe another one; `None` when it is used up.
        notices: What the person shall read first.
    """

    message: UserMessage | None
    notices: Sequence[Notice] = ()


class Interceptor(Protocol):
    """Asked for each message, in order, never for interrupts.

    It runs inside the message: it may take its time, is cancelled with it, and
    one that raises fails it. After a crash in its middle it is asked again.
    """

    async def intercept(self, stream: "Stream", message: UserMessage) -> Intercepted:
        """Let the message pass, change it, or use it up."""
        ...
