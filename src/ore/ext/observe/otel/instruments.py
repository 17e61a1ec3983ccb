"""`Instruments`: the metrics of the conventions."""

from collections.abc import Sequence
from typing import Final

from opentelemetry import metrics

from ore.ext.observe.otel.names import Value

__all__ = ["Instruments"]

_SECONDS: Final = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
_AGENT_SECONDS: Final = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6)
_FIRST_SECONDS: Final = (0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0)
_TOKENS: Final = tuple(4**power for power in range(14))
"""Bucket boundaries, as the conventions have them."""

_OF_METRICS: Final[Sequence[str]] = (
    "gen_ai.operation.name",
    "gen_ai.provider.name",
    "gen_ai.request.model",
    "gen_ai.response.model",
    "error.type",
)


class Instruments:
    """Histograms of seconds and tokens.

    Args:
        meter: Makes them.
    """

    def __init__(self, meter: metrics.Meter) -> None:
        def seconds(name: str, boundaries: tuple[float, ...], text: str) -> metrics.Histogram:
            return meter.create_histogram(name, "s", text, explicit_bucket_boundaries_advisory=boundaries)

        self._chat = seconds("gen_ai.client.operation.duration", _SECONDS, "Duration of an inference.")
        self._first = seconds(
            "gen_ai.client.operation.time_to_first_chunk", _FIRST_SECONDS, "Until the first of an answer came."
        )
        self._agent = seconds("gen_ai.invoke_agent.duration", _AGENT_SECONDS, "Duration of the work for a message.")
        self._tool = seconds("gen_ai.execute_tool.duration", _SECONDS, "Duration of a tool call.")
        self._tokens = meter.create_histogram(
            "gen_ai.client.token.usage",
            "{token}",
            "Tokens of prompts and answers.",
            explicit_bucket_boundaries_advisory=_TOKENS,
        )

    def chat(self, seconds: float | None, known: dict[str, Value]) -> None:
        """An inference has ended; `None` where nobody was asked."""
        told = {name: known[name] for name in _OF_METRICS if name in known}
        if seconds is not None:
            self._chat.record(seconds, told)
        first = known.get("gen_ai.response.time_to_first_chunk")
        if isinstance(first, float):
            self._first.record(first, {name: value for name, value in told.items() if name != "error.type"})
        for kind in ("input", "output"):
            count = known.get(f"gen_ai.usage.{kind}_tokens")
            if isinstance(count, int):
                counted = {name: value for name, value in told.items() if name != "error.type"}
                self._tokens.record(count, counted | {"gen_ai.token.type": kind})

    def agent(self, seconds: float, known: dict[str, Value]) -> None:
        """The work for a message has ended."""
        self._agent.record(seconds, _of(known, "gen_ai.agent.name", "error.type"))

    def tool(self, seconds: float, known: dict[str, Value]) -> None:
        """A call has ended."""
        names = ("gen_ai.tool.name", "gen_ai.tool.type", "gen_ai.agent.name", "error.type")
        self._tool.record(seconds, _of(known, *names))


def _of(known: dict[str, Value], *names: str) -> dict[str, Value]:
    return {name: known[name] for name in names if name in known}
