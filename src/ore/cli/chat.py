"""`ore chat`: one message after the other, on a screen or line by line."""

import os
from argparse import Namespace
from functools import partial
from importlib.util import find_spec
from typing import Final

from ore.cli.options import add_session
from ore.cli.parser import Execute, Parser, Words
from ore.cli.status import Status

__all__ = ["configure"]


_ELSEWHERE: Final = ("connect", "session", "token", "theme", "plain")
"""Options that mean something for a session of a server, which has its own agent, model and store."""


def configure(parser: Parser, words: Words) -> Execute:
    """Add the options."""
    parser.description = (
        "Talk, one message after the other; /help lists the commands. On a terminal this is a screen, when the extra "
        "`tui` is installed; elsewhere one prompt a line, and an empty line or the end of input quits."
    )
    add_session(parser)
    parser.add_argument("--plain", action="store_true", help="lines instead of the screen; not with --connect")
    parser.add_argument(
        "--connect", metavar="URL", help="a running `ore serve`, whose sessions are shown instead of those of here"
    )
    parser.add_argument(
        "--token", metavar="T", default=os.environ.get("ORE_TOKEN") or None, help="what it asks for ($ORE_TOKEN)"
    )
    parser.add_argument("--theme", choices=("auto", "dark", "light", "plain"), default="auto", help="colours (auto)")
    return lambda options: _execute(parser, options)


def _execute(parser: Parser, options: Namespace) -> Status:
    from ore.cli.failures import guarded

    if options.connect is not None:
        _refuse_own(parser, options)
    if options.connect is not None or (not options.plain and _has_screen()):
        from ore.cli.screen_chat import chat

        return guarded(partial(chat, parser.arguments), options)
    from ore.cli.plain_chat import chat as plain_chat

    return guarded(plain_chat, options)


def _refuse_own(parser: Parser, options: Namespace) -> None:
    """Refuse what a server has its own of.

    Raises:
        SystemExit: Something of it was given.
    """
    for action in parser.arguments:
        if action.dest not in _ELSEWHERE and getattr(options, action.dest, action.default) != action.default:
            parser.error(
                f"--connect shows a session of a server, which has its own agent, model, tools and store: "
                f"give {action.option_strings[-1]} to `ore serve`"
            )


def _has_screen() -> bool:
    """Whether people see a screen, and what draws it is installed."""
    import sys

    from ore.cli.terminal import is_terminal

    streams = (sys.stdin, sys.stdout, sys.stderr)
    return all(map(is_terminal, streams)) and os.environ.get("TERM") != "dumb" and find_spec("textual") is not None
