"""What each transform does to a conversation."""

from collections.abc import MutableMapping, Sequence
from typing import Any, Final

from ore.ext.transforms.manifest.manifest import Change
from ore.ledger import State, Turn
from ore.loop import Transform

__all__ = ["Passage", "change_of", "passages", "traced"]

_KEY: Final = "ore.manifest.passages"

Passage = tuple[str, Sequence[Turn], Sequence[Turn]]
"""A transform's name, and the turns before and after it."""


class _Traced:
    """A transform that is watched."""

    def __init__(self, transform: Transform, name: str, *, first: bool) -> None:
        self.__wrapped__ = transform
        self.__name__ = name
        self._first = first

    def __call__(self, state: State) -> State:
        kept = state.base.derived
        if self._first:
            kept[_KEY] = []
        after = self.__wrapped__(state)
        if after is not state:
            kept.setdefault(_KEY, []).append((self.__name__, state.turns, after.turns))
        return after


def traced(transforms: Sequence[Transform]) -> Sequence[Transform]:
    """The same transforms, whose passages can be asked for; each has a name of its own."""
    names: list[str] = []
    for transform in transforms:
        name = _name(transform)
        names.append(name if name not in names else f"{name}#{sum(one.partition('#')[0] == name for one in names) + 1}")
    return [
        _Traced(one, name, first=not place) for place, (one, name) in enumerate(zip(transforms, names, strict=True))
    ]


def passages(kept: MutableMapping[Any, Any]) -> Sequence[Passage]:
    """What the transforms did for the inference that begins now; asked for once."""
    found: Sequence[Passage] = kept.pop(_KEY, ())
    return found


def change_of(passage: Passage) -> Change | None:
    """What a transform did; `None` when the turns are the same as before."""
    name, before, after = passage
    old = {turn.id: turn for turn in before}
    new = {turn.id: turn for turn in after}
    change = Change(
        transform=name,
        added=sum(id not in old for id in new),
        removed=sum(id not in new for id in old),
        changed=sum(turn is not old[id] and turn != old[id] for id, turn in new.items() if id in old),
    )
    return change if change.added or change.removed or change.changed else None


def _name(transform: Transform) -> str:
    """Of a function its own, or of what made it; of an object that of its class."""
    inner: Any = getattr(transform, "__wrapped__", transform)
    own = getattr(inner, "__name__", None)
    if own is None:
        return type(inner).__name__
    return str(getattr(inner, "__qualname__", own)).partition(".<locals>")[0]
