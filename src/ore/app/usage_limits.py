"""`UsageLimits`: what one message may use; the leaf of the budget tree."""

from dataclasses import dataclass
from decimal import Decimal

from ore.ext.observe.budget import Allowance, Budget, MessageBudget

__all__ = ["UsageLimits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageLimits:
    """What one message may use; beyond it the message fails with code `limit`.

    What agents use inside its calls counts as well, so that they never use
    more than the message may. An answer that goes over a limit by what comes
    of it is cut where it does, and what was seen of it is kept. One that is
    whole before the vendor's count shows that it went over is the answer, and
    the message is done; one with calls is not, since more would have to follow.

    Attributes:
        rounds: Inferences of the message itself.
        tokens: Prompt and completion tokens of all its inferences together.
        cost_usd: US dollars, as far as prices are known.
        run_s: Seconds of work, without waiting for people.
        calls: Inferences, those inside its calls included.
        soft: The share of a limit at which a person hears of it, once.
        ask: Whether that person has to say yes for the message to go on.
        within: A budget that every message is a part of, shared with others.
    """

    rounds: int = 50
    tokens: int | None = None
    cost_usd: Decimal | None = None
    run_s: float | None = None
    calls: int | None = None
    soft: float | None = None
    ask: bool = False
    within: Budget | None = None

    def budget(self) -> MessageBudget:
        """What gives each message its budget.

        Raises:
            InputError: A limit under which nothing could be done.
        """
        allowance = Allowance(
            tokens=self.tokens, cost_usd=self.cost_usd, calls=self.calls, soft=self.soft, ask=self.ask
        )
        return MessageBudget(allowance, within=self.within)
