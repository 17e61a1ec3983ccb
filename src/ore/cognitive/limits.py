"""Limits on the work for one message."""

from dataclasses import dataclass

from ore.errors import InputError

__all__ = ["RunLimits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """How much one message may take; reaching a limit fails it with code `limit`.

    Attributes:
        rounds: Inferences.
        run_s: Seconds, without the time that people take to answer; `None` is no limit.
        cut_rounds: Answers in a row whose calls the output limit cut.
        output_retries: Times a typed answer that does not fit goes back to the model.

    Raises:
        InputError: A limit under which no message could be answered.
    """

    rounds: int = 50
    run_s: float | None = None
    cut_rounds: int = 3
    output_retries: int = 2

    def __post_init__(self) -> None:
        for name, value, least in (
            ("rounds", self.rounds, 1),
            ("cut_rounds", self.cut_rounds, 1),
            ("output_retries", self.output_retries, 0),
        ):
            if value < least:
                raise InputError(f"{name}: expected at least {least}, got {value!r}")
        if self.run_s is not None and not self.run_s > 0:
            raise InputError(f"run_s: expected more than 0 seconds, got {self.run_s!r}")
