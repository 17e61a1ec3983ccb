"""`ore chat`: one message after the other, line by line."""

from argparse import ArgumentParser, Namespace

from ore.cli.options import add_session
from ore.cli.parser import Execute, Words
from ore.cli.status import Status

__all__ = ["configure"]


def configure(parser: ArgumentParser, words: Words) -> Execute:
    """Add the options."""
    parser.description = "One prompt a line, /help lists the commands; an empty line or the end of input quits."
    add_session(parser)
    parser.add_argument("--plain", action="store_true", help="lines instead of the terminal UI")
    return _execute


def _execute(options: Namespace) -> Status:
    from ore.cli.failures import guarded
    from ore.cli.plain_chat import chat

    return guarded(chat, options)
