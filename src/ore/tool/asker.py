"""`Asker`: the one way in which anything waits for a person."""

from contextvars import ContextVar
from typing import Protocol

from ore.event import Answer, Question

__all__ = ["ASKER", "Asker", "Denying", "current_asker"]


class Asker(Protocol):
    """Asks somebody, and waits."""

    async def ask(self, question: Question) -> Answer:
        """Put a question to whoever watches; the first answer wins.

        Returns:
            The answer, also when it is no; one that expired is a denial.
        """
        ...


class Denying:
    """Decides no question, because nobody is there to ask: what waits for a yes does not run.

    Args:
        reason: What the model is told.
    """

    def __init__(self, reason: str = "nobody is there to approve it") -> None:
        self._reason = reason

    async def ask(self, question: Question) -> Answer:
        """No decision."""
        return Answer(key=question.key, reason=self._reason)


ASKER: ContextVar[Asker] = ContextVar("ore.tool.asker")
"""Who is asked in the running message; a session sets it where a message begins.

What works in a message and is given no asker, such as a provider that wraps
another, finds it here.
"""


def current_asker() -> Asker:
    """Who is asked here and now; outside any message nobody, which denies everything."""
    return ASKER.get(None) or Denying()
