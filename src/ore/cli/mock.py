"""`ore mock`: a vendor on this machine, for tests."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace

from ore.cli.parser import Execute, Words
from ore.cli.status import Status

__all__ = ["configure"]

VENDORS = ("openai", "anthropic")
"""Said here, too, so that help needs no server."""


def configure(parser: ArgumentParser, words: Words) -> Execute:
    """Add the options."""
    parser.add_argument("--vendor", choices=VENDORS, required=True, help="who is played")
    parser.add_argument("--script", metavar="FILE", required=True, help="what is answered, as scripted:FILE has it")
    parser.add_argument("--port", metavar="N", type=_port, default=0, help="where it listens on loopback (a free one)")
    parser.add_argument("--api-key", metavar="KEY", help="the only key that is taken (any, or none)")
    return _execute


def _execute(options: Namespace) -> Status:
    from ore.cli.failures import guarded
    from ore.cli.mocking import serve_mock

    return guarded(serve_mock, options)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text) < 65536):
        raise ArgumentTypeError(f"expected a port, a whole number from 0 to 65535, got {text!r}")
    return int(text)
