"""One message of `ore run`, from the prompt to the exit status."""

import sys
from argparse import Namespace

from ore.app import Agent
from ore.app.result import stop_reason_of, text_of, usage_of
from ore.artifact import to_json
from ore.cli.calling import asks_several, called_agent
from ore.cli.conversation import open_conversation
from ore.cli.failures import run, tell
from ore.cli.interrupts import Interrupts
from ore.cli.lines import Lines, read_prompt, spoken
from ore.cli.output import Output
from ore.cli.printers import EventPrinter, NoticePrinter, Printer, TextPrinter
from ore.cli.progress import Progress
from ore.cli.status import Status
from ore.cli.terminal import is_terminal, say
from ore.errors import InputError, OreError, describe
from ore.ledger import Outcome as Ending
from ore.session import Outcome

__all__ = ["answer"]


def answer(options: Namespace) -> Status:
    """Answer the prompt of the options.

    With `--json` its object is printed whatever happens, but for options that
    cannot be read.

    Raises:
        OreError: It could not even begin.
    """
    try:
        return run(_answer(called_agent(options), _prompt(options.prompt), options))
    except OreError as error:
        if options.json:
            Output().json(_final(options.session, Outcome(status=Ending.FAILED, error=error)))
        raise


def _prompt(given: str | None) -> str:
    if given is None or given == "-":
        if is_terminal(sys.stdin):
            say("ore: reading the prompt from the terminal; Ctrl-D ends it")
        given = read_prompt()
    else:
        given = spoken(given, "prompt")
    if not given.strip():
        raise InputError("prompt: expected text as an argument or on standard input, got none")
    return given


async def _answer(agent: Agent, prompt: str, options: Namespace) -> Status:
    output, interrupts = Output(), Interrupts()
    with interrupts.listening():
        session_id, outcome = await _ask(agent, prompt, options, output, interrupts)
        if options.json:
            await output.put_json(_final(session_id, outcome))
    return output.status(tell(outcome, options.model))


async def _ask(
    agent: Agent, prompt: str, options: Namespace, output: Output, interrupts: Interrupts
) -> tuple[str, Outcome]:
    """The session's id, and how the prompt ended in it."""
    printer = _printer(agent, options, output)
    progress = Progress("waiting for the model")
    async with open_conversation(agent, options, Lines(), interrupts, progress) as conversation:
        await conversation.finish_old(printer if options.events else NoticePrinter())
        outcome = await conversation.ask(prompt, printer, all_events=options.events)
        return conversation.session.id, outcome


def _printer(agent: Agent, options: Namespace, output: Output) -> Printer:
    if options.events:
        return EventPrinter(output)
    if options.json:
        return NoticePrinter()
    return TextPrinter(output, whole=asks_several(agent) and not output.terminal)


def _final(session_id: str | None, outcome: Outcome) -> bytes:
    """What `--json` prints."""
    return to_json(
        {
            "session": session_id,
            "text": text_of(outcome.turn),
            "stop_reason": stop_reason_of(outcome.turn),
            "usage": usage_of(outcome.turns),
            "outcome": outcome.status,
            "error": describe(outcome.error) if outcome.error else None,
        }
    )
