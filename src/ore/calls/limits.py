"""Limits on tool calls."""

from dataclasses import dataclass

from ore.errors import InputError

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

    Raises:
        InputError: A limit under which nothing could run.
    """

    parallel: int = 16
    timeout_s: float = 300.0
    repeats: int = 3
    threads: int = 32

    def __post_init__(self) -> None:
        for name, value, least in (
            ("parallel", self.parallel, 1),
            ("repeats", self.repeats, 0),
            ("threads", self.threads, 1),
        ):
            if value < least:
                raise InputError(f"{name}: expected at least {least}, got {value!r}")
        if not self.timeout_s > 0:
            raise InputError(f"timeout_s: expected more than 0 seconds, got {self.timeout_s!r}")
