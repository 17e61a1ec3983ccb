"""`Reservation`: what one inference may use, set aside in every budget that it counts for."""

import asyncio
from collections.abc import Sequence
from decimal import Decimal
from operator import itemgetter
from typing import Final

from ore.artifact import Artifact, Notice, Restart, Usage
from ore.ext.observe.budget.budget import Budget, Hold
from ore.ext.observe.budget.estimate import Estimate, answered, bytes_of, tokens_of
from ore.ext.observe.budget.spent import Spent
from ore.provider import Batch

__all__ = ["Reservation", "reserve"]

_NOTHING: Final = Spent()

_STEP_BYTES: Final = 32
"""How much an answer grows until it is looked at once more: about eight tokens."""


async def reserve(line: Sequence[Budget], estimate: Estimate) -> "Reservation":
    """Set aside what an inference may use; waits while there is room only once others have ended.

    It is never less than the largest inference so far used.

    Raises:
        LimitError: Nothing is left.
    """
    priced = any(budget.allowance.cost_usd is not None for budget in line)
    most = estimate.most(priced=priced)
    hold = Hold(most, asyncio.current_task() or object())
    while True:
        hold.most = _at_least(most, line)
        stamps = {budget: budget.stamp for budget in line}
        full = _begin(line, hold)
        if full is None:
            return Reservation(line, hold, estimate, priced=priced)
        await full.room(stamps[full])
        hold.waited = True


class Reservation:
    """Counts what comes of an inference, against all of its budgets.

    Args:
        line: The budgets, in which `hold` stands.
        hold: What is set aside.
        estimate: What was expected.
        priced: Whether any of them limits money.
    """

    __slots__ = (
        "_before",
        "_bytes",
        "_estimate",
        "_grown",
        "_hold",
        "_line",
        "_next_bytes",
        "_priced",
        "_started",
        "_told_bytes",
        "_usage",
    )

    def __init__(self, line: Sequence[Budget], hold: Hold, estimate: Estimate, *, priced: bool) -> None:
        self._line = line
        self._hold = hold
        self._estimate = estimate
        self._priced = priced
        self._bytes = self._told_bytes = self._next_bytes = 0
        self._grown = _NOTHING
        self._before = _NOTHING
        self._started = False
        self._usage: Usage | None = None

    @property
    def left_s(self) -> float | None:
        """Seconds until the first of its budgets is over; `None` without such a limit."""
        return min((left for budget in self._line if (left := budget.left_s) is not None), default=None)

    def take(self, batch: Batch) -> None:
        """Count what came.

        Raises:
            LimitError: A limit is passed.
        """
        for artifact in batch:
            size = bytes_of(artifact)
            if size and self._started:
                self._bytes += size
            else:
                self._other(artifact, size)
        if self._bytes >= self._next_bytes:
            self._more()

    def end(self) -> None:
        """It is over: what it used is counted in place of what was set aside."""
        used = self._before + (self._used() if self._started else _NOTHING)
        counted = self._usage.prompt_tokens if self._usage is not None else None
        for budget in self._line:
            if counted is not None and self._estimate.prompt_tokens:
                budget.scale = counted / self._estimate.prompt_tokens
            budget.end(self._hold, self._grown, used)

    def late(self) -> Exception:
        """The error that says whose time is over: time goes on, so it is read once of each."""
        limited = [(left_s, budget) for budget in self._line if (left_s := budget.left_s) is not None]
        return min(limited, key=itemgetter(0))[1].late()

    def _other(self, artifact: Artifact, size: int) -> None:
        if isinstance(artifact, Usage):
            self._usage = artifact
        elif isinstance(artifact, Restart):
            self._restart()
        elif not (self._started or isinstance(artifact, Notice)):
            self._started = True
            self._bytes += size
            self._grow(self._expected())

    def _restart(self) -> None:
        """The answer begins again; what there was of it is paid for as well."""
        if self._started:
            self._before += self._used()
            self._usage, self._started = None, False
            self._bytes = self._told_bytes = self._next_bytes = 0

    def _more(self) -> None:
        """The answer has grown."""
        before, now = answered(self._told_bytes), answered(self._bytes)
        self._told_bytes, self._next_bytes = self._bytes, self._bytes + _STEP_BYTES
        cost_usd = Decimal(0)
        if self._priced:
            cost_usd = max(self._estimate.cost_usd(now) - self._grown.cost_usd, cost_usd)
        self._grow(Spent(tokens=now - before, cost_usd=cost_usd))

    def _grow(self, used: Spent) -> None:
        self._grown += used
        for budget in self._line:
            budget.grow(used)
        for budget in self._line:
            budget.check_running()

    def _expected(self) -> Spent:
        """The prompt, where it surely fits: a rule of thumb alone, which nobody has checked, cuts no answer."""
        scale = next((budget.scale for budget in reversed(self._line) if budget.scale is not None), 0.0)
        prompt = int(self._estimate.prompt_tokens * scale)
        fits = all(
            budget.allowance.tokens is None or budget.spent.tokens + prompt < budget.allowance.tokens
            for budget in self._line
        )
        return Spent(tokens=prompt) if fits else _NOTHING

    def _used(self) -> Spent:
        """What the provider said, else what can be told."""
        said, answer = self._usage or Usage(), answered(self._bytes)
        tokens = tokens_of(said)
        if tokens is None:
            tokens = self._estimate.prompt_tokens + answer
        cost_usd = said.cost_usd
        if cost_usd is None:
            cost_usd = self._estimate.cost_usd(answer) if self._priced else Decimal(0)
        return Spent(tokens=tokens, cost_usd=cost_usd, calls=1)


def _begin(line: Sequence[Budget], hold: Hold) -> Budget | None:
    """Set it aside in all of them, or in none: then the one that is full."""
    begun: list[Budget] = []
    try:
        for budget in line:
            if not budget.begin(hold):
                return budget
            begun.append(budget)
        begun.clear()
        return None
    finally:
        for budget in begun:
            budget.end(hold, _NOTHING, _NOTHING)


def _at_least(most: Spent, line: Sequence[Budget]) -> Spent:
    largest = max((budget.largest for budget in line), key=lambda spent: spent.tokens)
    return Spent(tokens=max(most.tokens, largest.tokens), cost_usd=max(most.cost_usd, largest.cost_usd), calls=1)
