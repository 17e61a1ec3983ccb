"""What happens at a soft limit: a person hears of it, or has to say that the work goes on."""

import time
from collections.abc import Sequence
from typing import Final

from ore.artifact import Notice, Severity
from ore.errors import LimitError
from ore.event import Answer, Question
from ore.ext.observe.budget.budget import Budget
from ore.ledger import State
from ore.tool import current_asker

__all__ = ["soft_limits"]

GO_ON: Final = "go on"
STOP: Final = "stop"
_YES: Final = frozenset({GO_ON, "yes", "y", "ok"})


async def soft_limits(line: Sequence[Budget], state: State) -> Sequence[Notice]:
    """Tell or ask whoever watches where a soft limit of these budgets is reached; each asks once.

    Others that share the budget wait for the answer.

    Returns:
        What the person shall read.

    Raises:
        LimitError: The answer was no, or nobody is there to ask.
    """
    notices: list[Notice] = []
    for place, budget in enumerate(line):
        said = budget.said()
        if said is not None and await _reached(budget, said, f"{state.tip}/budget-{place}"):
            notices.append(Notice(content=said, severity=Severity.WARN))
    return notices


async def _reached(budget: Budget, said: str, key: str) -> bool:
    """Whether a person shall read of it; one who has to be asked has said yes."""
    while budget.soft in ("ahead", "asking"):
        stamp, stage = budget.stamp, budget.approach()
        if stage == "passed":
            return True
        if stage == "asking":
            await _ask(budget, Question(key=key, purpose="ask", text=f"{said}. Go on?", options=(GO_ON, STOP)))
        else:  # somebody else asks
            await budget.room(stamp)
    if budget.soft == "refused":
        raise LimitError(f"{said}, and nobody said that it may go on")
    return False


async def _ask(budget: Budget, question: Question) -> None:
    began = time.monotonic()
    decided = False
    try:
        answer = await current_asker().ask(question)
        decided = True
        budget.decide("passed" if _is_yes(answer) else "refused", time.monotonic() - began)
    finally:
        if not decided:  # whoever asked is being stopped: another one asks again
            budget.decide("ahead")


def _is_yes(answer: Answer) -> bool:
    said = answer.answer
    return answer.decision == "approve" or (isinstance(said, str) and said.strip().lower() in _YES)
