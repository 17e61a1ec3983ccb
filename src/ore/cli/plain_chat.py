"""`ore chat --plain`: a conversation by lines."""

import sys
from argparse import Namespace

from ore.app import Agent
from ore.cli.calling import called_agent
from ore.cli.conversation import Conversation, open_conversation
from ore.cli.failures import run, tell
from ore.cli.interrupts import Interrupts
from ore.cli.lines import Lines
from ore.cli.output import Output
from ore.cli.printers import NoticePrinter, TextPrinter
from ore.cli.status import DONE, FAILED, INTERRUPTED, Status
from ore.cli.terminal import is_terminal, prompt, say
from ore.errors import OreError

__all__ = ["chat"]


def chat(options: Namespace) -> Status:
    """Talk until an empty line or the end of the input.

    A message that fails does not end the conversation; where a program sends
    the lines, the status says that one did. Ctrl-C stops the running message;
    at a terminal the conversation goes on then.

    Raises:
        OreError: It could not even begin.
    """
    return run(_chat(called_agent(options), options))


async def _chat(agent: Agent, options: Namespace) -> Status:
    lines, interrupts, output = Lines(), Interrupts(), Output()
    status = DONE
    with interrupts.listening():
        async with open_conversation(agent, options, lines, interrupts) as conversation:
            await conversation.finish_old(NoticePrinter())
            while not output.closed:
                prompt("> ")
                line = await lines.next()
                if line is None or not line.strip():
                    break
                came_to = await _answer(conversation, line, output)
                if is_terminal(sys.stdin):
                    continue
                if interrupts.happened:
                    return INTERRUPTED
                status = max(status, came_to)
    return output.status(status)


async def _answer(conversation: Conversation, line: str, output: Output) -> Status:
    try:
        return tell(await conversation.ask(line, TextPrinter(output)))
    except OreError as error:  # such as a message that is too large
        say(f"ore: {error}")
        return FAILED
