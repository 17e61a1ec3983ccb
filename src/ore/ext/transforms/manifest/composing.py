"""What a request consists of, and what came between it and the one before."""

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from itertools import dropwhile, takewhile, zip_longest
from typing import Any, Final

import msgspec

from ore.artifact import to_json
from ore.ext.catalog import Target, estimated_tokens
from ore.ext.transforms.compaction.boundary import last_boundary
from ore.ext.transforms.compaction.showing import ORIGIN
from ore.ext.transforms.manifest.locating import first_difference, names_in, place_in
from ore.ext.transforms.manifest.manifest import ContextManifest, Difference, Part
from ore.ext.transforms.manifest.tracing import Passage, change_of
from ore.ledger import Role, Turn, encode_turn
from ore.models import Spec
from ore.tool import Tool

__all__ = ["Sent", "Sizes", "compose", "rendered"]

_TOOLS: Final = frozenset({"tools"})
_TALK: Final = frozenset({"messages", "input", "contents", "turns"})
"""Where vendors have the conversation in their requests."""

_FIRST: Final = frozenset({"system", "instructions", "systemInstruction"})
"""Where some of them have what it begins with by itself."""


Sizes = MutableMapping[str, tuple[Turn, int]]
"""Estimated tokens of turns, by their ids."""


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """A request, as it is remembered for the next one.

    Attributes:
        body: Its bytes; the rendering when the provider showed none.
        shown: Whether the provider showed it.
        turns: As the model got them.
        path: The ledger's.
        tools: That were offered.
        passages: What the transforms did.
    """

    body: bytes
    shown: bool
    turns: Sequence[Turn]
    path: Sequence[Turn]
    tools: Sequence[Tool]
    passages: Sequence[Passage] = ()

    @property
    def boundary(self) -> str | None:
        """The turn with the boundary in force."""
        found = last_boundary(self.path)
        return found[0].id if found else None


def rendered(turns: Sequence[Turn], tools: Sequence[Tool], spec: Spec) -> bytes:
    """A plain rendering of what is asked, the same for the same."""
    offered = [{"name": tool.name, "description": tool.description, "schema": tool.schema} for tool in tools]
    said: list[Any] = [msgspec.Raw(_plain(turn)) for turn in turns]
    return to_json({"settings": spec, "tools": offered, "turns": said})


def compose(sent: Sent, before: Sent | None, target: Target, sizes: Sizes | None = None) -> ContextManifest:
    """The manifest of a request.

    Args:
        sent: It.
        before: The one before it in the conversation, when it is known.
        target: Who was asked.
        sizes: What is known of turns that were measured before.
    """
    changes = [change for passage in sent.passages if (change := change_of(passage)) is not None]
    parts = tuple(_parts(sent, target, {} if sizes is None else sizes))
    known = before is not None and before.shown is sent.shown
    return ContextManifest(
        model=target.name.rstrip(":"),
        bytes=len(sent.body),
        body="request" if sent.shown else "rendering",
        tokens=sum(part.tokens for part in parts),
        parts=parts,
        transforms=tuple(changes),
        compared=known,
        difference=_difference(before, sent) if known and before is not None else None,
    )


def _plain(turn: Turn) -> bytes:
    return encode_turn(msgspec.structs.replace(turn, id="", parent_id=None, timestamp=None, model=None, origin=None))


def _parts(sent: Sent, target: Target, sizes: Sizes) -> Sequence[Part]:
    """By who put them there, in the order in which they first stand in the request."""
    found: dict[str, list[int]] = {}
    if sent.tools:
        found["tools"] = [len(sent.tools), estimated_tokens((), sent.tools, target)]
    added = _added(sent)
    for turn in sent.turns:
        counts = found.setdefault(added.get(turn.id, turn.role.value), [0, 0])
        counts[0] += 1
        counts[1] += _size(turn, target, sizes)
    return [Part(name=name, count=count, tokens=tokens) for name, (count, tokens) in found.items()]


def _size(turn: Turn, target: Target, sizes: Sizes) -> int:
    known = sizes.get(turn.id)
    if known is None or known[0] is not turn:
        known = sizes[turn.id] = (turn, estimated_tokens((turn,), (), target))
    return known[1]


def _added(sent: Sent) -> Mapping[str, str]:
    """The turns that are not the ledger's own, by their ids, with the transform that put each in."""
    names = {turn.id: ORIGIN for turn in sent.turns if turn.origin == ORIGIN}
    for name, before, after in sent.passages:
        known = {turn.id for turn in before}
        names |= {turn.id: name for turn in after if turn.id not in known and turn.id not in names}
    return names


def _difference(before: Sent, sent: Sent) -> Difference | None:
    place = first_difference(before.body, sent.body)
    if place is None:
        return None
    where = place_in(sent.body, place) or place_in(before.body, place)
    root = where.partition(".")[0].partition("[")[0]
    if root in _TOOLS:
        cause = "tools"
    elif root in _FIRST:
        cause = _cause(before, sent, _system)
    elif root in _TALK:
        apart = (names_in(before.body) | names_in(sent.body)) & _FIRST
        cause = _cause(before, sent, _said if apart else list)
    else:
        cause = "settings"
    return Difference(byte=place, where=where, cause=cause)


def _system(turns: Sequence[Turn]) -> Sequence[Turn]:
    """What a conversation begins with, where that stands by itself."""
    return list(takewhile(lambda turn: turn.role is Role.SYSTEM, turns))


def _said(turns: Sequence[Turn]) -> Sequence[Turn]:
    """The rest of it."""
    return list(dropwhile(lambda turn: turn.role is Role.SYSTEM, turns))


def _cause(before: Sent, sent: Sent, chosen: Callable[[Sequence[Turn]], Sequence[Turn]]) -> str:
    """Why the conversation, or a part of it, is another from some turn on."""
    pairs = zip_longest(chosen(before.turns), chosen(sent.turns))
    old, new = next(((old, new) for old, new in pairs if old is not new and not _same(old, new)), (None, None))
    if old is None and new is None:  # such as a mark for a cache that moved
        return "settings"
    made = _transform(new, sent) if new is not None else None
    if made is None and old is not None:
        made = _transform(old, before)
        if made not in (None, ORIGIN) and new is not None and all(turn.id != new.id for turn in before.path):
            return "turn"  # said since, where a transform had the end of what there was
    if made in (None, ORIGIN) and before.boundary != sent.boundary:
        return ORIGIN
    return made or ("turn" if old is None else "history")


def _same(old: Turn | None, new: Turn | None) -> bool:
    return old is not None and new is not None and _plain(old) == _plain(new)


def _transform(turn: Turn, sent: Sent) -> str | None:
    """The last transform that made a turn what it is; `None` for one that is as the ledger has it."""
    made: str | None = None
    for name, before, after in sent.passages:
        old = next((other for other in before if other.id == turn.id), None)
        new = next((other for other in after if other.id == turn.id), None)
        if new is not None and new is not old and (old is None or old != new):
            made = name
    return made
