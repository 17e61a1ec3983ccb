"""Calls: how the tool calls of a turn run."""

from ore.calls.handler import CallHandler
from ore.calls.host import CallHost
from ore.calls.limits import CallLimits
from ore.calls.threads import Threads

__all__ = ["CallHandler", "CallHost", "CallLimits", "Threads"]
