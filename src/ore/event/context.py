"""What every event of one message carries: where it came from and what it belongs to."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property

import msgspec

from ore.artifact import to_json

__all__ = ["CURRENT", "EventContext", "current_context", "provenance"]


class EventContext(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, dict=True):
    """The envelope of an event, but for its id.

    Attributes:
        message: The message that the event belongs to; `None` outside any.
        provenance: The conduit through which that message came, such as `"http"`.
        thread_id: The session's thread.
        traceparent: W3C trace context.
        path: Keys of the tool calls inside which it happened, outermost first.
        attempt: Which attempt of the turn it belongs to, from the second on.
        block: The block that a fragment or a complete artifact belongs to.
    """

    message: str | None = None
    provenance: str | None = None
    thread_id: str | None = None
    traceparent: str | None = None
    path: tuple[str, ...] | None = None
    attempt: int | None = None
    block: str | None = None

    def inside(self, key: str) -> "EventContext":
        """The context inside the tool call `key`."""
        return msgspec.structs.replace(self, path=(*(self.path or ()), key))

    @cached_property
    def json_tail(self) -> bytes:
        """Its fields as the rest of a JSON object that has an `id` in front."""
        fields = to_json(self)[1:]
        return b"," + fields if len(fields) > 1 else fields


CURRENT: ContextVar[EventContext] = ContextVar("ore.event.context", default=EventContext())
"""The context that an event gets when nobody gives it one.

A message's task runs in a copy of its sender's context variables with this one
set, so its tools, handlers and later rounds inherit it.
"""


def current_context() -> EventContext:
    """The context here and now."""
    return CURRENT.get()


@contextmanager
def provenance(name: str, *, traceparent: str | None = None) -> Iterator[None]:
    """Mark what is submitted inside as coming through the conduit `name`."""
    here = CURRENT.get()
    token = CURRENT.set(msgspec.structs.replace(here, provenance=name, traceparent=traceparent or here.traceparent))
    try:
        yield
    finally:
        CURRENT.reset(token)
