"""One `error` event for each failure: the innermost part that knows it says it."""

__all__ = ["is_reported", "mark_reported", "unmark_reported"]

_MARK = "_ore_reported"


def mark_reported(error: BaseException, message: str | None) -> None:
    """Remember that an `error` event of this message told of it."""
    try:
        setattr(error, _MARK, (*getattr(error, _MARK, ()), message))
    except AttributeError:  # an exception with slots: it may be told twice, which is better than never
        return


def unmark_reported(error: BaseException, message: str | None) -> None:
    """Forget it: the event went where nobody reads."""
    marks = getattr(error, _MARK, ())
    if message in marks:
        setattr(error, _MARK, tuple(one for one in marks if one != message))


def is_reported(error: BaseException, message: str | None) -> bool:
    """Whether an `error` event of this message told of it, or of what caused it."""
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        if message in getattr(at, _MARK, ()):
            return True
        seen.add(id(at))
        at = at.__cause__
    return False
