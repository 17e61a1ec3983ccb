"""Locks of files that a forked child does not go on holding.

The kernel gives a lock back when the last copy of its descriptor is closed, and
a child that forks without executing a program has copies: one that outlives
its parent would keep what the parent owned from everybody.
"""

import os
from contextlib import suppress
from typing import Final

__all__ = ["close_lock", "holds_lock", "keep_lock"]

_KEPT: Final[dict[int, str]] = {}


def keep_lock(descriptor: int, path: str) -> int:
    """Have every child close the descriptor of the lock file as soon as it is forked; returns it."""
    _KEPT[descriptor] = path
    return descriptor


def holds_lock(path: str, beside: int) -> bool:
    """Whether this process has the lock file open by another descriptor than `beside`."""
    return any(kept == path and descriptor != beside for descriptor, kept in _KEPT.items())


def close_lock(descriptor: int) -> None:
    """Give the lock back; does nothing in a child that was forked meanwhile."""
    if _KEPT.pop(descriptor, None) is not None:
        os.close(descriptor)


def _let_go() -> None:
    for descriptor in _KEPT:
        with suppress(OSError):
            os.close(descriptor)
    _KEPT.clear()


if hasattr(os, "register_at_fork"):  # where there is forking
    os.register_at_fork(after_in_child=_let_go)
