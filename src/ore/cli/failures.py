"""What goes wrong, as a line and an exit status."""

import asyncio
from argparse import Namespace
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

from ore.app.nearest import guess
from ore.app.result import stop_reason_of, text_of
from ore.cli.interrupts import Told
from ore.cli.status import DONE, FAILED, INTERRUPTED, MISUSE, Status, ended_by
from ore.cli.terminal import say
from ore.errors import AuthenticationError, InputError, ModelNotFoundError, OreError, SessionOwnedError, describe
from ore.ledger import Outcome as Ending
from ore.models import split_name
from ore.session import Outcome

__all__ = ["guarded", "run", "status_of", "tell"]


_SAID: Final[Mapping[str, str]] = {
    "refusal": "the model refused to answer, or to go on (stop reason refusal)",
    "length": "the answer was cut at its limit of tokens (stop reason length); --max-output-tokens sets it",
}
"""What an answer does not say itself, by why it stopped."""


_REMEDIES: Final[Mapping[str, str]] = {
    SessionOwnedError.code: "; end that process first, or go on in a copy, which `ore sessions fork` makes",
}
"""What to do about failures whose message does not say it, by their code."""


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
    except Told as told:
        return ended_by(told.number)
    except asyncio.CancelledError:
        return INTERRUPTED


def status_of(error: OreError) -> Status:
    """The status for an error that came before a message was taken."""
    return MISUSE if isinstance(error, InputError | ModelNotFoundError | AuthenticationError) else FAILED


def tell(outcome: Outcome, model: str | None = None) -> Status:
    """The status for a message's ending; a failure is said, too.

    A key that is missing, or a model or an address that is none, may be found
    only when a message needs it, such as the model that a session has stored;
    that is wrong use all the same. What a vendor refuses is a failed run, but
    for a model that it does not know.

    Args:
        outcome: The ending.
        model: What was asked for, to name the nearest when there is no such model.
    """
    if outcome.error is not None:
        info = describe(outcome.error)
        is_misnamed = isinstance(outcome.error, ModelNotFoundError)
        near = _near(model) if is_misnamed and model is not None else _REMEDIES.get(info.code, "")
        kind = "" if isinstance(outcome.error, OreError) else f"{type(outcome.error).__name__}: "
        say(f"ore: the run failed ({info.code}): {kind}{info.message}{near}")
        return MISUSE if _is_misuse(outcome.error) else FAILED
    said = _SAID.get(stop_reason_of(outcome.turn) or "")
    if said is None and outcome.status is Ending.DONE and outcome.turn is not None and not text_of(outcome.turn):
        said = "the answer has no text"
    if said is not None:
        say(f"ore: {said}")
    return DONE if outcome.status is Ending.DONE else INTERRUPTED


def _is_misuse(error: Exception) -> bool:
    return isinstance(error, InputError | ModelNotFoundError) or (
        isinstance(error, AuthenticationError) and error.is_unsent
    )


def _near(model: str) -> str:
    """What model of the same provider somebody may have meant."""
    from ore.ext.catalog import shared_catalog
    from ore.ext.catalog.names import list_of

    prefix, name = split_name(model)
    if prefix is None or shared_catalog().named(model) is not None:
        return ""
    owner = list_of(prefix)
    names = [known.name for known in shared_catalog().search(owner) if known.provider == owner]
    return guess(name, names, within=f"{prefix}:")
