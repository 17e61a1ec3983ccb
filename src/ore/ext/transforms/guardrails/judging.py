"""`judge`: what several guards come to together."""

import inspect
import logging
from collections.abc import Sequence

import msgspec

from ore.errors import LimitError
from ore.ext.transforms.guardrails.verdict import Action, Guard, Looked, Verdict

__all__ = ["Judged", "judge", "judge_at_once"]

log = logging.getLogger(__name__)

UNCHECKED = "it could not be checked"


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """What several guards came to.

    Attributes:
        looked: What is left, with what was rewritten.
        blocked: Why it goes no further, if it does not.
        asks: Why a person has to decide, if one has to.
        rewritten: Why it is another than it was, if it is; may be empty.
    """

    looked: Looked
    blocked: str | None = None
    asks: str | None = None
    rewritten: str | None = None


async def judge(guards: Sequence[Guard], looked: Looked) -> Judged:
    """Ask guards in order, up to the first that blocks; each looks at what those before it left.

    Raises:
        LimitError: Nothing is left in a budget for a model that was to be asked.
    """
    judged = Judged(looked=looked)
    for guard in guards:
        try:
            found = guard(judged.looked)
            judged = _with(judged, await found if inspect.isawaitable(found) else found)
        except LimitError:
            raise
        except Exception as error:
            judged = _failed(judged, error)
        if judged.blocked is not None:
            break
    return judged


def judge_at_once(guards: Sequence[Guard], looked: Looked) -> Judged | None:
    """The same without waiting; `None` when one of them has to be waited for."""
    if any(map(_waits, guards)):
        return None
    judged = Judged(looked=looked)
    for guard in guards:
        try:
            found = guard(judged.looked)
            if inspect.isawaitable(found):
                if inspect.iscoroutine(found):
                    found.close()
                return None
            judged = _with(judged, found)
        except Exception as error:
            judged = _failed(judged, error)
        if judged.blocked is not None:
            break
    return judged


def _waits(guard: Guard) -> bool:
    return inspect.iscoroutinefunction(guard) or inspect.iscoroutinefunction(getattr(guard, "__call__", None))  # noqa: B004  # its kind is asked for


def _with(judged: Judged, verdict: Verdict | None) -> Judged:
    if verdict is None:
        return judged
    if not isinstance(verdict, Verdict):
        raise TypeError(f"guard: expected a Verdict or None, got {type(verdict).__name__}")
    if verdict.action is Action.BLOCK:
        return msgspec.structs.replace(judged, blocked=verdict.reason or "it is not allowed")
    if verdict.action is Action.ASK:
        return msgspec.structs.replace(judged, asks=judged.asks or verdict.reason or "may this go on?")
    return msgspec.structs.replace(judged, looked=_rewritten(judged.looked, verdict), rewritten=verdict.reason)


def _rewritten(looked: Looked, verdict: Verdict) -> Looked:
    if looked.where == "call":
        if isinstance(verdict.content, str) or verdict.content is None:
            raise TypeError("guard: expected arguments in the place of a call's, got text")
        return looked.with_arguments(verdict.content)
    if not isinstance(verdict.content, str):
        raise TypeError("guard: expected text in the place of text, got something else")
    return msgspec.structs.replace(looked, text=verdict.content)


def _failed(judged: Judged, error: Exception) -> Judged:
    """What could not be checked does not pass; the log says why, without what was looked at."""
    log.warning("a guard failed: %s", type(error).__name__, exc_info=error if log.isEnabledFor(logging.DEBUG) else None)
    return msgspec.structs.replace(judged, blocked=UNCHECKED)
