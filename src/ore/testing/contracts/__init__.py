"""Contract suites: what every implementation of a seam must pass, without a test framework."""

from ore.testing.contracts.store import Check, StoreBench, store_checks

__all__ = ["Check", "StoreBench", "store_checks"]
