"""`Conversation`: one session, as the command holds it."""

import asyncio
from argparse import Namespace
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from ore._aio import finish
from ore.app import Agent, Session
from ore.artifact import Text, TextDelta, ToolCall
from ore.cli.approval import Approval
from ore.cli.interrupts import Interrupts
from ore.cli.lines import Lines
from ore.cli.printers import Printer
from ore.cli.progress import Progress
from ore.cli.terminal import say
from ore.errors import OreError
from ore.event import Entry, Gap, Lifecycle, Question, UserMessage
from ore.ledger import Outcome as Ending
from ore.loop import Subscription
from ore.session import Outcome, Ticket

__all__ = ["Conversation", "open_conversation"]

Wanted = Callable[[Entry], bool]


class Conversation:
    """Sends messages and shows what comes of them.

    Args:
        session: The session.
        interrupts: What Ctrl-C does.
        progress: Says what is waited for where nothing else does.
    """

    def __init__(self, session: Session, interrupts: Interrupts, progress: Progress | None = None) -> None:
        self.session = session
        self._interrupts = interrupts
        self._progress = progress
        self._waits_for = ""
        # From here on nothing is missed, also of what went on by itself since it was opened.
        self._reader = session.handle.subscribe(after="")

    async def finish_old(self, printer: Printer) -> None:
        """Let what an earlier process left unfinished come to its end, and show all its events.

        Being interrupted ends the message that runs; those behind it go on at the next attach.
        """
        handle = self.session.handle
        count = len(handle.snapshot().queue)
        if count:
            say(f"ore: finishing {count} earlier message{'s' * (count > 1)} of session {handle.id} first")
        try:
            await self._show(asyncio.ensure_future(handle.idle()), printer, _everything)
        except asyncio.CancelledError:
            if self._interrupts.told is None:
                handle.cancel()
            await finish(handle.leave())
            raise

    async def ask(self, prompt: str, printer: Printer, *, all_events: bool = False) -> Outcome:
        """Send a message and show its events up to its ending.

        Args:
            all_events: Whether events that belong to no message are shown too.

        Returns:
            How it ended; as failed also when it was not even taken.

        Raises:
            LimitError: The message is too large.
        """
        handle = self.session.handle
        ticket = handle.submit(UserMessage(content=prompt))

        def is_own(entry: Entry) -> bool:
            return all_events or entry.context.message == ticket.id or isinstance(entry.event, Gap)

        with self._interrupts.stopping(handle.cancel):
            ending = asyncio.ensure_future(_ending(ticket))
            await self._show(ending, printer, is_own)
        await printer.end()
        return ending.result()

    def close(self) -> None:
        """Read no more; the session goes on as it is."""
        self._reader.close()

    async def _show(self, end: "asyncio.Future[Any]", printer: Printer, wanted: Wanted) -> None:
        """Show events as they come, until `end` is done and all that came before it was shown."""
        reader = self._reader
        following: asyncio.Future[Entry | None] | None = None
        try:
            while not end.done():
                following = following or asyncio.ensure_future(_next(reader))
                await asyncio.wait((end, following), return_when=asyncio.FIRST_COMPLETED)
                if following.done():
                    first, following = following.result(), None
                    if first is None:  # the session is closed, and nothing comes any more
                        await asyncio.wait((end,))
                        return
                    await self._print((first, *reader.take()), printer, wanted)
        finally:
            if self._progress is not None:
                self._progress.stop()
            for left in (end, following):
                if left is not None and not left.done():
                    left.cancel()
                    await asyncio.wait((left,))
        await self._print(reader.take(), printer, wanted)

    async def _print(self, entries: Sequence[Entry], printer: Printer, wanted: Wanted) -> None:
        progress = self._progress
        for entry in entries:
            if wanted(entry):
                if progress is not None:
                    progress.stop()
                await printer.take(entry)
            told = _waited_for(entry)
            self._waits_for = self._waits_for if told is None else told
        if progress is not None and self._waits_for:
            progress.start(self._waits_for)


@asynccontextmanager
async def open_conversation(
    agent: Agent, options: Namespace, lines: Lines, interrupts: Interrupts, progress: Progress | None = None
) -> AsyncIterator[Conversation]:
    """The conversation of the options; a new session's id goes to standard error.

    Args:
        agent: The agent.
        options: What was asked for.
        lines: Where answers to questions come from.
        interrupts: What Ctrl-C does.
        progress: Says at a terminal what is waited for.

    Raises:
        InputError: The id or the store is not what was expected.
        StoreError: The session cannot be used.
    """
    approval = Approval(options.approve, lines, progress)
    with Progress("opening the session") as opening:
        async with agent.session(options.session, store=options.store, on_question=approval) as session:
            opening.stop()
            if options.session is None:
                say(f"session: {session.id}")
            conversation = Conversation(session, interrupts, progress)
            try:
                yield conversation
            finally:
                conversation.close()


async def _ending(ticket: Ticket) -> Outcome:
    try:
        return await ticket
    except OreError as error:  # such as a session that another process owns
        return Outcome(status=Ending.FAILED, error=error)


async def _next(reader: Subscription) -> Entry | None:
    return await anext(reader, None)


def _waited_for(entry: Entry) -> str | None:
    """What is waited for behind an event: nothing while text comes; `None` where it changes nothing."""
    event = entry.event
    if isinstance(event, ToolCall):
        return f"{event.name} runs"
    if isinstance(event, Lifecycle):
        return "waiting for the model" if event.phase == "submitted" else ""
    return "" if isinstance(event, TextDelta | Text | Question) else None


def _everything(entry: Entry) -> bool:
    return True
