"""`ore`: finds the command, runs it, and says how it went by its exit status."""

import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Final

from ore.cli.parser import Configure, Parser, Words, choose
from ore.cli.printed import printed
from ore.cli.status import DONE, INTERRUPTED, MISUSE, Status

__all__ = ["COMMANDS", "find", "main", "new_parser"]

COMMANDS: Final[Mapping[str, str]] = {
    "run": "answer one message and stream the answer",
    "chat": "talk, one message after the other",
    "serve": "serve agents over HTTP, with a page to talk in",
    "sessions": "list, show, search, fork, delete, export and import stored sessions",
    "models": "say what is known of models: windows, limits, prices, abilities",
    "wire": "decode a recorded answer of a vendor",
    "mock": "play a model's vendor on this machine, for tests",
    "doctor": "say what is installed, whether model and store answer, and what to do when they do not",
    "completion": "print what makes a shell complete commands, options, models, tools and sessions",
}
"""Each in the module of its name, which is imported when it is asked for."""


def main(words: Sequence[str] | None = None) -> Status:
    """Run `ore` with these words, or with those of the command line.

    Returns:
        0 done, 1 the run failed, 2 wrong use or missing configuration, 130 interrupted.
    """
    try:
        status = _command(list(sys.argv[1:] if words is None else words))
    except SystemExit as ended:  # the parser has said why
        status = ended.code if isinstance(ended.code, int) else DONE
    except KeyboardInterrupt:
        status = INTERRUPTED
    except BrokenPipeError:  # whoever read has seen enough
        status = DONE
    _let_go()
    return status


def _command(words: Words) -> Status:
    parser = new_parser()
    chosen = choose(parser, words, COMMANDS, find)
    options = parser.options(words)
    if options.version:
        return _version()
    if chosen is None:
        parser.print_help(sys.stderr)
        return MISUSE
    return chosen(options)


def new_parser() -> Parser:
    """The parser of `ore`, which knows no command yet."""
    parser = Parser(
        prog="ore",
        description="Agents as sessions: stored, resumed, never lost.",
        epilog="`ore COMMAND --help` says more.",
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    return parser


def find(command: str) -> Configure:
    """What configures a command."""
    configure: Configure = import_module(f"ore.cli.{command}").configure
    return configure


def _version() -> Status:
    from importlib.metadata import version

    return printed(f"ore {version('ore-agents')}\n")


def _let_go() -> None:
    """Empty what Python holds back; into a closed pipe it goes nowhere, without a word."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            _to_nowhere(stream.fileno())
        except AttributeError:  # closed by whoever started the command
            continue


def _to_nowhere(descriptor: int) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
