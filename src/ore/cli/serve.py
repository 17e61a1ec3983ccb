"""`ore serve`: sessions over HTTP, with a page to talk in."""

import os
from argparse import ArgumentParser, ArgumentTypeError, Namespace

from ore.cli.options import add_session
from ore.cli.parser import Execute, Words
from ore.cli.status import Status

__all__ = ["configure"]


def configure(parser: ArgumentParser, words: Words) -> Execute:
    """Add the options."""
    parser.description = (
        "Serve agents over HTTP until SIGTERM or Ctrl-C; what runs then has a few seconds to end, and goes on at the "
        "next start. With --approve ask (the default) questions wait for whoever watches the session."
    )
    parser.add_argument("--host", metavar="HOST", default="127.0.0.1", help="where it listens (127.0.0.1)")
    parser.add_argument("--port", metavar="N", type=port_number, default=7654, help="the port (7654); 0 is a free one")
    parser.add_argument(
        "--token",
        metavar="T",
        default=os.environ.get("ORE_TOKEN") or None,
        help="what requests have to show; needed where HOST is more than loopback ($ORE_TOKEN)",
    )
    parser.add_argument(
        "--drain-s", metavar="S", type=_seconds, default=10.0, help="seconds for running messages at the end (10)"
    )
    parser.add_argument(
        "--conduit",
        metavar="NAME[:PORT]",
        type=_conduit,
        action="append",
        help="what serves: http, or one of an installed package; repeatable, on the same sessions (http)",
    )
    parser.add_argument("--no-ui", action="store_true", help="without the page")
    parser.add_argument(
        "--allow-host", metavar="NAME", action="append", default=[], help="another name of the server; repeatable"
    )
    parser.add_argument(
        "--allow-origin",
        metavar="URL",
        action="append",
        default=[],
        help="a page elsewhere that may use it; repeatable",
    )
    parser.add_argument("--access-log", action="store_true", help="a line for each request, on standard error")
    add_session(parser, several_agents=True)
    return _execute


def port_number(text: str) -> int:
    """A port of the command line.

    Raises:
        ArgumentTypeError: It is none.
    """
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text) < 65536):
        raise ArgumentTypeError(f"expected a port, a whole number from 0 to 65535, got {text!r}")
    return int(text)


def _conduit(text: str) -> tuple[str, int | None]:
    name, colon, port = text.partition(":")
    return name, port_number(port) if colon else None


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e6:
        raise ArgumentTypeError(f"expected a number of seconds, 0 or more, got {text!r}")
    return value


def _execute(options: Namespace) -> Status:
    from ore.cli.failures import guarded
    from ore.cli.serving import serve

    return guarded(serve, options)
