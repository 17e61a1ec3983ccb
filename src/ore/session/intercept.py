"""Asking the interceptors, in order."""

from typing import TYPE_CHECKING

import msgspec

from ore.event import UserMessage, content_of
from ore.session.item import Item

if TYPE_CHECKING:
    from ore.session.core import Core
    from ore.session.stream import Stream

__all__ = ["intercepted"]


async def intercepted(core: "Core", stream: "Stream | None", item: Item) -> UserMessage | None:
    """What the interceptors make of a message; `None` when one of them used it up.

    Raises:
        TypeError: One returned something that is no `UserMessage`.
        Exception: One failed.
    """
    message = UserMessage(content=item.message.artifacts, id=item.message.id)
    if stream is None:  # nobody holds the session any more
        return message
    for interceptor in core.kit.interceptors:
        found = await interceptor.intercept(stream, message)
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
