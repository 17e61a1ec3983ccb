"""Instructions: what a model is told before the conversation."""

from collections.abc import Callable, Coroutine

from ore.artifact import Text, clean
from ore.ledger import Role, State, Turn, prepend
from ore.loop import Transform

__all__ = ["Instructions", "instructions"]

Instructions = str | Callable[[], str]
"""Text, or a function that is asked before each inference. Must not block."""

_ID = "instructions"


def instructions(source: Instructions) -> Transform:
    """A transform that puts a system turn before the conversation.

    The same text makes the same turn, byte for byte, so that prompt caches
    hold. Empty text adds nothing.
    """
    last: str | None = None
    kept: tuple[Turn, ...] = ()

    def transform(state: State) -> State:
        nonlocal last, kept
        text = _text(source)
        if text != last:
            last = text
            kept = (Turn(id=_ID, role=Role.SYSTEM, artifacts=(Text(content=clean(text)),)),) if text else ()
        return prepend(state, kept)

    return transform


def _text(source: Instructions) -> str:
    text: object = source if isinstance(source, str) else source()
    if isinstance(text, str):
        return text
    if isinstance(text, Coroutine):
        text.close()
    raise TypeError(f"instructions: expected text, got {type(text).__name__}; a function for them is no coroutine")
