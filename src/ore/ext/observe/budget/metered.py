"""`Metered`: a provider whose inferences are counted."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from ore.ext.observe.budget.budget import Budget
from ore.ext.observe.budget.estimate import Estimate
from ore.ext.observe.budget.reservation import Reservation, reserve
from ore.ext.observe.budget.scope import SCOPE
from ore.ext.observe.budget.soft_limit import soft_limits
from ore.ledger import State
from ore.models import Spec
from ore.provider import Batch, Option, Provider

__all__ = ["Metered"]


class Metered:
    """A provider whose inferences count for the budgets of whoever asks.

    Where there are none it costs nothing: what the provider streams is passed
    on as it is.

    Args:
        provider: Who answers.
        budgets: More that each inference counts for.
    """

    def __init__(self, provider: Provider, budgets: Sequence[Budget] = ()) -> None:
        self._provider = provider
        self._budgets = tuple(budgets)

    @property
    def name(self) -> str:
        """The provider's."""
        return self._provider.name

    def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        """Stream the answer.

        Raises:
            LimitError: Nothing is left in a budget, or it was passed on the way.
        """
        here = SCOPE.get().line
        line = (*here, *(budget for budget in self._budgets if budget not in here))
        if not line:
            return self._provider.invoke(state, spec, *options)
        return self._counted(line, state, spec, options)

    async def _counted(
        self, line: Sequence[Budget], state: State, spec: Spec, options: Sequence[Option]
    ) -> AsyncGenerator[Batch, None]:
        notices = await soft_limits(line, state)
        reservation = await reserve(line, Estimate(self._provider.name, state, spec, options))
        try:
            async with aclosing(self._provider.invoke(state, spec, *options)) as answer:
                batches = answer if reservation.left_s is None else _timely(answer, reservation)
                async with aclosing(batches):
                    async for batch in batches:
                        if notices:
                            yield notices
                            notices = ()
                        reservation.take(batch)
                        yield batch
        finally:
            reservation.end()


async def _timely(batches: AsyncGenerator[Batch, None], reservation: Reservation) -> AsyncGenerator[Batch, None]:
    """The same batches, as long as there is time."""
    while True:
        left_s = reservation.left_s
        try:
            async with asyncio.timeout(left_s) as limit:
                batch = await anext(batches, None)
        except TimeoutError:
            if limit.expired():
                raise reservation.late() from None
            raise
        if batch is None:
            return
        yield batch
