"""`ore run`: one message, and its answer as it comes."""

from argparse import ArgumentParser, Namespace

from ore.cli.options import add_session
from ore.cli.parser import Execute, Words
from ore.cli.status import Status

__all__ = ["configure"]


def configure(parser: ArgumentParser, words: Words) -> Execute:
    """Add the options."""
    parser.add_argument("prompt", metavar="PROMPT", nargs="?", help="the message; from standard input without, or as -")
    add_session(parser)
    parser.add_argument("--events", action="store_true", help="print every event as one JSON line")
    parser.add_argument(
        "--capture",
        metavar="FILE",
        help="write what is sent to the model and what it answers, without keys, to FILE (0600); "
        "later requests of the run go beside it, to FILE.2 and so on",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")
    return _execute


def _execute(options: Namespace) -> Status:
    from ore.cli.answer import answer
    from ore.cli.failures import guarded

    return guarded(answer, options)
