"""`UsageLimits`: what one run may use; the leaf of the budget tree."""

from dataclasses import dataclass
from decimal import Decimal
from weakref import WeakKeyDictionary

from ore.artifact import Artifact, Usage
from ore.errors import LimitError
from ore.event import Emitter, current_context
from ore.ledger import State

__all__ = ["UsageGuard", "UsageLimits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageLimits:
    """What one message may use; beyond it the message fails with code `limit`.

    Attributes:
        rounds: Inferences.
        tokens: Prompt and completion tokens of all its inferences together.
        cost_usd: US dollars, as far as prices are known.
        run_s: Seconds of work, without waiting for people.
    """

    rounds: int = 50
    tokens: int | None = None
    cost_usd: Decimal | None = None
    run_s: float | None = None


_NOTHING = Decimal(0)


class UsageGuard:
    """A handler that adds up what each message used and stops it at the limit; for any number of sessions.

    It looks behind each inference: the one that goes over the limit is the last.
    """

    def __init__(self, limits: UsageLimits) -> None:
        self._limits = limits
        self._used: WeakKeyDictionary[State, tuple[str | None, int, Decimal]] = WeakKeyDictionary()

    async def handle(self, artifact: Artifact, emitter: Emitter) -> None:
        """Count.

        Raises:
            LimitError: The limit is passed.
        """
        if not isinstance(artifact, Usage):
            return
        message = current_context().message
        known, used, cost = self._used.get(emitter.state.base, (None, 0, _NOTHING))
        if message != known:
            used, cost = 0, _NOTHING
        used, cost = used + _tokens(artifact), cost + (artifact.cost_usd or _NOTHING)
        self._used[emitter.state.base] = (message, used, cost)
        if self._limits.tokens is not None and used > self._limits.tokens:
            raise LimitError(f"usage: expected at most {self._limits.tokens} tokens, used {used}")
        if self._limits.cost_usd is not None and cost > self._limits.cost_usd:
            raise LimitError(f"usage: expected at most {self._limits.cost_usd} USD, used {cost}")


def _tokens(usage: Usage) -> int:
    if usage.total_tokens is not None:
        return usage.total_tokens
    return (usage.prompt_tokens or 0) + (usage.completion_tokens or 0)
