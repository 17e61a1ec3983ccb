"""`Desk`: what people do, carried out through the link; what goes wrong is told and not raised."""

import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from ore.artifact import Artifact, Text
from ore.errors import OreError
from ore.event import Answer, Mode, Question
from ore.ext.conduits.terminal.link import Link
from ore.ledger import TITLE_KEY
from ore.models import MODEL_PREFIX, ThinkingLevel

__all__ = ["Desk", "Say"]

log = logging.getLogger(__name__)

T = TypeVar("T")

Say = Callable[[str, str], None]
"""Tells people something: a text, and how loud it is."""


class Desk:
    """Sends, stops, answers and names, in the session of a link.

    Args:
        link: The session.
        say: Tells people what went wrong.
    """

    def __init__(self, link: Link, say: Say) -> None:
        self._link = link
        self._say = say
        self.always: set[str] = set()
        """Tools that somebody approved for as long as this screen is there."""

    async def send(self, text: str, attached: Sequence[Artifact], mode: Mode) -> bool:
        """Send a message; whether it was taken."""
        content = [*([Text(content=text)] if text else []), *attached]
        return await self._tried(self._link.send(content, id=f"t{secrets.token_hex(8)}", mode=mode))

    async def interrupt(self) -> None:
        """Stop what runs; what waits stays."""
        await self._tried(self._link.interrupt())

    async def withdraw(self, message_id: str) -> bool:
        """Take a message back; whether that was in time."""
        return bool(await self.got(self._link.withdraw(message_id)))

    async def approve(self, question: Question, how: str) -> None:
        """Say yes or no to what a tool asks.

        Args:
            how: `approve`, `always` or `deny`.
        """
        if how == "always" and question.tool:
            self.always.add(question.tool)
        if how == "deny" and question.purpose == "approval":
            answer = Answer(key=question.key, decision="deny", reason="the user said no")
        elif how == "deny":
            answer = Answer(key=question.key, decision="deny", reason="the user gave no answer")
        else:
            answer = Answer(key=question.key, decision="approve")
        await self._tried(self._link.answer(answer))

    async def approve_changed(self, question: Question, arguments: str) -> None:
        """Say yes to other arguments."""
        await self._tried(self._link.answer(Answer(key=question.key, decision="approve", arguments=arguments)))

    async def tell(self, question: Question, text: str) -> None:
        """Answer a question that is none for approval."""
        await self._tried(self._link.answer(Answer(key=question.key, answer=text)))

    async def is_approved(self, question: Question) -> bool:
        """Approve what somebody approved once for all; whether that was so."""
        if question.purpose == "approval" and question.tool in self.always:
            await self.approve(question, "approve")
            return True
        return False

    async def name(self, session_id: str, title: str) -> None:
        """Name a session."""
        await self._tried(self._link.describe(session_id, {TITLE_KEY: title or None}))

    async def think(self, level: str | None) -> str | None:
        """Let the model think one level more, or not at all behind the last; the level."""
        levels = [None, *(one.value for one in ThinkingLevel)]
        after = levels[(levels.index(level) + 1) % len(levels)] if level in levels else None
        facts = {f"{MODEL_PREFIX}thinking_level": after}
        return after if await self._tried(self._link.describe(self._link.session_id, facts)) else level

    async def got(self, work: Awaitable[T]) -> T | None:
        """What work brings; `None` when it went wrong, which is told."""
        try:
            return await work
        except OreError as error:
            self._say(str(error), "error")
        except OSError as error:
            self._say(f"not reached: {error.strerror or type(error).__name__}", "error")
        return None

    async def _tried(self, work: Awaitable[None]) -> bool:
        async def done() -> bool:
            await work
            return True

        return bool(await self.got(done()))
