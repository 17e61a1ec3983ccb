"""From a thread's file and its log to its state, and from the state to a new file."""

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from ore.artifact import Codec
from ore.errors import CorruptError, NotFoundError
from ore.ext.stores.json_dir import files, thread_file
from ore.ext.stores.json_dir.entry import Entry
from ore.ext.stores.json_dir.frames import decode_line
from ore.ext.stores.json_dir.lines import ONE_LINE, lines_in
from ore.ext.stores.json_dir.thread_file import ThreadFile
from ore.ledger import Turn, TurnRecord, encode_turn, preview

__all__ = ["is_own", "read_entry", "read_whole", "renewed"]

log = logging.getLogger(__name__)


def is_own(thread_id: str, file: ThreadFile) -> bool:
    """Whether the file is not that of an id in another case, which some file systems do not tell apart."""
    return file.id is None or file.id == thread_id or file.id.casefold() != thread_id.casefold()


def read_entry(thread_id: str, path: Path, codec: Codec, end: int | None = None) -> Entry:
    """The state of a thread without its turns.

    Args:
        end: Where the log ends, if before its file does.

    Raises:
        CorruptError: It cannot be read.
        NotFoundError: The file is another thread's.
    """
    stamps = (files.stamp(path), files.stamp(path.with_suffix(".log")))
    file = thread_file.outline(thread_id, path)
    entry = _entry(thread_id, path, file, codec)
    if file.kept is None:
        with _readable(thread_id, path):
            _count(entry, file, codec)
    if stamps[1] is not None:
        _replay(entry, codec, end)
    entry.stamps = stamps
    return entry


def read_whole(thread_id: str, path: Path, codec: Codec, end: int | None = None) -> Entry:
    """The state of a thread with its turns.

    Raises:
        CorruptError: It cannot be read.
        NotFoundError: The file is another thread's.
    """
    return _whole(thread_id, path, thread_file.read(thread_id, path), codec, end)[0]


def renewed(entry: Entry, codec: Codec) -> Iterator[bytes]:
    """The pieces of the thread's file as it should be.

    Turns that stand in it already are copied; no more than the new ones are
    read, unless some of the old ones changed.

    Raises:
        CorruptError: It cannot be read.
    """
    head = thread_file.first_line(
        entry.id, tip=entry.fold.tip, metadata=entry.fold.metadata, others=entry.others, kept=entry.kept()
    )
    body = None if entry.is_earlier or entry.is_changed else thread_file.body_of(entry.path)
    if body is not None:
        return thread_file.written(head, body, _added(entry, codec))
    return thread_file.written(head, (), _turns(entry, codec))


@contextmanager
def _readable(thread_id: str, path: Path, where: str = "") -> Iterator[None]:
    """Say which file it is that cannot be read."""
    try:
        yield
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise CorruptError(f"session {thread_id!r}: {str(path)!r} cannot be read: {where}{error}") from error


def _entry(thread_id: str, path: Path, file: ThreadFile, codec: Codec, turns: Sequence[Turn] | None = None) -> Entry:
    if not is_own(thread_id, file):
        raise NotFoundError(f"no session {thread_id!r}; the file of that name is {file.id!r}'s")
    with _readable(thread_id, path):
        return Entry(thread_id, path, file, codec, turns)


def _count(entry: Entry, file: ThreadFile, codec: Codec) -> None:
    """Find out about an earlier version's turns what ore writes down."""
    entry.written = files.stamp_of(os.lstat(entry.path), entry.path)[0]
    entry.turns = len(file.turns)
    entry.preview = next((text for turn in file.decoded(codec) if (text := preview(turn))), None)
    last = msgspec.structs.replace(file, turns=file.turns[-1:])
    entry.last_at = next((turn.timestamp for turn in last.decoded(codec)), None)


def _whole(thread_id: str, path: Path, file: ThreadFile, codec: Codec, end: int | None) -> tuple[Entry, Sequence[Turn]]:
    """The state with the turns, and the turns as they stand in the file."""
    with _readable(thread_id, path):
        turns = list(file.decoded(codec))
    entry = _entry(thread_id, path, file, codec, turns)
    _replay(entry, codec, end)
    return entry, turns


def _replay(entry: Entry, codec: Codec, end: int | None) -> None:
    """Take all lines of the log that the file has not; half a line at its end will be written over."""
    content = files.read(entry.log)[:end]
    lines, entry.log_bytes = lines_in(content, f"session {entry.id!r}: {str(entry.log)!r}")
    if entry.log_bytes < len(content):
        log.warning("%s: the last %d bytes were never finished", entry.log, len(content) - entry.log_bytes)
    for place, raw in enumerate(lines, 1):
        with _readable(entry.id, entry.log, f"line {place}: "):
            line = decode_line(raw, codec)
            if line.number > entry.frame:
                entry.apply(line)
    if entry.has_unknown:
        log.warning("%s: a newer ore wrote some of it, which is passed over", entry.log)


def _added(entry: Entry, codec: Codec) -> Iterator[bytes]:
    """The turns in the log that are not in the file."""
    kept = thread_file.outline(entry.id, entry.path).kept
    lines, _ = lines_in(files.read(entry.log)[: entry.log_bytes], str(entry.log))
    for line in (decode_line(raw, codec) for raw in lines):
        if kept is not None and line.number > kept.frame:
            for record in line.records:
                if isinstance(record, TurnRecord):
                    yield encode_turn(record.turn)


def _turns(entry: Entry, codec: Codec) -> Iterator[bytes]:
    """All turns; those that did not change as they stand in the file."""
    file = thread_file.read(entry.id, entry.path)
    whole, before = _whole(entry.id, entry.path, file, codec, entry.log_bytes)
    for place, turn in enumerate(whole.fold.turns):
        is_same = place < len(before) and before[place] is turn
        yield bytes(file.turns[place]).translate(ONE_LINE) if is_same else encode_turn(turn)
