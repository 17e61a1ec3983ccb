"""The default store: one SQLite file."""

from ore.ext.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
