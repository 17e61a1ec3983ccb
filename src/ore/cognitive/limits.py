"""Limits on the work for one message."""

from dataclasses import dataclass

__all__ = ["RunLimits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """How much one message may take; reaching a limit fails it with code `limit`.

    Attributes:
        rounds: Inferences.
        run_s: Seconds, without the time that people take to answer; `None` is no limit.
        cut_rounds: Answers in a row whose calls the output limit cut.
        output_retries: Times a typed answer that does not fit goes back to the model.
    """

    rounds: int = 50
    run_s: float | None = None
    cut_rounds: int = 3
    output_retries: int = 2
