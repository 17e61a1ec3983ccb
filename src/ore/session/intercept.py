"""Asking the interceptors, in order, and then the agent's own screens."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from ore.agent import Screened
from ore.event import UserMessage, content_of
from ore.session.interceptor import Intercepted
from ore.session.item import Item

if TYPE_CHECKING:
    from ore.session.core import Core
    from ore.session.stream import Stream

__all__ = ["intercepted", "is_screened"]

_Ask = Callable[[UserMessage], Awaitable[Intercepted | Screened]]


def is_screened(core: "Core") -> bool:
    """Whether a message may be changed, or used up, before its turn is recorded."""
    return bool(core.kit.interceptors or core.the_agent().screens)


async def intercepted(core: "Core", stream: "Stream | None", item: Item) -> UserMessage | None:
    """What the interceptors and the agent make of a message; `None` when one of them used it up.

    Raises:
        TypeError: One returned something that is no `UserMessage`.
        Exception: One failed.
    """
    message = UserMessage(content=item.message.artifacts, id=item.message.id)
    asked: list[_Ask] = []
    if stream is not None:  # else nobody holds the session any more
        asked += [partial(one.intercept, stream) for one in core.kit.interceptors]
    for ask in (*asked, *(one.screen for one in core.the_agent().screens)):
        found = await ask(message)
        for notice in found.notices:
            core.emit(notice, item.envelope)
        if found.message is None:
            return None
        message = _checked(found.message)
    return message


def _checked(message: object) -> UserMessage:
    if not isinstance(message, UserMessage):
        raise TypeError(f"expected an interceptor to return a UserMessage or None, got {type(message).__name__}")
    return msgspec.structs.replace(message, content=content_of(message.content))
