"""The contract of a `Store`: run every check against each implementation."""

from collections.abc import Sequence

from ore.testing.contracts import store_log, store_threads, store_work
from ore.testing.contracts.store_bench import Check, StoreBench

__all__ = ["Check", "StoreBench", "store_checks"]


def store_checks() -> Sequence[tuple[str, Check]]:
    """Every check by its name, to parametrize a test with."""
    checks: Sequence[Check] = (*store_threads.CHECKS, *store_log.CHECKS, *store_work.CHECKS)
    return [(getattr(check, "__name__", ""), check) for check in checks]
