"""`Kit`: what all sessions of one manager share."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ore.agent import AgentSpec
from ore.event import OnEmit, Tracer
from ore.ledger import Store
from ore.provider import Resolve
from ore.session.interceptor import Interceptor
from ore.session.limits import SessionLimits
from ore.tool import Asker

if TYPE_CHECKING:
    from ore.session.stream import Stream

__all__ = ["AgentFactory", "Kit"]

AgentFactory = Callable[["Stream"], AgentSpec]
"""Makes the agent of a session. May read the stream; one that raises fails the
creation or the attaching, and nothing is registered."""


@dataclass(slots=True, kw_only=True)
class Kit:
    """What all sessions of one manager share.

    Attributes:
        store: Where threads are.
        agent: Makes each session's agent.
        limits: On what comes in.
        resolve: Finds the provider of a model's name, for sessions that change model.
        interceptors: Asked for each message, in order.
        on_emit: Called with every event of a session, given its id.
        forget: Called when a session was closed.
        asker: Asks for approvals; `None` denies them.
        tracer: Makes spans.
    """

    store: Store
    agent: AgentFactory
    limits: SessionLimits = field(default_factory=SessionLimits)
    resolve: Resolve | None = None
    interceptors: list[Interceptor] = field(default_factory=list)
    on_emit: Callable[[str], OnEmit] | None = None
    forget: Callable[[str], None] | None = None
    asker: Asker | None = None
    tracer: Tracer | None = None
