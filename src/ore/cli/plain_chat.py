"""`ore chat --plain`: a conversation by lines."""

import sys
from argparse import Namespace
from pathlib import Path

from ore._aio import finish
from ore.app import Agent, open_store
from ore.cli.commanded import commanded_agents
from ore.cli.conversation import Conversation, open_conversation
from ore.cli.failures import run, status_of, tell
from ore.cli.interrupts import Interrupts
from ore.cli.lines import Lines
from ore.cli.output import Output
from ore.cli.printers import NoticePrinter, TextPrinter
from ore.cli.status import DONE, INTERRUPTED, Status
from ore.cli.terminal import is_terminal, prompt, say
from ore.errors import OreError
from ore.event import Entry, SessionSwitch

__all__ = ["chat"]


def chat(options: Namespace) -> Status:
    """Talk until an empty line or the end of the input; lines such as `/help` are commands.

    A message that fails does not end the conversation; where a program sends
    the lines, the status says that one did. Ctrl-C stops the running message;
    at a terminal the conversation goes on then.

    Raises:
        OreError: It could not even begin.
    """
    (agent,) = commanded_agents([options], Path.cwd())
    return run(_chat(agent, options))


async def _chat(agent: Agent, options: Namespace) -> Status:
    lines, interrupts, output = Lines(), Interrupts(), Output()
    # One store for all: what a command makes beside a session is there for the next one.
    store = None if options.store is None else open_store(options.store)
    talk = _Talk(lines, interrupts, output)
    session_id = options.session
    try:
        with interrupts.listening():
            while session_id is not None or not talk.begun:
                here = Namespace(**{**vars(options), "session": session_id, "store": store})
                async with open_conversation(agent, here, lines, interrupts) as conversation:
                    session_id = await talk.through(conversation)
    finally:
        if store is not None:
            await finish(store.aclose())
    return output.status(talk.status)


class _Talk:
    """One line after the other, in one session or another.

    Attributes:
        begun: Whether there was any session yet.
        status: What it came to.
    """

    def __init__(self, lines: Lines, interrupts: Interrupts, output: Output) -> None:
        self._lines = lines
        self._interrupts = interrupts
        self._output = output
        self.begun = False
        self.status = DONE

    async def through(self, conversation: Conversation) -> str | None:
        """Talk until the end, or until a command leads to another session: its id then."""
        self.begun = True
        await conversation.finish_old(NoticePrinter())
        while not self._output.closed:
            prompt("> ")
            line = await self._lines.next()
            if line is None or not line.strip():
                return None
            printer = _SwitchPrinter(self._output)
            came_to = await self._answer(conversation, line, printer)
            if not is_terminal(sys.stdin):
                if self._interrupts.happened:
                    self.status = INTERRUPTED
                    return None
                self.status = max(self.status, came_to)
            if printer.session_id is not None:
                return printer.session_id
        return None

    async def _answer(self, conversation: Conversation, line: str, printer: TextPrinter) -> Status:
        try:
            return tell(await conversation.ask(line, printer))
        except OreError as error:  # such as a message that is too large
            say(f"ore: {error}")
            return status_of(error)


class _SwitchPrinter(TextPrinter):
    """Prints the text, and knows where a command leads.

    Attributes:
        session_id: The session to go on in; `None` is this one.
    """

    def __init__(self, output: Output) -> None:
        super().__init__(output)
        self.session_id: str | None = None

    async def take(self, entry: Entry) -> None:
        """Print what is to be printed of it."""
        if isinstance(entry.event, SessionSwitch):
            self.session_id = entry.event.session_id
        await super().take(entry)
