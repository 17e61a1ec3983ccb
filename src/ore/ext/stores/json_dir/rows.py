"""`Rows`: all threads as lists need them, read again only where a file changed."""

import logging
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from ore.errors import OreError
from ore.ext.stores.json_dir import files
from ore.ext.stores.json_dir.entry import Entry, Stamps
from ore.ext.stores.json_dir.names import id_of, marked
from ore.ledger import Summary

__all__ = ["ReadEntry", "Row", "Rows"]

log = logging.getLogger(__name__)

ReadEntry = Callable[[str, Path, Stamps], Entry]
"""The state of a thread, by its id, its file and the stamps of its files."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A thread in a list.

    Attributes:
        stamps: Of its files when they were read.
        born: Its place among all threads by when it was made.
        written: Its place among them by when records were appended last.
        has_work: Whether its inbox is not empty.
    """

    stamps: Stamps
    summary: Summary
    metadata: Mapping[str, str]
    born: int
    written: int
    has_work: bool

    @property
    def id(self) -> str:
        """The thread."""
        return self.summary.id


class Rows:
    """Of one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, Row] = {}
        self._faults: dict[str, Stamps] = {}

    def read(self, entry_of: ReadEntry) -> list[Row]:
        """Every thread that can be read, in the order in which they were made.

        One that cannot is passed over, and reported once.
        """
        rows: dict[str, Row] = {}
        faults: dict[str, Stamps] = {}
        for thread_id, name, stamps in _threads(self._folder):
            row = self._known.get(thread_id)
            if row is not None and row.stamps == stamps:
                rows[thread_id] = row
            elif self._faults.get(thread_id) == stamps:
                faults[thread_id] = stamps
            else:
                try:
                    rows[thread_id] = _row(entry_of(thread_id, self._folder / name, stamps), stamps)
                except (OSError, OreError) as error:
                    log.warning("passed over: %s", error)
                    faults[thread_id] = stamps
        self._known, self._faults = rows, faults
        return sorted(rows.values(), key=lambda row: (row.born, row.id))

    def clear(self) -> None:
        """Forget what was read."""
        self._known, self._faults = {}, {}


def _row(entry: Entry, stamps: Stamps) -> Row:
    return Row(
        stamps=stamps,
        summary=entry.summary(),
        metadata=dict(entry.fold.metadata),
        born=entry.born,
        written=entry.written,
        has_work=bool(entry.inbox),
    )


def _threads(folder: Path) -> Iterator[tuple[str, str, Stamps]]:
    """Every file that is a thread's: the id, its name and the stamps of its files."""
    stamps: dict[str, files.Stamp] = {}
    with os.scandir(folder) as found:
        for file in found:
            with suppress(FileNotFoundError):
                facts = file.stat(follow_symlinks=False)
                if stat.S_ISREG(facts.st_mode):  # what is no regular file is not the store's
                    stamps[file.name] = (facts.st_mtime_ns, facts.st_size, facts.st_ino)
    for name, stamp in stamps.items():
        stem = name.removesuffix(".json")
        thread_id = id_of(stem) if name != stem else None
        if thread_id is None or (stem == thread_id and f"{marked(thread_id)}.json" in stamps):
            continue
        yield thread_id, name, (stamp, stamps.get(f"{stem}.log"))
