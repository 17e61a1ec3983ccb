"""`Conversation`: one session, as the command holds it."""

from argparse import Namespace
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from ore.app import Agent, Session
from ore.cli.approval import Approval
from ore.cli.interrupts import Interrupts
from ore.cli.lines import Lines
from ore.cli.printers import Printer
from ore.cli.terminal import say
from ore.event import Entry, Gap, Lifecycle, UserMessage
from ore.session import Outcome

__all__ = ["Conversation", "open_conversation"]

BEGINNING: Final = "1-0"
"""The cursor before the first event of a session that this process could see."""


class Conversation:
    """Sends messages and shows what comes of them."""

    def __init__(self, session: Session, interrupts: Interrupts) -> None:
        self.session = session
        self._interrupts = interrupts
        # From here on nothing is missed, also of what went on by itself since it was opened.
        self._reader = session.handle.subscribe(after=BEGINNING)

    async def finish_old(self, printer: Printer) -> None:
        """Let what an earlier process left unfinished come to its end, and show all its events."""
        handle = self.session.handle
        left = {str(item["id"]) for item in handle.snapshot().queue}
        if not left:
            return
        say(f"ore: finishing {len(left)} earlier message{'s' * (len(left) > 1)} of session {handle.id} first")
        async for entry in self._reader:
            await printer.take(entry)
            if isinstance(entry.event, Gap):
                left &= {str(item["id"]) for item in handle.snapshot().queue}
            elif _is_done(entry):
                left.discard(entry.context.message or "")
            if not left:
                break
        await handle.idle()

    async def ask(self, prompt: str, printer: Printer, *, all_events: bool = False) -> Outcome:
        """Send a message and show its events up to its ending.

        Args:
            all_events: Whether events that belong to no message are shown too.

        Raises:
            LimitError: The message is too large.
        """
        handle = self.session.handle
        ticket = handle.submit(UserMessage(content=prompt))
        with self._interrupts.stopping(handle.cancel):
            async for entry in self._reader:
                is_own = entry.context.message == ticket.id
                is_gap = isinstance(entry.event, Gap)
                if all_events or is_own or is_gap:
                    await printer.take(entry)
                if (is_own and _is_done(entry)) or (is_gap and ticket.outcome is not None):
                    break
            outcome = await ticket
        await printer.end()
        return outcome

    def close(self) -> None:
        """Read no more; the session goes on as it is."""
        self._reader.close()


@asynccontextmanager
async def open_conversation(
    agent: Agent, options: Namespace, lines: Lines, interrupts: Interrupts
) -> AsyncIterator[Conversation]:
    """The conversation of the options; a new session's id goes to standard error.

    Raises:
        InputError: The id or the store is not what was expected.
        StoreError: The session cannot be used.
    """
    approval = Approval(options.approve, lines)
    async with agent.session(options.session, store=options.store, on_question=approval) as session:
        if options.session is None:
            say(f"session: {session.id}")
        conversation = Conversation(session, interrupts)
        try:
            yield conversation
        finally:
            conversation.close()


def _is_done(entry: Entry) -> bool:
    return isinstance(entry.event, Lifecycle) and entry.event.phase == "done"
