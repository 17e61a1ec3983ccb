"""The loop: one inference at a time, observable and lossless."""

from ore.loop.aside import ASIDES, Asides, aside, counted
from ore.loop.event_bus import EventBus
from ore.loop.fan_out import WINDOW_BYTES, FanOut
from ore.loop.handler import Finisher, Handler, Preparer, Resumer
from ore.loop.hooks import Before, Transform, TurnExecutor, TurnRunner, TurnSubmitter
from ore.loop.pipeline import Pipeline
from ore.loop.recorder import Reserved
from ore.loop.repair import CANCELLED, LOST, UNKNOWN, Reason, results_for
from ore.loop.reporting import is_reported, mark_reported
from ore.loop.step import Step, StepHooks
from ore.loop.subscription import Policy, Subscription
from ore.loop.turn_emitter import TurnEmitter

__all__ = [
    "ASIDES",
    "CANCELLED",
    "LOST",
    "UNKNOWN",
    "WINDOW_BYTES",
    "Asides",
    "Before",
    "EventBus",
    "FanOut",
    "Finisher",
    "Handler",
    "Pipeline",
    "Policy",
    "Preparer",
    "Reason",
    "Reserved",
    "Resumer",
    "Step",
    "StepHooks",
    "Subscription",
    "Transform",
    "TurnEmitter",
    "TurnExecutor",
    "TurnRunner",
    "TurnSubmitter",
    "aside",
    "counted",
    "is_reported",
    "mark_reported",
    "results_for",
]
