"""`Children`: how a tool has another agent work inside its call."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

import msgspec

from ore.artifact import Text
from ore.errors import ErrorInfo
from ore.event import Answer, Content, Question
from ore.ledger import Turn

__all__ = ["Ask", "ChildOutcome", "Children"]

Ask = Callable[[Question], Awaitable[Answer]]
"""Puts a question of a child to whoever is asked by its parent."""


class ChildOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent came to that worked inside a call.

    Attributes:
        session_id: Its own session, which stays in the parent's store.
        status: `done`, `failed`, `cancelled` or `closed`.
        turns: The turns that it added, in order.
        answer: Its last assistant turn; `None` when there was none.
        error: Why it failed.
    """

    session_id: str
    status: str
    turns: Sequence[Turn] = ()
    answer: Turn | None = None
    error: ErrorInfo | None = None

    @property
    def text(self) -> str:
        """The text of the answer; empty without one."""
        artifacts = self.answer.artifacts if self.answer is not None else ()
        return "".join(artifact.content for artifact in artifacts if isinstance(artifact, Text))


class Children(Protocol):
    """Runs agents inside the calls of one session."""

    async def run(self, key: str, agent: Any, content: Content, ask: Ask) -> ChildOutcome:
        """Have an agent answer in a conversation of its own, which is stored beside its parent's.

        Asked again under the same key, after a crash for example, it goes on
        where that conversation ended, or says at once how it had ended.
        Cancelling it ends the child as cancelled; when its parent is left for
        another process, so is it.

        Args:
            key: Of the call, or below it.
            agent: An `AgentSpec`.
            content: What it is asked.
            ask: Answers what its own tools ask.

        Raises:
            StoreError: The conversation could not be read or written.
            LimitError: Agents inside agents, too deep.
        """
        ...
