"""`ore sessions`: what is stored."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Final

from ore.cli.options import add_store, whole_number
from ore.cli.parser import Configure, Execute, Parser, Words, choose
from ore.cli.status import MISUSE, Status

__all__ = ["configure"]

ACTIONS: Final[Mapping[str, str]] = {
    "list": "all sessions, the most recently written first",
    "show": "one session's turns",
    "search": "the turns that contain a text, in any case",
    "fork": "a new session that goes on from a turn of another; prints its id",
    "delete": "remove a session for good",
    "export": "write a session with all its branches, as JSON for `import`, as text or as a page",
    "import": "make a session of what `export` wrote; prints its id",
}


def configure(parser: Parser, words: Words) -> Execute:
    """Add the actions."""
    chosen = choose(parser, words, ACTIONS, _ACTIONS.__getitem__)
    return chosen or (lambda options: _usage(parser))


def _usage(parser: ArgumentParser) -> Status:
    parser.print_help(sys.stderr)
    return MISUSE


def _configure_list(parser: ArgumentParser, words: Words) -> Execute:
    return _common(parser, "stored", "list_sessions")


def _configure_show(parser: ArgumentParser, words: Words) -> Execute:
    _add_id(parser)
    parser.add_argument(
        "--context",
        action="store_true",
        help="instead of the turns what was sent for each answer, by part, and where it differs from the one before",
    )
    return _common(parser, "stored", "show_session")


def _configure_search(parser: ArgumentParser, words: Words) -> Execute:
    parser.add_argument("text", metavar="TEXT", help="what the turns contain")
    parser.add_argument("--limit", metavar="N", type=whole_number, help="turns at most (all)")
    return _common(parser, "stored", "search_sessions")


def _configure_fork(parser: ArgumentParser, words: Words) -> Execute:
    _add_id(parser)
    parser.add_argument(
        "--at", metavar="TURN", help="the last turn that comes along, with the results of its calls (the latest)"
    )
    return _common(parser, "forking", "fork_session")


def _configure_delete(parser: ArgumentParser, words: Words) -> Execute:
    _add_id(parser)
    return _common(parser, "forking", "delete_session")


def _configure_export(parser: ArgumentParser, words: Words) -> Execute:
    _add_id(parser)
    parser.add_argument(
        "--format",
        choices=("json", "text", "html"),
        default="json",
        help="json, for `import` (default); text, or one page of html, for people",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", default="-", help="a file for you alone (0600) instead of standard output"
    )
    return _common(parser, "carrying", "export_session", json="the same as --format json")


def _configure_import(parser: ArgumentParser, words: Words) -> Execute:
    parser.add_argument("file", metavar="FILE", help="what `export` wrote; standard input as -")
    parser.add_argument("--as", metavar="ID", dest="as_id", help="another id than it had")
    return _common(parser, "carrying", "import_session")


def _add_id(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the session's id")


def _common(parser: ArgumentParser, module: str, function: str, *, json: str = "print one JSON object") -> Execute:
    """Add what every action takes; what runs it is imported when it runs."""
    add_store(parser)
    parser.add_argument("--json", action="store_true", help=json)

    def execute(options: Namespace) -> Status:
        from ore.cli.failures import guarded

        work: Callable[[Namespace], Status] = getattr(import_module(f"ore.cli.{module}"), function)
        return guarded(work, options)

    return execute


_ACTIONS: Final[Mapping[str, Configure]] = {
    "list": _configure_list,
    "show": _configure_show,
    "search": _configure_search,
    "fork": _configure_fork,
    "delete": _configure_delete,
    "export": _configure_export,
    "import": _configure_import,
}
