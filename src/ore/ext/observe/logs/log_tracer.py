"""`LogTracer`: each message, inference and call as one line of the log, when it ends."""

import asyncio
import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from ore.errors import OreError
from ore.event import Attribute

__all__ = ["LogTracer"]

_EVENTS: Final[Mapping[str, str]] = {"agent.run": "message", "loop.turn": "inference", "tool.execute": "call"}
_NAMES: Final[Mapping[str, str]] = {
    "agent.name": "agent",
    "agent.pattern": "pattern",
    "tool.name": "tool",
    "tool.key": "call",
    "tool.status": "status",
    "turn.id": "turn",
    "answer.stop_reason": "stop_reason",
    "answer.model": "answered_by",
    "answer.first_seconds": "first_seconds",
    "answer.seconds": "answer_seconds",
}
_CUT = (asyncio.CancelledError, GeneratorExit)


class LogTracer:
    """A tracer that logs: who was asked, what it used, how long it took, how it ended; never what was said.

    With `log_json` each is a JSON line with `event` (`message`, `inference`,
    `call`), `session`, `message`, `turn`, `seconds`, `outcome` (`ok`,
    `failed`, `cancelled`), and an `error` code where it failed. What fails is
    a warning.

    Args:
        logger: Who logs.
    """

    def __init__(self, logger: logging.Logger | None = None) -> None:
        self._logger = logger or logging.getLogger("ore.trace")

    @contextmanager
    def span(self, name: str, **attributes: Attribute) -> Iterator["LogSpan"]:
        """Begin a span that is logged when the block ends."""
        span = LogSpan(attributes)
        began = time.perf_counter()
        try:
            yield span
        except BaseException as error:
            span.fail(error)
            raise
        finally:
            self._log(_EVENTS.get(name, name), span, time.perf_counter() - began)

    def _log(self, event: str, span: "LogSpan", seconds: float) -> None:
        level = logging.WARNING if span.outcome == "failed" else logging.INFO
        if not self._logger.isEnabledFor(level):
            return
        facts = {_NAMES.get(name, name.rpartition(".")[2]): value for name, value in span.facts.items()}
        facts |= {"event": event, "seconds": round(seconds, 6), "outcome": span.outcome}
        if span.error is not None:
            facts["error"] = span.error
        self._logger.log(level, "%s %s in %.3f s", event, span.outcome, seconds, extra={"facts": facts})


class LogSpan:
    """What a line will say."""

    def __init__(self, facts: Mapping[str, Attribute]) -> None:
        self.facts: dict[str, Attribute] = dict(facts)
        self.outcome = "ok"
        self.error: str | None = None

    def set(self, name: str, value: Attribute) -> None:
        """Note a fact."""
        self.facts[name] = value

    def fail(self, error: BaseException) -> None:
        """Note that it failed: the error's code or class, and nothing that it says."""
        if isinstance(error, _CUT) or self.facts.get("tool.status") == "cancelled":
            self.outcome = "cancelled"
            return
        self.outcome = "failed"
        self.error = error.code if isinstance(error, OreError) else type(error).__qualname__
