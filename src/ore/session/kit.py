"""`Kit`: what all sessions of one manager share."""

import contextvars
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ore.agent import AgentSpec
from ore.event import OnEmit
from ore.ledger import Message, Store, StoredThread
from ore.session.interceptor import Interceptor
from ore.session.limits import SessionLimits
from ore.session.placement import Placement
from ore.session.services import Services

if TYPE_CHECKING:
    from ore.session.stream import Stream

__all__ = ["AgentFactory", "Kit", "OpenStream"]

AgentFactory = Callable[["Stream"], AgentSpec]
"""Makes the agent of a session. May read the stream; one that raises fails the
creation or the attaching, and nothing is registered."""


OpenStream = Callable[["Kit", StoredThread, Sequence[Message]], "Stream"]
"""Makes a live session of a thread and of what stands in its inbox."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """What all sessions of one manager share.

    Attributes:
        store: Where threads are.
        agent: Makes each session's agent.
        limits: On what comes in.
        placement: Decides who runs a session.
        services: What sessions may call on.
        interceptors: Asked for each message, in order.
        on_emit: Makes the callbacks of a session's events, given its id; a list
            that may change later.
        woke: Called when a session has something to do.
        rested: Called when a session was idle for a while and nobody read it.
        forget: Called when a session was closed.
        open: Makes a live session of a stored thread; for those inside calls.
        context: Where the work of messages goes on that were found in the inbox.
    """

    store: Store
    agent: AgentFactory
    placement: Placement
    limits: SessionLimits = field(default_factory=SessionLimits)
    services: Services = field(default_factory=Services)
    interceptors: Sequence[Interceptor] = ()
    on_emit: Callable[[str], Sequence[OnEmit]] | None = None
    woke: Callable[[str], object] | None = None
    rested: Callable[[str], None] | None = None
    forget: Callable[[str], None] | None = None
    open: "OpenStream | None" = None
    context: Callable[[], contextvars.Context] = contextvars.Context
