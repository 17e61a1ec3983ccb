"""`batches`: the events of a read become batches, many at once where each only goes on what is open.

Nearly all events of an answer hold one fragment of the block that is open. A
`Run` says how such events begin and reads many of them in one go; the types
that it decodes to hold nothing else, so an event with more in it is refused,
and whoever makes the answer looks at it alone.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Final, NamedTuple, Protocol

import msgspec

from ore.artifact import Artifact
from ore.errors import ProviderError
from ore.ext.wires.sse import BLANK_LINE, event, events
from ore.provider import BATCH_LIMIT, Batch

__all__ = ["Run", "Source", "batches", "cut"]


ONE_BYTES: Final = 1 << 12
"""A read that may be one event, as they come one by one."""

WINDOW_BYTES: Final = 1 << 15
"""How much is split at once: it stays in the processor's cache."""


class Run(NamedTuple):
    """How the events look that only go on what is open.

    Attributes:
        head: What stands before the JSON of each.
        read: Makes fragments of the JSON of some; raises `msgspec.DecodeError`
            when one of them is not of this kind, and has changed nothing then.
    """

    head: bytes
    read: Callable[[Sequence[bytes]], Sequence[Artifact]]


class Source(Protocol):
    """What makes an answer of events, one after the other."""

    @property
    def fault(self) -> ProviderError | None:
        """What went wrong, once what came before it was yielded."""
        ...

    @property
    def over(self) -> bool:
        """Whether nothing more is read of it, since it ended or broke."""
        ...

    def run(self) -> Run | None:
        """How events look that go on what is open; `None` when each has to be looked at."""
        ...

    def take(self, name: bytes, data: bytes) -> Sequence[Artifact]:
        """What an event says."""
        ...


def batches(text: bytes, source: Source) -> Iterator[Batch]:
    """What events say, in order; lazily, so that the first words are seen before the last are read.

    Args:
        text: Whole events, as `SseReader.text` gives them.

    Yields:
        At most `BATCH_LIMIT` artifacts, never none.

    Raises:
        ProviderError: The source has a fault.
    """
    if len(text) <= ONE_BYTES and BLANK_LINE not in text:
        run = source.run()
        if run is not None and text.startswith(run.head) and not source.over:
            try:
                found = run.read((text[len(run.head) :],))
            except (msgspec.DecodeError, RecursionError):
                pass
            else:
                return iter((found,) if found else ())
    return _batches(text, source)


def _batches(text: bytes, source: Source) -> Iterator[Batch]:
    batch: list[Artifact] = []
    at, end = 0, len(text)
    while at < end and not source.over:
        run = source.run()
        stop = _window(text, at, end) if run is not None else text.find(BLANK_LINE, at)
        stop = end if stop < 0 else stop
        part, at = text[at:stop], stop + len(BLANK_LINE)
        if run is None:
            name, data = event(part)
            if data:
                batch += source.take(name, data)
            if len(batch) >= BATCH_LIMIT:
                yield from _full(batch)
        elif rest := (yield from _read(part, run, source, batch)):
            text, at = rest + text[stop:], 0
            end = len(text)
    if batch:
        yield batch
    if source.fault is not None:
        raise source.fault


def _read(text: bytes, run: Run, source: Source, batch: list[Artifact]) -> Generator[Batch, None, bytes]:
    """Read a run of events, and return those behind its end."""
    border = BLANK_LINE + run.head
    others, *pieces = (BLANK_LINE + text).split(border)
    if others:
        _take(others, source, batch)
        if len(batch) >= BATCH_LIMIT:
            yield from _full(batch)
    place, count = 0, len(pieces)
    while place < count and not source.over:
        if source.run() is not run:
            return run.head + border.join(pieces[place:])
        group = pieces[place : place + BATCH_LIMIT - len(batch)]
        place += len(group)
        try:
            batch += run.read(group)
        except (msgspec.DecodeError, RecursionError):
            _take(run.head + border.join(group), source, batch)
        if len(batch) >= BATCH_LIMIT:
            yield from _full(batch)
    return b""


def cut(artifacts: Sequence[Artifact]) -> Iterator[Batch]:
    """Artifacts as batches of at most `BATCH_LIMIT`."""
    for start in range(0, len(artifacts), BATCH_LIMIT):
        yield artifacts[start : start + BATCH_LIMIT]


def _window(text: bytes, at: int, end: int) -> int:
    """Where the events end that are split at once; negative where all do."""
    if end - at <= WINDOW_BYTES:
        return end
    blank = text.rfind(BLANK_LINE, at, at + WINDOW_BYTES)
    return blank if blank > at else text.find(BLANK_LINE, at + 1)


def _take(text: bytes, source: Source, batch: list[Artifact]) -> None:
    for name, data in events(text):
        if source.over:
            return
        batch += source.take(name, data)


def _full(batch: list[Artifact]) -> Iterator[Batch]:
    """Take full batches out of what has come together."""
    while len(batch) >= BATCH_LIMIT:
        yield batch[:BATCH_LIMIT]
        del batch[:BATCH_LIMIT]
