"""What a model must have been sent for answers that say nothing of it."""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from ore.ext.catalog import Target
from ore.ext.transforms.compaction.showing import show
from ore.ext.transforms.manifest.composing import Sent, Sizes, compose, rendered
from ore.ext.transforms.manifest.manifest import ContextManifest, manifest_of
from ore.ledger import Buffer, Role, Turn
from ore.models import Spec

__all__ = ["Context", "contexts"]

_LATEST: Final = 200
"""Answers that are looked at, when nobody says how many: each is a request of its own."""


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer was made of.

    Attributes:
        turn: The answer's turn.
        stored: Whether it said so itself. Else it is what the ledger tells:
            without instructions, tools and whatever transforms added.
        manifest: What was sent.
    """

    turn: Turn
    stored: bool
    manifest: ContextManifest


def contexts(path: Sequence[Turn], *, latest: int = _LATEST) -> Iterator[Context]:
    """What the answers of a path were made of, oldest first; of the latest ones, where they are many."""
    places = [place for place, turn in enumerate(path) if turn.role is Role.ASSISTANT]
    before: Sent | None = None
    sizes: Sizes = {}
    for place in places[-latest:] if latest > 0 else ():
        turn = path[place]
        found = manifest_of(turn)
        if found is not None:
            before = None
            yield Context(turn=turn, stored=True, manifest=found)
            continue
        state = Buffer(path[:place])
        shown = show(state).turns
        sent = Sent(body=rendered(shown, (), Spec()), shown=False, turns=shown, path=state.turns, tools=())
        target = Target.of(turn.model or "")
        yield Context(turn=turn, stored=False, manifest=compose(sent, before, target, sizes))
        before = sent
