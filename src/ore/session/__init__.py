"""Sessions: one worker, one queue, one event log, any number of front ends."""

from ore.session.answering import Answering, answering
from ore.session.conduit import Conduit, Descriptor, Host
from ore.session.history import History
from ore.session.interceptor import Intercepted, Interceptor
from ore.session.kit import AgentFactory
from ore.session.limits import SessionLimits
from ore.session.manager import Defaults, Manager
from ore.session.metadata import Metadata
from ore.session.outcome import Interrupted, Outcome, Ticket
from ore.session.placement import Activate, LocalPlacement, Placement
from ore.session.questions import Answerer, AskPolicy
from ore.session.roster import AGENT_KEY, Roster
from ore.session.services import Services
from ore.session.siblings import fork_session, new_session, store_of
from ore.session.sinks import Sink
from ore.session.stream import Stream, cursor_of, phase_of, queue_in

__all__ = [
    "AGENT_KEY",
    "Activate",
    "AgentFactory",
    "Answerer",
    "Answering",
    "AskPolicy",
    "Conduit",
    "Defaults",
    "Descriptor",
    "History",
    "Host",
    "Intercepted",
    "Interceptor",
    "Interrupted",
    "LocalPlacement",
    "Manager",
    "Metadata",
    "Outcome",
    "Placement",
    "Roster",
    "Services",
    "SessionLimits",
    "Sink",
    "Stream",
    "Ticket",
    "answering",
    "cursor_of",
    "fork_session",
    "new_session",
    "phase_of",
    "queue_in",
    "store_of",
]
