"""`Tracers`: several tracers as one."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from ore.event import Attribute, Span, Tracer

__all__ = ["Tracers"]


class Tracers:
    """Several tracers as one, such as `Tracers(OpenTelemetry(), LogTracer())`; the first is the outermost."""

    def __init__(self, *tracers: Tracer) -> None:
        self._tracers = tracers

    @contextmanager
    def span(self, name: str, **attributes: Attribute) -> Iterator[Span]:
        """Begin a span with each."""
        with ExitStack() as stack:
            yield _All([stack.enter_context(tracer.span(name, **attributes)) for tracer in self._tracers])


class _All:
    def __init__(self, spans: Sequence[Span]) -> None:
        self._spans = spans

    def set(self, name: str, value: Attribute) -> None:
        for span in self._spans:
            span.set(name, value)

    def fail(self, error: BaseException) -> None:
        for span in self._spans:
            span.fail(error)
