"""Limits on tool calls."""

from dataclasses import dataclass

__all__ = ["CallLimits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLimits:
    """Limits on the calls of one turn.

    Attributes:
        parallel: Calls that run at once.
        timeout_s: Seconds a call may run, where its tool does not say; waiting
            for a person does not count.
        repeats: Identical calls with identical results in a row after which
            the next one is not run; 0 never stops them.
        threads: Threads of `def` tools that may be abandoned at their timeout
            before new ones are refused.
    """

    parallel: int = 16
    timeout_s: float = 300.0
    repeats: int = 3
    threads: int = 32
