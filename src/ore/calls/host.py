"""`CallHost`: what a session tells its calls, and does for them."""

from collections.abc import Callable
from dataclasses import dataclass

from ore.tool import Children

__all__ = ["CallHost"]


def _never(key: str) -> bool:
    return False


def _by_the_user() -> str:
    return "cancelled by the user"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallHost:
    """What a session tells its calls, and does for them.

    Attributes:
        stays_open: Whether a call, by its key, shall have no result when it is
            cancelled, because it goes on in another process.
        why: What cancelled calls are told; by default that the user did it.
        children: Runs agents inside calls; without it there are none.
    """

    stays_open: Callable[[str], bool] = _never
    why: Callable[[], str] = _by_the_user
    children: Children | None = None
