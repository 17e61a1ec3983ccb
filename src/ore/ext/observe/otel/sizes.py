"""`SizeMetrics`: how much models were sent and sent back, in bytes."""

from opentelemetry import metrics

from ore.event import Entry, TurnComplete
from ore.ext.observe.analytics import model_bytes
from ore.ledger import Role

__all__ = ["SizeMetrics"]


class SizeMetrics:
    """A sink: counters `llm.bytes.sent` and `llm.bytes.received`, by `artifact.kind` and `role`.

    What users, tools and the system say is sent, what models answer is
    received; nothing is noted of what has no size. Register it with
    `manager.register_sink(SizeMetrics(), "turn_complete")`.

    Args:
        meter_provider: OpenTelemetry's own by default.
    """

    def __init__(self, meter_provider: metrics.MeterProvider | None = None) -> None:
        meter = metrics.get_meter("ore", meter_provider=meter_provider)
        self._sent = meter.create_counter("llm.bytes.sent", "By", "What models were sent.")
        self._received = meter.create_counter("llm.bytes.received", "By", "What models answered.")

    def __call__(self, session_id: str, entry: Entry) -> None:
        """Count a turn; other events are passed over."""
        if not isinstance(entry.event, TurnComplete):
            return
        turn = entry.event.turn
        counter = self._received if turn.role is Role.ASSISTANT else self._sent
        for artifact in turn.artifacts:
            size = model_bytes(artifact)
            if size:
                counter.add(size, {"artifact.kind": artifact.kind, "role": turn.role.value})
