"""`ThreadFile`: a thread's file, read whole or as far as its first line, and its parts for writing."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from ore.artifact import Codec, to_json
from ore.errors import CorruptError, StoreError
from ore.ext.stores.json_dir import files
from ore.ext.stores.json_dir.earlier import adopt, modern
from ore.ext.stores.json_dir.frames import StoredMessage
from ore.ledger import EffectRecord, EndingRecord, QuestionRecord, Turn, decode_turn

__all__ = ["VERSION", "Kept", "ThreadFile", "body_of", "first_line", "outline", "read", "written"]

VERSION = 1
"""Of the key `ore`; a file with a higher one needs a newer ore."""

_TURNS = b'"turns":[\n'
_END = b"]}\n"
_BEFORE_NEXT = b","


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """What stands under `ore`: all of a session that is neither turn, tip nor metadata.

    Attributes:
        frame: Number of the last line of the log that is in the file.
        born: When the thread was made, in the order of writing.
        written: When records were appended last, in that order.
        turns: How many there are.
        preview: The first thing the user said.
        last_at: Time of the last turn.
        digests: Of the messages that were submitted, by their ids.
        endings: Of messages, by their ids.
        started: The last turn of each message that has no ending.
    """

    version: int = VERSION
    frame: int = 0
    born: int = 0
    written: int = 0
    epoch: int = 1
    sequence: int = 0
    stop: bool = False
    turns: int = 0
    preview: str | None = None
    last_at: datetime | None = None
    inbox: list[StoredMessage] = []
    parked: list[str] = []
    digests: dict[str, str] = {}
    endings: dict[str, EndingRecord] = {}
    effects: list[EffectRecord] = []
    questions: list[QuestionRecord] = []
    started: dict[str, str] = {}


class ThreadFile(msgspec.Struct, frozen=True, kw_only=True):
    """What a file says.

    Attributes:
        turns: Of each turn the bytes; none when only the first line was read.
        kept: `None` when an earlier version wrote it.
        others: Keys that nobody here knows, kept as they came.
    """

    id: str | None
    tip: str | None
    metadata: dict[str, str]
    kept: Kept | None
    others: dict[str, msgspec.Raw]
    turns: Sequence[msgspec.Raw]

    def decoded(self, codec: Codec) -> Iterator[Turn]:
        """Its turns.

        Raises:
            ValueError: One of them cannot be read.
        """
        for place, raw in enumerate(self.turns, 1):
            try:
                yield decode_turn(modern(raw), codec)
            except (ValueError, TypeError) as error:
                raise ValueError(f"turn {place} cannot be read: {error}") from error


def outline(thread_id: str, path: Path) -> ThreadFile:
    """The file without its turns where ore wrote it, else all of it.

    Raises:
        CorruptError: It cannot be read.
        StoreError: A newer ore wrote it.
    """
    line = files.read_line(path)
    if line.endswith(_TURNS):
        head = _parsed(thread_id, path, line + _END)
        if head.kept is not None:
            return head
    return read(thread_id, path)


def read(thread_id: str, path: Path) -> ThreadFile:
    """All of the file.

    Raises:
        CorruptError: It cannot be read.
        StoreError: A newer ore wrote it.
    """
    file = _parsed(thread_id, path, files.read(path))
    if file.kept is None or file.kept.turns == len(file.turns):
        return file
    return msgspec.structs.replace(file, kept=msgspec.structs.replace(file.kept, turns=len(file.turns)))


def first_line(
    thread_id: str, *, tip: str | None, metadata: Mapping[str, str], others: Mapping[str, msgspec.Raw], kept: Kept
) -> bytes:
    """Everything before the turns; they follow, one a line."""
    fields: dict[str, Any] = {"id": thread_id}
    if tip is not None:
        fields["current_tip"] = tip
    fields |= {"metadata": metadata, **others, "ore": kept}
    return to_json(fields)[:-1] + b"," + _TURNS


def written(head: bytes, body: Iterable[bytes], turns: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces of a file: the first line, turns that are lines already, and those that become some."""
    yield head
    separator = b""
    for piece in body:
        separator = _BEFORE_NEXT
        yield piece
    for turn in turns:
        yield separator + turn + b"\n"
        separator = _BEFORE_NEXT
    yield _END


def body_of(path: Path) -> Iterator[bytes] | None:
    """The lines of the turns as they stand in a file that ore wrote; `None` when they do not stand like that."""
    start = len(files.read_line(path))
    end = files.size_of(path) - len(_END)
    if end < start or b"".join(files.pieces(path, end - 1, end + len(_END))) != b"\n" + _END:
        return None
    return files.pieces(path, start, end)


def _parsed(thread_id: str, path: Path, content: bytes) -> ThreadFile:
    try:
        fields = _fields(content)
        kept = _kept(fields.pop("ore", None), path)
        raw = fields.pop("turns", None)
        if raw is None:
            raise ValueError("it has no turns")
        turns = _list(raw) or []
        tip = _text(fields.pop("current_tip", _NULL)) or None
        if kept is None:
            turns, tip = adopt(thread_id, turns, tip)
        return ThreadFile(
            id=_text(fields.pop("id", _NULL)),
            tip=tip,
            metadata=_metadata(fields.pop("metadata", _NULL)),
            kept=kept,
            others={key: msgspec.Raw(bytes(value)) for key, value in fields.items()},
            turns=turns,
        )
    except (ValueError, TypeError, RecursionError) as error:
        raise CorruptError(f"session {thread_id!r}: {str(path)!r} cannot be read: {error}") from error


_NULL = msgspec.Raw(b"null")
_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_list = msgspec.json.Decoder(list[msgspec.Raw] | None).decode
_text = msgspec.json.Decoder(str | None).decode
_facts = msgspec.json.Decoder(dict[str, Any] | None).decode
_decode_kept = msgspec.json.Decoder(Kept).decode


class _Version(msgspec.Struct):
    version: int


_version = msgspec.json.Decoder(_Version).decode


def _kept(raw: msgspec.Raw | None, path: Path) -> Kept | None:
    if raw is None:
        return None
    version = _version(raw).version
    if version > VERSION:
        raise StoreError(
            f"{str(path)!r} has version {version}, this ore knows versions up to {VERSION}; it needs a newer ore"
        )
    return _decode_kept(raw)


def _metadata(raw: msgspec.Raw) -> dict[str, str]:
    """Strings; what is none becomes its JSON."""
    facts = _facts(raw) or {}
    texts = {key: value if isinstance(value, str) else to_json(value).decode() for key, value in facts.items()}
    return {key: text for key, text in texts.items() if facts[key] is not None}
