"""What an interceptor returned, checked."""

import msgspec

from ore.event import UserMessage, content_of

__all__ = ["intercepted"]


def intercepted(message: object) -> UserMessage:
    """The message that an interceptor passed on.

    Raises:
        TypeError: It is no `UserMessage`.
    """
    if not isinstance(message, UserMessage):
        raise TypeError(f"expected an interceptor to return a UserMessage or None, got {type(message).__name__}")
    return msgspec.structs.replace(message, content=content_of(message.content))
