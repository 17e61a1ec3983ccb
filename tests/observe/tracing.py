"""OpenTelemetry's exporters in memory, and the tree that its spans make."""

from collections.abc import Mapping, Sequence
from typing import Any

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from ore.ext.observe.otel import OpenTelemetry


class Begun(SpanProcessor):
    """Counts the spans that begin."""

    count = 0

    def on_start(self, span: object, parent_context: object = None) -> None:
        self.count += 1


class Traced:
    """A tracer whose spans and metrics stay here."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        self.begun = Begun()
        self.provider = TracerProvider()
        self.provider.add_span_processor(self.begun)
        self.provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self._reader = InMemoryMetricReader()
        self.meters = MeterProvider(metric_readers=[self._reader])
        self.tracer = OpenTelemetry(tracer_provider=self.provider, meter_provider=self.meters)

    @property
    def spans(self) -> Sequence[ReadableSpan]:
        """Those that have ended, in the order in which they began."""
        return sorted(self._exporter.get_finished_spans(), key=lambda span: span.start_time or 0)

    @property
    def roots(self) -> Sequence[ReadableSpan]:
        """Those without a parent here."""
        known = {span.context.span_id for span in self.spans if span.context}
        return [span for span in self.spans if span.parent is None or span.parent.span_id not in known]

    def tree(self, root: ReadableSpan | None = None) -> Any:
        """Names as nested pairs of a name and what is below it; of one span or of the only root."""
        if root is None:
            (root,) = self.roots
        return (root.name, [self.tree(span) for span in self.below(root)]) if self.below(root) else root.name

    def below(self, root: ReadableSpan) -> Sequence[ReadableSpan]:
        """Its children, in order."""
        assert root.context is not None
        return [span for span in self.spans if span.parent and span.parent.span_id == root.context.span_id]

    def named(self, name: str) -> ReadableSpan:
        """The only span of that name."""
        (found,) = (span for span in self.spans if span.name == name)
        return found

    def metrics(self) -> Mapping[str, Sequence[tuple[Mapping[str, Any], Any]]]:
        """By name: the attributes and the point of each series."""
        data = self._reader.get_metrics_data()
        return {
            metric.name: [(dict(point.attributes or {}), point) for point in metric.data.data_points]
            for resource in (data.resource_metrics if data else ())
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }
