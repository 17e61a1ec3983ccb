"""`Frames`: batches of events as bytes, made once for all readers of the same batch."""

from collections.abc import Sequence
from typing import Final

from ore.artifact import clean
from ore.event import Entry

__all__ = ["BEGINNING", "PING", "Frames", "lines"]

BEGINNING: Final = b"retry: 1000\n: here\n\n"
"""The first bytes of an event stream: how soon to come back, in ms, and a sign of life."""

PING: Final = b": ping\n\n"
"""A comment, which readers pass over."""

KEPT: Final = 8
NAMES: Final = 256


class Frames:
    """Server-sent events of batches, as the HTML standard has them.

    Readers of one session that stand at one place get the very same batch, so
    the last few are kept with their bytes.
    """

    __slots__ = ("_kept", "_names", "_next")

    def __init__(self) -> None:
        self._kept: list[tuple[Sequence[Entry] | None, bytes]] = [(None, b"")] * KEPT
        self._next = 0
        self._names: dict[str, bytes] = {}

    def of(self, batch: Sequence[Entry]) -> bytes:
        """The bytes of a batch."""
        for known, data in self._kept:
            if known is batch:
                return data
        names = self._names
        data = b"".join(
            [
                b"id: %d-%d\nevent: %b\ndata: %b\n\n"
                % (entry.epoch, entry.number, names.get(entry.kind) or self._name(entry.kind), entry.json)
                for entry in batch
            ]
        )
        self._kept[self._next] = (batch, data)
        self._next = (self._next + 1) % KEPT
        return data

    def _name(self, kind: str) -> bytes:
        """A kind as it may stand on a line of its own; anybody may have made it up."""
        name = clean(" ".join(kind.split())).encode()
        if len(self._names) < NAMES:
            self._names[kind] = name
        return name


def lines(entries: Sequence[Entry]) -> bytes:
    """Newline-delimited JSON, one event a line."""
    return b"".join([b"%b\n" % entry.json for entry in entries])
