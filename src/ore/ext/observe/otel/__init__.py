"""OpenTelemetry: traces and metrics by its conventions for generative AI; the extra `otel`.

Importing this imports `opentelemetry-api` and nothing else of it; nothing
imports this unless it is used.
"""

from ore.ext.observe.otel.content import TraceContent
from ore.ext.observe.otel.sizes import SizeMetrics
from ore.ext.observe.otel.telemetry import OpenTelemetry

__all__ = ["OpenTelemetry", "SizeMetrics", "TraceContent"]
