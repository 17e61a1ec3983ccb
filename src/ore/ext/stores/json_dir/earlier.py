"""Files that earlier versions wrote: their turns get ids, parents and an order.

Whatever is missing is made from what is there, so a file that nobody has
written yet reads the same each time, in every process.
"""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from ore.artifact import to_json

__all__ = ["adopt", "modern"]


def adopt(thread_id: str, turns: Sequence[msgspec.Raw], tip: str | None) -> tuple[list[msgspec.Raw], str | None]:
    """The turns in an order in which they can have been recorded, each with an id, and the tip.

    Turns without ids follow each other as they stand (v0.12); so do turns of
    which none has a parent, when the file names no tip. Other turns stood in
    any order (v1): each comes behind its parent, and else by its time.

    Raises:
        ValueError: One of them is no turn.
    """
    outlines = [_outline(raw) for raw in turns]
    if all(outline.id for outline in outlines) and (tip or any(outline.parent_id for outline in outlines)):
        return [turns[place] for place in _recorded(outlines)], tip
    adopted: list[msgspec.Raw] = []
    before: str | None = None
    for place, (outline, raw) in enumerate(zip(outlines, turns, strict=True)):
        turn_id = outline.id or _id(thread_id, place)
        adopted.append(_changed(raw, id=turn_id, parent_id=outline.parent_id or before))
        before = turn_id
    return adopted, tip or before


def modern(raw: msgspec.Raw) -> msgspec.Raw:
    """A turn with the fields that ore has now; `usage` counted `thinking_tokens` before.

    Raises:
        ValueError: It is no turn.
    """
    if _OLD_NAME not in bytes(raw):
        return raw
    fields = _fields(raw)
    artifacts = _list(fields.get("artifacts") or b"null") or []
    fields["artifacts"] = msgspec.Raw(to_json([_usage(artifact) for artifact in artifacts]))
    return msgspec.Raw(to_json(fields))


_OLD_NAME = b'"thinking_tokens"'


class _Outline(msgspec.Struct):
    id: str = ""
    parent_id: str | None = None
    timestamp: datetime | None = None


_outline = msgspec.json.Decoder(_Outline).decode
_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_list = msgspec.json.Decoder(list[msgspec.Raw] | None).decode


def _id(thread_id: str, place: int) -> str:
    """16 hexadecimal characters, the same each time."""
    return hashlib.blake2b(f"{thread_id}/{place}".encode(), digest_size=8).hexdigest()


def _changed(raw: msgspec.Raw, **values: str | None) -> msgspec.Raw:
    changes = {name: msgspec.Raw(to_json(value)) for name, value in values.items()}
    return msgspec.Raw(to_json(_fields(raw) | changes))


def _recorded(outlines: Sequence[_Outline]) -> list[int]:
    places = {outline.id: place for place, outline in enumerate(outlines)}
    order: dict[int, None] = {}
    for place in sorted(range(len(outlines)), key=lambda place: _time(outlines[place])):
        above: list[int] = []
        at: int | None = place
        while at is not None and at not in order and at not in above:
            above.append(at)
            at = places.get(outlines[at].parent_id or "")
        order.update(dict.fromkeys(reversed(above)))
    return list(order)


def _time(outline: _Outline) -> float:
    time = outline.timestamp
    if time is None or time.year <= 1:
        return 0.0
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def _usage(artifact: msgspec.Raw) -> msgspec.Raw:
    if _OLD_NAME not in bytes(artifact):
        return artifact
    fields = _fields(artifact)
    if fields.get("kind") != msgspec.Raw(b'"usage"'):
        return artifact
    inner = _fields(fields["data"]) if "data" in fields else fields
    counted = inner.pop("thinking_tokens", msgspec.Raw(b"null"))
    inner.setdefault("reasoning_tokens", counted)
    return msgspec.Raw(to_json(fields | {"data": inner} if inner is not fields else inner))
