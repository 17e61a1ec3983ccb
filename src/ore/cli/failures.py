"""What goes wrong, as a line and an exit status."""

import asyncio
from argparse import Namespace
from collections.abc import Callable, Coroutine
from typing import Any

from ore.cli.status import DONE, FAILED, INTERRUPTED, MISUSE, Status
from ore.cli.terminal import say
from ore.errors import AuthenticationError, InputError, ModelNotFoundError, OreError, describe
from ore.ledger import Outcome as Ending
from ore.session import Outcome

__all__ = ["guarded", "run", "status_of", "tell"]


def guarded(work: Callable[[Namespace], Status], options: Namespace) -> Status:
    """The status that `work` comes to; an error of ore's becomes a line, with its code where that says more."""
    try:
        return work(options)
    except OreError as error:
        status = status_of(error)
        say(f"ore: {error}" if status == MISUSE or error.code == OreError.code else f"ore: {error} ({error.code})")
        return status


def run(work: Coroutine[Any, Any, Status]) -> Status:
    """Run `work` in a loop of its own; being cancelled is having been interrupted."""
    try:
        return asyncio.run(work)
    except asyncio.CancelledError:
        return INTERRUPTED


def status_of(error: OreError) -> Status:
    """The status for an error that came before a message was taken."""
    return MISUSE if isinstance(error, InputError | ModelNotFoundError | AuthenticationError) else FAILED


def tell(outcome: Outcome) -> Status:
    """The status for a message's ending; a failure is said, too.

    Some providers know only when they are asked that there is no such model,
    which is wrong use all the same.
    """
    if outcome.error is not None:
        info = describe(outcome.error)
        say(f"ore: the run failed ({info.code}): {info.message}")
        return MISUSE if isinstance(outcome.error, ModelNotFoundError) else FAILED
    return DONE if outcome.status is Ending.DONE else INTERRUPTED
