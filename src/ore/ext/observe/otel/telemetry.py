"""`OpenTelemetry`: traces and metrics by the conventions for generative AI."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from typing import Final

from opentelemetry import context as contexts
from opentelemetry import metrics, trace
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from ore.event import Attribute, current_context
from ore.ext.observe.otel.instruments import Instruments
from ore.ext.observe.otel.names import Value, attributes
from ore.ext.observe.otel.spans import AGENT, AgentSpan, ChatSpan, PlainSpan, ToolSpan

__all__ = ["OpenTelemetry"]

_W3C: Final = TraceContextTextMapPropagator()
_HERE: Final = frozenset({"local", "scripted"})
"""Providers that answer in this process."""

_KINDS: Final[Mapping[str, tuple[type[PlainSpan], str, str]]] = {
    "agent.run": (AgentSpan, "invoke_agent", "gen_ai.agent.name"),
    "loop.turn": (ChatSpan, "chat", "gen_ai.request.model"),
    "tool.execute": (ToolSpan, "execute_tool", "gen_ai.tool.name"),
}
"""Core's spans: what they become, the operation, and what their name says beside it."""


class OpenTelemetry:
    """A tracer: spans `invoke_agent`, `chat` and `execute_tool` in one tree, and the conventions' metrics.

    The tree holds across tasks, threads of tools and agents inside calls. A
    message that was sent inside a span is its child; one whose sender named a
    `traceparent` goes on with that. No span and no metric holds anything that
    was said, nor what an error says; `TraceContent` adds what was said, for
    those who ask for it.

    Where spans and metrics go is the business of the providers: without an SDK
    they go nowhere.

    Args:
        tracer_provider: OpenTelemetry's own by default.
        meter_provider: OpenTelemetry's own by default.
    """

    def __init__(
        self,
        *,
        tracer_provider: trace.TracerProvider | None = None,
        meter_provider: metrics.MeterProvider | None = None,
    ) -> None:
        here = version("ore-agents")
        self._tracer = trace.get_tracer("ore", here, tracer_provider)
        self._instruments = Instruments(metrics.get_meter("ore", here, meter_provider))

    @contextmanager
    def span(self, name: str, **attributes: Attribute) -> Iterator[PlainSpan]:
        """Begin a span that ends with the block, and is the current one in it."""
        made = self._make(name, attributes)
        token = AGENT.set(made) if isinstance(made, AgentSpan) else None
        try:
            with trace.use_span(made.span, end_on_exit=False, record_exception=False, set_status_on_exception=False):
                yield made
        except BaseException as error:
            made.raised(error)
            raise
        finally:
            if token is not None:
                AGENT.reset(token)
            made.end(self._instruments)

    def _make(self, name: str, facts: Mapping[str, Attribute]) -> PlainSpan:
        kind, operation, subject = _KINDS.get(name, (PlainSpan, "", ""))
        known = self._known(operation, facts)
        about = known.get(subject, "")
        span = self._tracer.start_span(
            f"{operation} {about}".strip() if operation else name,
            context=_parent(),
            kind=trace.SpanKind.CLIENT if _is_remote(kind, facts) else trace.SpanKind.INTERNAL,
            attributes=known,
        )
        return kind(span, known)

    def _known(self, operation: str, facts: Mapping[str, Attribute]) -> dict[str, Value]:
        here = current_context()
        known = attributes(facts)
        if operation:
            known["gen_ai.operation.name"] = operation
        if here.thread_id is not None:
            known["gen_ai.conversation.id"] = here.thread_id
        if here.message is not None:
            known["ore.message.id"] = here.message
        if operation == "chat":
            known["gen_ai.request.stream"] = True
        agent = AGENT.get()
        if operation == "execute_tool":
            known["gen_ai.tool.type"] = "function"
            if agent is not None and "gen_ai.agent.name" in agent.known:
                known["gen_ai.agent.name"] = agent.known["gen_ai.agent.name"]
        return known


def _parent() -> contexts.Context | None:
    """The current span where there is one, else the one that the message's sender named."""
    named = current_context().traceparent
    if named is None or trace.get_current_span().get_span_context().is_valid:
        return None
    return _W3C.extract({"traceparent": named})


def _is_remote(kind: type[PlainSpan], facts: Mapping[str, Attribute]) -> bool:
    return kind is ChatSpan and facts.get("provider") not in _HERE
