"""`UsageLimits`: what one run may use; the leaf of the budget tree."""

from contextvars import ContextVar
from dataclasses import dataclass
from decimal import Decimal

from ore.artifact import Artifact, Usage
from ore.errors import LimitError
from ore.event import Emitter, current_context
from ore.ledger import State, is_inner

__all__ = ["UsageGuard", "UsageLimits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageLimits:
    """What one message may use; beyond it the message fails with code `limit`.

    What agents use inside its calls counts as well, so that they never use
    more than the message may.

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


class UsageGuard:
    """A handler that adds up what each message used and stops it at the limit; for any number of sessions.

    It looks behind each inference: the one that goes over the limit is the last.
    """

    def __init__(self, limits: UsageLimits) -> None:
        self._limits = limits

    async def handle(self, artifact: Artifact, emitter: Emitter) -> None:
        """Count, here and for the messages inside whose calls this one works.

        Raises:
            LimitError: A limit is passed.
        """
        if not isinstance(artifact, Usage):
            return
        accounts = self._accounts()
        for account in accounts:
            account.add(artifact)
        for account in accounts:
            account.check()

    def check(self, state: State) -> State:
        """Change nothing: a transform, so that no inference begins once a limit is passed inside a call.

        Raises:
            LimitError: A limit is passed.
        """
        for account in self._accounts():
            account.check()
        return state

    def _accounts(self) -> "tuple[_Account, ...]":
        """Those of the running message and of the ones around it; there before its calls run."""
        here, accounts = current_context(), _ACCOUNTS.get()
        message = (here.thread_id, here.message)
        if not accounts or accounts[-1].message != message:
            around = accounts if here.thread_id is not None and is_inner(here.thread_id) else ()
            accounts = (*around, _Account(self._limits, message))
            _ACCOUNTS.set(accounts)
        return accounts


class _Account:
    """What one message used so far."""

    __slots__ = ("cost_usd", "limits", "message", "tokens")

    def __init__(self, limits: UsageLimits, message: tuple[str | None, str | None]) -> None:
        self.limits = limits
        self.message = message
        self.tokens = 0
        self.cost_usd = Decimal(0)

    def add(self, usage: Usage) -> None:
        self.tokens += _tokens(usage)
        self.cost_usd += usage.cost_usd or 0

    def check(self) -> None:
        limits = self.limits
        if limits.tokens is not None and self.tokens > limits.tokens:
            raise LimitError(f"usage: expected at most {limits.tokens} tokens, used {self.tokens}")
        if limits.cost_usd is not None and self.cost_usd > limits.cost_usd:
            raise LimitError(f"usage: expected at most {limits.cost_usd} USD, used {self.cost_usd}")


_ACCOUNTS: ContextVar[tuple[_Account, ...]] = ContextVar("ore.app.accounts", default=())
"""Those of the running message and of the messages inside whose calls it works, outermost first."""


def _tokens(usage: Usage) -> int:
    if usage.total_tokens is not None:
        return usage.total_tokens
    return (usage.prompt_tokens or 0) + (usage.completion_tokens or 0)
