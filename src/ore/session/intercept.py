"""Asking the interceptors, in order, and then the agent's own screens."""

from collections.abc import Awaitable, Callable, Sequence
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

__all__ = ["intercepted", "is_screened", "passed_on", "taken_in"]

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
    message = await passed_on(core, stream, item)
    return message if message is None else await taken_in(core, item, message)


async def passed_on(core: "Core", stream: "Stream | None", item: Item) -> UserMessage | None:
    """What the interceptors make of a message; see `intercepted`."""
    message = UserMessage(content=item.message.artifacts, id=item.message.id)
    if stream is None or not core.kit.interceptors:  # nobody holds the session any more, or nobody asks
        return message
    return await _asked(core, item, message, [partial(one.intercept, stream) for one in core.kit.interceptors])


async def taken_in(core: "Core", item: Item, message: UserMessage) -> UserMessage | None:
    """What the agent's own screens make of it; see `intercepted`."""
    screens = core.the_agent().screens
    return await _asked(core, item, message, [one.screen for one in screens]) if screens else message


async def _asked(core: "Core", item: Item, message: UserMessage, asked: Sequence[_Ask]) -> UserMessage | None:
    for ask in asked:
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
