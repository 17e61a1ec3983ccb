"""Threads as files that another store, or another machine, can take in."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from ore._aio import finish
from ore.artifact import CODEC, Codec, to_json
from ore.errors import InputError
from ore.ledger.pairing import parted
from ore.ledger.records import Record, TipRecord, TurnRecord
from ore.ledger.store import Store, StoredThread, check_id, is_id
from ore.ledger.thread import Thread
from ore.ledger.turn import Turn
from ore.ledger.turn_codec import decode_turn, encode_turn

__all__ = ["FORMAT", "export_thread", "import_thread", "read_export"]

FORMAT: Final = 1
"""The version of the file: `{"ore": 1, "id", "metadata", "tip", "turns": [every branch]}`."""


def export_thread(stored: StoredThread) -> bytes:
    """The thread as one JSON object; `read_export` gives it back without loss."""
    turns: Any = [msgspec.Raw(encode_turn(turn)) for turn in stored.turns]
    body = {"ore": FORMAT, "id": stored.id, "metadata": dict(stored.metadata), "tip": stored.tip, "turns": turns}
    return to_json(body)


def read_export(raw: bytes, codec: Codec = CODEC) -> StoredThread:
    """Read what `export_thread` wrote, and refuse what a session could not go on with.

    Raises:
        InputError: It is no export, of a version that this ore does not know,
            or its turns do not hold together; the message says where.
    """
    try:
        file = _decode(raw)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise InputError(f"import: expected the JSON that `ore sessions export` writes: {error}") from None
    if file.ore != FORMAT:
        raise InputError(f"import: expected format {FORMAT}, got {file.ore}; a newer ore wrote it")
    if not is_id(file.id):
        raise InputError(f"import: {file.id[:140]!r} may not name a session")
    turns = [_turn(raw_turn, place, codec) for place, raw_turn in enumerate(file.turns)]
    _check_tree(turns, file.tip)
    return StoredThread(id=file.id, metadata=file.metadata, turns=turns, tip=file.tip)


async def import_thread(store: Store, thread: StoredThread, *, as_id: str | None = None) -> str:
    """Make a thread of an export, whole or not at all.

    Returns:
        Its id.

    Raises:
        ConflictError: A thread of that id exists; give another as `as_id`.
        InputError: `as_id` may not name a session.
    """
    name = check_id(as_id) if as_id is not None else thread.id
    await store.create(name, thread.metadata)
    try:
        await _fill(store, name, thread)
    except BaseException:
        await finish(store.delete(name))
        raise
    return name


class _File(msgspec.Struct):
    ore: int
    id: str
    turns: list[msgspec.Raw]
    metadata: dict[str, str] = {}
    tip: str | None = None


_decode = msgspec.json.Decoder(_File).decode


def _turn(raw: msgspec.Raw, place: int, codec: Codec) -> Turn:
    try:
        turn = decode_turn(raw, codec)
    except (ValueError, RecursionError) as error:
        raise InputError(f"import: turns[{place}]: {error}") from None
    if not turn.id:
        raise InputError(f"import: turns[{place}]: expected an id")
    return turn


def _check_tree(turns: Sequence[Turn], tip: str | None) -> None:
    by_id: Mapping[str, Turn] = {turn.id: turn for turn in turns}
    if len(by_id) != len(turns):
        twice = next(turn.id for turn in turns if by_id[turn.id] is not turn)
        raise InputError(f"import: turn {twice!r} stands there twice")
    if tip is not None and tip not in by_id:
        raise InputError(f"import: the tip {tip!r} is none of its turns")
    for turn in turns:
        if turn.parent_id is not None and turn.parent_id not in by_id:
            raise InputError(f"import: turn {turn.id!r} follows {turn.parent_id!r}, which is not there")
    _check_cycles(turns, by_id)
    followed = {turn.parent_id for turn in turns}
    for turn in turns:
        if turn.id not in followed and parted(Thread(turns, tip=turn.id).turns):
            raise InputError(f"import: on the way to turn {turn.id!r} a tool call is parted from its result")


def _check_cycles(turns: Sequence[Turn], by_id: Mapping[str, Turn]) -> None:
    rooted: set[str] = set()
    for turn in turns:
        met: set[str] = set()
        at: str | None = turn.id
        while at is not None and at not in rooted:
            if at in met:
                raise InputError(f"import: turn {at!r} follows itself")
            met.add(at)
            at = by_id[at].parent_id
        rooted.update(met)


async def _fill(store: Store, name: str, thread: StoredThread) -> None:
    writer = await store.take(name)
    try:
        records: list[Record] = [TurnRecord(turn=turn) for turn in thread.turns]
        if thread.turns and thread.tip != thread.turns[-1].id:
            records.append(TipRecord(turn_id=thread.tip))
        if records:
            await store.append(writer, records)
    finally:
        await store.close(writer)
