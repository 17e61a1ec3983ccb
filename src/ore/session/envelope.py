"""Envelopes: what the events of a session carry."""

from ore.event import CURRENT, EventContext
from ore.ledger import Message

__all__ = ["envelope_of", "outside"]


def envelope_of(session_id: str, message: Message) -> EventContext:
    """What a message's events carry; inside another message's tool the path goes on."""
    return EventContext(
        message=message.id,
        provenance=message.provenance,
        thread_id=session_id,
        traceparent=message.traceparent,
        path=CURRENT.get().path,
    )


def outside(session_id: str) -> EventContext:
    """What events outside any message carry: the running message's envelope inside one."""
    here = CURRENT.get()
    return here if here.message else EventContext(provenance="app", thread_id=session_id)
