"""`State`: a conversation as everything else sees it; `Buffer`, the flat one."""

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import Any, Final, Protocol, runtime_checkable

from ore.artifact import Artifact, check_artifact, clean
from ore.errors import ConflictError, InputError
from ore.ledger.clock import Clock, now
from ore.ledger.turn import Draft, Role, Turn, new_turn_id
from ore.ledger.window import Window

__all__ = ["Buffer", "Meta", "State", "check_turn", "place"]


_NONE: Final[dict[str, str]] = {}
"""No facts: shared by all who have none, and never written to."""


class Meta:
    """String facts beside a conversation; every handle of one state shares them."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self._values: dict[str, str] = dict(values) if values else _NONE

    def get(self, key: str) -> str | None:
        """The value; `None` when there is none, which is not the same as empty."""
        return self._values.get(key)

    def set(self, key: str, value: str) -> None:
        """Set it, here only: a session journals through `Stream.metadata`."""
        self._values = {**self._values, clean(key): clean(value)}

    def delete(self, key: str) -> None:
        """Remove it; a missing key is fine."""
        self._values = {name: value for name, value in self._values.items() if name != key}

    def all(self) -> dict[str, str]:
        """A copy of all."""
        return dict(self._values)

    def replace_all(self, values: Mapping[str, str]) -> None:
        """Put others in place of all, for every handle."""
        self._values = dict(values) if values else _NONE

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


@runtime_checkable
class State(Protocol):
    """A conversation that can be read and appended to.

    Appending is synchronous and in memory; `Step.record` makes it durable.
    """

    @property
    def turns(self) -> Sequence[Turn]:
        """The active path, oldest first; takes constant time and never changes afterwards."""
        ...

    @property
    def base(self) -> "State":
        """The ledger that a view stands on; a ledger is its own base."""
        ...

    @property
    def meta(self) -> Meta:
        """The base's facts."""
        ...

    def append(self, turn: Turn) -> None:
        """Add a turn to the base and move its tip there.

        Raises:
            ConflictError: A turn of that id is there already.
        """
        ...

    @property
    def tip(self) -> str | None:
        """Id of the turn that the next one follows; `None` when empty."""
        ...

    @property
    def derived(self) -> MutableMapping[Any, Any]:
        """What others made of the base's turns and can make again, under keys of their own; may go at any rest."""
        ...


class Buffer:
    """A flat list of turns: the smallest `State`, for one-off inferences."""

    __slots__ = ("__weakref__", "_derived", "_ids", "_items", "_meta")

    def __init__(self, turns: Sequence[Turn] = (), meta: Mapping[str, str] | None = None) -> None:
        self._derived: dict[Any, Any] = {}
        self._items = list(turns)
        self._ids = {turn.id for turn in self._items}
        self._meta = Meta(meta)

    @property
    def turns(self) -> Sequence[Turn]:
        """All turns."""
        return Window(self._items)

    @property
    def base(self) -> State:
        """Itself."""
        return self

    @property
    def meta(self) -> Meta:
        """Its facts."""
        return self._meta

    @property
    def derived(self) -> MutableMapping[Any, Any]:
        """What others made of the turns and can make again."""
        return self._derived

    @property
    def tip(self) -> str | None:
        """Id of the last turn."""
        return self._items[-1].id if self._items else None

    def append(self, turn: Turn) -> None:
        """Add a turn at the end."""
        check_turn(turn)
        if turn.id in self._ids:
            raise ConflictError(f"turn {turn.id!r} is in this buffer already")
        self._ids.add(turn.id)
        self._items.append(turn)

    def add(self, role: Role, *artifacts: Artifact) -> Turn:
        """Make a turn of `artifacts` and append it."""
        from_draft = place(Draft(role=role, artifacts=artifacts), self)
        self.append(from_draft)
        return from_draft


def place(draft: Draft, state: State, clock: Clock = now) -> Turn:
    """Give a draft its id, its parent and its time at the tip of `state`."""
    return Turn(
        id=draft.id or new_turn_id(),
        parent_id=state.tip,
        role=draft.role,
        artifacts=draft.artifacts,
        timestamp=clock(),
        status=draft.status,
        control=draft.control,
        model=draft.model,
        origin=draft.origin,
    )


def check_turn(turn: Turn) -> None:
    """Refuse what a ledger does not keep.

    Raises:
        InputError: The turn holds a delta or a control artifact, or something
            that could not be read back.
    """
    if type(turn.role) is not Role:
        raise InputError(f"role: expected one of {', '.join(Role)}, got {turn.role!r}")
    for artifact in turn.artifacts:
        if not artifact.persistent:
            raise InputError(
                f"expected complete artifacts in a turn, got {artifact.kind!r}; "
                "fragments and control artifacts are for streams and are never stored"
            )
        check_artifact(artifact)
