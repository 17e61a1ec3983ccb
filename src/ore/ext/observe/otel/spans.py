"""Spans as core tells them, on the way to OpenTelemetry."""

import asyncio
import time
from collections.abc import Mapping
from contextvars import ContextVar

from opentelemetry import trace

from ore.errors import OreError
from ore.event import Attribute
from ore.ext.observe.otel.instruments import Instruments
from ore.ext.observe.otel.names import Value, attributes

__all__ = ["AGENT", "AgentSpan", "ChatSpan", "PlainSpan", "ToolSpan"]

_CUT = (asyncio.CancelledError, GeneratorExit)


class PlainSpan:
    """A span; never given content, nor the words of an error.

    Args:
        span: OpenTelemetry's.
        known: What it was made with.
    """

    def __init__(self, span: trace.Span, known: Mapping[str, Value]) -> None:
        self.span = span
        self._began = time.perf_counter()
        self.known: dict[str, Value] = dict(known)

    def set(self, name: str, value: Attribute) -> None:
        """Note a fact."""
        for key, told in attributes({name: value}).items():
            self.note(key, told)

    def fail(self, error: BaseException) -> None:
        """Note that it failed: the error's code or class, and nothing that it says."""
        if isinstance(error, _CUT):  # somebody wanted it to end: that is no failure
            self.note("ore.cancelled", True)
            return
        self._fail(error.code if isinstance(error, OreError) else type(error).__qualname__)

    def raised(self, error: BaseException) -> None:
        """An error ends it."""
        self.fail(error)

    def end(self, instruments: Instruments) -> None:
        """It is over."""
        self.span.end()

    @property
    def seconds(self) -> float:
        """How long it has lasted."""
        return time.perf_counter() - self._began

    def note(self, name: str, value: Value) -> None:
        """Note an attribute under its own name."""
        self.known[name] = value
        self.span.set_attribute(name, value)

    def _fail(self, kind: str) -> None:
        self.note("error.type", kind)
        self.span.set_status(trace.StatusCode.ERROR)


class AgentSpan(PlainSpan):
    """`invoke_agent`: the work for one message; knows what its inferences used together."""

    def end(self, instruments: Instruments) -> None:
        """It is over."""
        instruments.agent(self.seconds, self.known)
        self.span.end()

    def add(self, chat: Mapping[str, Value]) -> None:
        """An inference of it has ended; one beside the conversation may have asked somebody else."""
        for name in ("gen_ai.provider.name", "gen_ai.request.model"):
            if name in chat and name not in self.known and "ore.aside" not in chat:
                self.note(name, chat[name])
        for name, value in chat.items():
            if name.startswith("gen_ai.usage.") and isinstance(value, int):
                before = self.known.get(name, 0)
                self.note(name, value + (before if isinstance(before, int) else 0))


class ChatSpan(PlainSpan):
    """`chat`: one inference.

    It ends when the answer does. The calls that the answer makes are its
    children all the same, so it stays the current one until they have ended.
    """

    def __init__(self, span: trace.Span, known: Mapping[str, Value]) -> None:
        super().__init__(span, known)
        self._seconds: float | None = None
        self._ended_ns: int | None = None

    def set(self, name: str, value: Attribute) -> None:
        """Note a fact; `answer.seconds` says that the answer has just ended."""
        if name == "answer.seconds":
            self._seconds, self._ended_ns = float(value), time.time_ns()
        super().set(name, value)

    def raised(self, error: BaseException) -> None:
        """An error ends it; one that comes behind a whole answer is not its own."""
        if "gen_ai.response.finish_reasons" not in self.known:
            self.fail(error)

    def end(self, instruments: Instruments) -> None:
        """It is over."""
        instruments.chat(self._seconds, self.known)
        agent = AGENT.get()
        if agent is not None:
            agent.add(self.known)
        self.span.end(self._ended_ns)


class ToolSpan(PlainSpan):
    """`execute_tool`: one call."""

    def set(self, name: str, value: Attribute) -> None:
        """Note a fact; a status that is no success is what it failed with."""
        super().set(name, value)
        if name == "tool.status" and value == "cancelled":
            self.note("ore.cancelled", True)
        elif name == "tool.status" and value != "ok":
            self._fail(str(value))

    def fail(self, error: BaseException) -> None:
        """Note that it failed, unless its status has said how."""
        if "error.type" not in self.known and "ore.cancelled" not in self.known:
            super().fail(error)

    def end(self, instruments: Instruments) -> None:
        """It is over."""
        instruments.tool(self.seconds, self.known)
        self.span.end()


AGENT: ContextVar[AgentSpan | None] = ContextVar("ore.ext.observe.otel.agent", default=None)
"""The span of the message that is worked on."""
