"""`Entry`: what a store knows of a thread without its turns, from its file and its log."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from ore.artifact import Codec
from ore.ext.stores.json_dir.files import Stamp
from ore.ext.stores.json_dir.frames import (
    AppendFrame,
    BeginFrame,
    FoundFrame,
    Line,
    ParkFrame,
    StopFrame,
    SubmitFrame,
    TakeFrame,
    message_of,
    store_message,
)
from ore.ext.stores.json_dir.thread_file import Kept, ThreadFile
from ore.ledger import (
    TITLE_KEY,
    ControlRecord,
    EndingRecord,
    Fold,
    Message,
    MetadataRecord,
    ParentRecord,
    QuestionStatus,
    Record,
    Summary,
    TakenRecord,
    TipRecord,
    Turn,
    TurnRecord,
    preview,
)

__all__ = ["Entry", "Stamps"]

Stamps = tuple[Stamp | None, Stamp | None]
"""Of the thread's file and of its log."""


class Entry:
    """A thread's state, kept up to date line by line.

    It changes by `apply` alone, so what was read again is what was there before.

    Args:
        file: What the thread's file says.
        turns: Its turns, when they shall be kept as well.

    Attributes:
        path: The thread's file.
        log: What was written since.
        fold: Facts, tip, effects and questions; the turns too, when they are kept.
        frame: Number of the last line.
        born: Tells a thread from another one under its id later.
        log_bytes: Where the last whole line of the log ends.
        is_behind: Whether a reader of the file alone would miss something.
        is_earlier: Whether an earlier version wrote the file.
        is_changed: Whether turns differ from what the file says of them.
        has_unknown: Whether a newer ore wrote lines that cannot be moved into the file.
    """

    __slots__ = (
        *("born", "digests", "endings", "epoch", "fold", "frame", "has_unknown", "id", "inbox", "is_behind"),
        *("is_changed", "is_earlier", "last_at", "log", "log_bytes", "others", "parked", "path", "preview", "sequence"),
        *("stamps", "stop", "turns", "written", "_keeps_turns"),
    )

    def __init__(
        self, thread_id: str, path: Path, file: ThreadFile, codec: Codec, turns: Sequence[Turn] | None = None
    ) -> None:
        kept = file.kept or Kept()
        self.id = thread_id
        self.path = path
        self.log = path.with_suffix(".log")
        self.others = file.others
        self.fold = Fold(metadata=dict(file.metadata))
        self.fold.tip = file.tip
        self.fold.effects = {record.key: record for record in kept.effects}
        self.fold.questions = {record.key: record for record in kept.questions}
        self.fold.started = dict(kept.started)
        self._keeps_turns = turns is not None
        if turns is not None:
            self.fold.turns = list(turns)
        self.inbox = {stored.id: message_of(stored, codec) for stored in kept.inbox}
        self.parked = set(kept.parked)
        self.digests = dict(kept.digests)
        self.endings = dict(kept.endings)
        self.frame, self.born, self.written = kept.frame, kept.born, kept.written
        self.epoch, self.sequence, self.stop = kept.epoch, kept.sequence, kept.stop
        self.turns, self.preview, self.last_at = kept.turns, kept.preview, kept.last_at
        self.stamps: Stamps = (None, None)
        self.log_bytes = 0
        self.is_earlier = file.kept is None
        self.is_behind = self.is_changed = self.has_unknown = False

    @property
    def waits_for_people(self) -> bool:
        """Whether a question is open: until it is not, no finding counts."""
        return any(record.status is QuestionStatus.OPEN for record in self.fold.questions.values())

    def pending(self) -> list[Message]:
        """Unfinished ones, then those that do not queue, then the others; each kind first in, first out."""
        return sorted(
            self.inbox.values(), key=lambda message: (not message.taken, not message.taken and message.mode == "queue")
        )

    def kept(self) -> Kept:
        """What the file must say besides turns, tip and metadata."""
        return Kept(
            frame=self.frame,
            born=self.born,
            written=self.written,
            epoch=self.epoch,
            sequence=self.sequence,
            stop=self.stop,
            turns=self.turns,
            preview=self.preview,
            last_at=self.last_at,
            inbox=[store_message(message) for message in self.inbox.values()],
            parked=sorted(self.parked),
            digests=self.digests,
            endings=self.endings,
            effects=list(self.fold.effects.values()),
            questions=list(self.fold.questions.values()),
            started=self.fold.started,
        )

    def summary(self) -> Summary:
        """The thread in a list."""
        title = self.fold.metadata.get(TITLE_KEY)
        return Summary(id=self.id, title=title, preview=self.preview, last_at=self.last_at, turns=self.turns)

    def show(self, turn: Turn) -> None:
        """Count a turn, for lists."""
        self.turns += 1
        self.last_at = turn.timestamp
        if self.preview is None:
            self.preview = preview(turn)

    def apply(self, line: Line) -> None:
        """Take the next line; one of a newer ore is counted and passed over.

        Raises:
            ValueError: It does not follow the last one.
            LookupError: It is about a message that is not there.
        """
        if line.number != self.frame + 1:
            raise ValueError(f"expected line {self.frame + 1}, got line {line.number}")
        match line.frame:
            case SubmitFrame(digest=digest):
                assert line.message is not None
                self.inbox[line.message.id] = line.message
                self.digests[line.message.id] = digest
            case TakeFrame():
                self.epoch += 1
            case AppendFrame(written=written):
                for record in line.records:
                    self._add(record)
                self.written = written
            case FoundFrame(message=message_id, attempts=attempts):
                self.parked.discard(message_id)
                self.inbox[message_id] = msgspec.structs.replace(self.inbox[message_id], attempts=attempts)
            case BeginFrame(message=message_id):
                self._begin(message_id)
            case ParkFrame():
                self.parked = {message.id for message in self.inbox.values() if message.taken}
            case StopFrame(is_wanted=is_wanted):
                self.stop = is_wanted
            case _:
                self.has_unknown = True
        self.frame = line.number

    def _add(self, record: Record | None) -> None:
        self.sequence += 1
        if record is None:
            self.has_unknown = True
            return
        self.fold.add(record)
        match record:
            case TurnRecord(turn=turn):
                self.is_behind = True
                self.show(turn)
            case TipRecord() | MetadataRecord():
                self.is_behind = True
            case ControlRecord() | ParentRecord():
                self.is_behind = self.is_changed = True
            case TakenRecord(message=message_id):
                self._begin(message_id)
            case EndingRecord(message=message_id):
                message = self.inbox.pop(message_id, None)
                self.endings[message_id] = record
                self.stop = self.stop and not (message and message.taken)
            case _:
                pass
        if not self._keeps_turns:
            self.fold.turns.clear()

    def _begin(self, message_id: str) -> None:
        message = self.inbox.get(message_id)
        if message is not None and not message.taken:
            self.inbox[message_id] = msgspec.structs.replace(message, taken=True)
            self.stop = False
