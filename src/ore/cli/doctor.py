"""`ore doctor`: what is installed, and whether it works."""

from argparse import ArgumentParser, Namespace

from ore.cli.options import add_model, add_store
from ore.cli.parser import Execute, Words
from ore.cli.status import Status

__all__ = ["configure"]


def configure(parser: ArgumentParser, words: Words) -> Execute:
    """Add the options."""
    add_model(parser)
    add_store(parser)
    return _execute


def _execute(options: Namespace) -> Status:
    from ore.cli.checkup import check_up
    from ore.cli.failures import guarded

    return guarded(check_up, options)
