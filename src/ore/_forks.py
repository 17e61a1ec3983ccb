"""Locks of files that a forked child does not go on holding.

The kernel gives a lock back when the last copy of its descriptor is closed, and
a child that forks without executing a program has copies: one that outlives
its parent would keep what the parent owned from everybody.
"""

import os
from contextlib import suppress
from typing import Final

__all__ = ["close_lock", "keep_lock"]

_KEPT: Final[set[int]] = set()


def keep_lock(descriptor: int) -> int:
    """Have every child close the descriptor as soon as it is forked; returns it."""
    _KEPT.add(descriptor)
    return descriptor


def close_lock(descriptor: int) -> None:
    """Give the lock back; does nothing in a child that was forked meanwhile."""
    if descriptor in _KEPT:
        _KEPT.discard(descriptor)
        os.close(descriptor)


def _let_go() -> None:
    for descriptor in _KEPT:
        with suppress(OSError):
            os.close(descriptor)
    _KEPT.clear()


if hasattr(os, "register_at_fork"):  # where there is forking
    os.register_at_fork(after_in_child=_let_go)
