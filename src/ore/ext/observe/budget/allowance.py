"""`Allowance`: how much may be used."""

from dataclasses import dataclass
from decimal import Decimal

from ore.errors import InputError

__all__ = ["Allowance"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """How much may be used; `None` is no limit.

    Attributes:
        tokens: Prompt and completion tokens of all inferences together.
        cost_usd: US dollars, as far as prices are known.
        calls: Inferences.
        run_s: Seconds from the first inference on, without those that a person
            takes to answer the soft limit.
        soft: The share of a limit at which a person hears of it, once.
        ask: Whether that person has to say yes for the work to go on; without
            anybody to ask it ends there.

    Raises:
        InputError: A limit under which nothing could be done.
    """

    tokens: int | None = None
    cost_usd: Decimal | None = None
    calls: int | None = None
    run_s: float | None = None
    soft: float | None = None
    ask: bool = False

    def __post_init__(self) -> None:
        for name, value in (
            ("tokens", self.tokens),
            ("cost_usd", self.cost_usd),
            ("calls", self.calls),
            ("run_s", self.run_s),
        ):
            if value is not None and not value > 0:
                raise InputError(f"{name}: expected more than 0, got {value!r}")
        if self.soft is not None and not 0 < self.soft < 1:
            raise InputError(f"soft: expected a share between 0 and 1, got {self.soft!r}")
        if self.ask and self.soft is None:
            raise InputError("ask: expected a soft limit at which to ask; add soft=, such as 0.8")

    @property
    def limited(self) -> bool:
        """Whether there is any limit."""
        return (self.tokens, self.cost_usd, self.calls, self.run_s).count(None) < 4
