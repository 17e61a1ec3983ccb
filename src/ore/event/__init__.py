"""Events: what happens in a session, in one order, with where it came from."""

from ore.event.context import CURRENT, EventContext, current_context, provenance
from ore.event.emitter import Emitter, OnEmit
from ore.event.entry import FRAGMENT_BYTES, Entry, event_json, snapshot_json
from ore.event.events import (
    Activity,
    Answer,
    ErrorEvent,
    Event,
    Gap,
    Lifecycle,
    LiveBlock,
    Phase,
    Properties,
    Question,
    SessionSwitch,
    Snapshot,
    TurnComplete,
    TurnRestarted,
)
from ore.event.inputs import Content, InputEvent, InterruptEvent, Mode, UserMessage, content_of
from ore.event.tracer import Attribute, Span, Tracer

__all__ = [
    "CURRENT",
    "FRAGMENT_BYTES",
    "Activity",
    "Answer",
    "Attribute",
    "Content",
    "Emitter",
    "Entry",
    "ErrorEvent",
    "Event",
    "EventContext",
    "Gap",
    "InputEvent",
    "InterruptEvent",
    "Lifecycle",
    "LiveBlock",
    "Mode",
    "OnEmit",
    "Phase",
    "Properties",
    "Question",
    "SessionSwitch",
    "Snapshot",
    "Span",
    "Tracer",
    "TurnComplete",
    "TurnRestarted",
    "UserMessage",
    "content_of",
    "current_context",
    "event_json",
    "provenance",
    "snapshot_json",
]
