"""Views of a state: what a transform shows a provider, over the same ledger."""

from collections.abc import MutableMapping, Sequence
from typing import Any

from ore.artifact import Artifact
from ore.ledger.state import Meta, State, place
from ore.ledger.turn import Draft, Role, Turn
from ore.ledger.window import Chained

__all__ = ["prepend", "view"]


def prepend(base: State, turns: Sequence[Turn]) -> State:
    """`base` with virtual turns before its own; live, so later turns show.

    Appends and facts reach the ledger. No virtual turns: `base` itself.
    """
    return _Prepended(base, tuple(turns)) if turns else base


def view(base: State, turns: Sequence[Turn]) -> State:
    """`base` showing just `turns`; frozen, so later turns do not show.

    Appends and facts reach the ledger. No turns: `base` itself.
    """
    return _View(base, tuple(turns)) if turns else base


class _Projection:
    __slots__ = ("_over", "_virtual")

    def __init__(self, over: State, virtual: tuple[Turn, ...]) -> None:
        self._over = over
        self._virtual = virtual

    @property
    def base(self) -> State:
        return self._over.base

    @property
    def meta(self) -> Meta:
        return self._over.meta

    @property
    def tip(self) -> str | None:
        return self._over.tip

    @property
    def derived(self) -> MutableMapping[Any, Any]:
        return self.base.derived

    def append(self, turn: Turn) -> None:
        self.base.append(turn)

    def add(self, role: Role, *artifacts: Artifact) -> Turn:
        turn = place(Draft(role=role, artifacts=artifacts), self.base)
        self.append(turn)
        return turn


class _Prepended(_Projection):
    __slots__ = ()

    @property
    def turns(self) -> Sequence[Turn]:
        return Chained(self._virtual, self._over.turns)


class _View(_Projection):
    __slots__ = ()

    @property
    def turns(self) -> Sequence[Turn]:
        return self._virtual
