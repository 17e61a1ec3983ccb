"""`Thread`: a tree of turns with a tip, and the path that models get."""

from collections.abc import Mapping, MutableMapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import msgspec

from ore.artifact import Artifact
from ore.errors import ConflictError, NotFoundError
from ore.ledger.clock import Clock, now
from ore.ledger.pairing import parted, unanswered
from ore.ledger.state import Meta, State, check_turn, place
from ore.ledger.turn import Control, Draft, Role, Turn, new_turn_id
from ore.ledger.window import Window

__all__ = ["Thread"]


class Thread:
    """An append-only tree of turns; its active path is always sendable.

    The path is the walk from the tip to the root: a turn with control `skip`
    is passed over, one with `stop` ends it. Taking `turns` costs the same at
    any length and copies nothing; appending at the tip keeps earlier windows
    as they were. Not for several threads at once.
    """

    __slots__ = ("__weakref__", "_all", "_clock", "_derived", "_index", "_meta", "_path", "_tip")

    def __init__(
        self,
        turns: Sequence[Turn] = (),
        *,
        tip: str | msgspec.UnsetType | None = msgspec.UNSET,
        meta: Mapping[str, str] | None = None,
        clock: Clock = now,
    ) -> None:
        self._clock = clock
        self._meta = Meta(meta)
        self._all: list[Turn] = []
        self._path: list[Turn] = self._all
        self._index: dict[str, int] | None = None
        self._derived: dict[Any, Any] | None = None
        self._tip: str | None = None if tip is msgspec.UNSET else tip
        if turns:
            self.replace_all(turns, tip=tip)

    @property
    def turns(self) -> Sequence[Turn]:
        """The active path, oldest first."""
        return Window(self._path)

    @property
    def all_turns(self) -> Sequence[Turn]:
        """Every turn of every branch, in the order in which they were recorded."""
        return Window(self._all)

    @property
    def base(self) -> State:
        """Itself."""
        return self

    @property
    def meta(self) -> Meta:
        """The thread's facts."""
        return self._meta

    if TYPE_CHECKING:

        @property
        def tip(self) -> str | None:
            """Id of the turn that the next one follows; `None` when empty."""
            ...

    else:
        tip = property(attrgetter("_tip"), doc="Id of the turn that the next one follows; `None` when empty.")

    @property
    def derived(self) -> MutableMapping[Any, Any]:
        """What others made of the turns and can make again; goes while the thread rests."""
        if self._derived is None:
            self._derived = {}
        return self._derived

    def get(self, turn_id: str) -> Turn | None:
        """The turn of that id on any branch."""
        place = self._places().get(turn_id)
        return None if place is None else self._all[place]

    def recorded_before(self, turn_id: str | None) -> str | None:
        """Id of the turn that was recorded just before that one, on whatever branch; the last one's when it is none."""
        places = self._places() if self._index is None else self._index
        place = places[turn_id] - 1 if turn_id in places else len(self._all) - 1
        return self._all[place].id if place >= 0 else None

    def turns_behind(self, turn_id: str | None) -> Sequence[Turn]:
        """The turns of every branch that were recorded after that one; all of them when there is no such turn."""
        places = self._places() if self._index is None else self._index
        return self._all[places[turn_id] + 1 :] if turn_id in places else self._all[:]

    def add(self, role: Role, *artifacts: Artifact) -> Turn:
        """Make a turn of `artifacts` and append it, in memory only."""
        turn = place(Draft(role=role, artifacts=artifacts), self, self._clock)
        self.append(turn)
        return turn

    def append(self, turn: Turn) -> None:
        """Add a turn and move the tip to it.

        Raises:
            ConflictError: A turn of that id is there already.
            InputError: It holds a delta.
        """
        self.check(turn)
        self.append_checked(turn)

    def check(self, turn: Turn) -> None:
        """Refuse what `append` refuses, before anything was done with it.

        Raises:
            ConflictError: A turn of that id is there already.
            InputError: It holds a delta.
        """
        check_turn(turn)
        if turn.id in (self._places() if self._index is None else self._index):
            raise ConflictError(f"turn {turn.id!r} is in this session already")

    def append_checked(self, turn: Turn) -> None:
        """Append a turn that `check` let pass."""
        places = self._places() if self._index is None else self._index
        places[turn.id] = len(self._all)
        self._all.append(turn)
        linear = turn.control is Control.CONTINUE and turn.parent_id == self._tip
        self._tip = turn.id
        if not linear:
            self._walk()
        elif self._path is not self._all:
            self._path.append(turn)

    def save_turn(self, turn: Turn) -> None:
        """Insert a turn, or put it in place of the one with its id; the tip stays."""
        place = self._places().get(turn.id)
        if place is None:
            self._insert(turn)
        else:
            check_turn(turn)
            self._all = list(self._all)
            self._all[place] = turn
        self._walk()

    def set_tip(self, turn_id: str | None) -> str | None:
        """Continue from another turn; where that would part a call from its results, from behind them.

        Returns:
            The tip.

        Raises:
            NotFoundError: No such turn.
        """
        if turn_id is not None:
            turn_id = self.settled(turn_id)
        self._tip = turn_id
        self._walk()
        return turn_id

    def settled(self, turn_id: str) -> str:
        """The turn from which one can go on: it, or the last of the results that answer its calls.

        Raises:
            NotFoundError: No such turn.
        """
        turn = self.get(turn_id)
        if turn is None:
            raise NotFoundError(f"no turn {turn_id!r} in this session")
        seen = {turn_id}
        while turn.calls or turn.role is Role.TOOL:
            behind = next(
                (child for child in self._all if child.parent_id == turn.id and child.role is Role.TOOL), None
            )
            if behind is None or behind.id in seen:
                break
            seen.add(behind.id)
            turn = behind
        return turn.id

    def set_parent(self, turn_id: str, parent_id: str | None) -> bool:
        """Hang a turn elsewhere; `None` makes it a root.

        Returns:
            Whether there is such a turn.

        Raises:
            ConflictError: It would become its own ancestor, or part a call from its result.
        """
        turn = self.get(turn_id)
        if turn is None:
            return False
        at, seen = parent_id, set[str]()
        while at is not None and at not in seen:
            if at == turn_id:
                raise ConflictError(f"turn {turn_id!r} cannot follow {parent_id!r}, which follows it")
            seen.add(at)
            above = self.get(at)
            at = above.parent_id if above else None
        self._change(turn, msgspec.structs.replace(turn, parent_id=parent_id), f"parent {parent_id!r}")
        return True

    def set_control(self, turn_id: str, control: Control) -> bool:
        """Change how the path passes a turn.

        Returns:
            Whether there is such a turn.

        Raises:
            ConflictError: It would part a call from its result.
        """
        turn = self.get(turn_id)
        if turn is None:
            return False
        self._change(turn, msgspec.structs.replace(turn, control=control), f"control {control.value!r}")
        return True

    def replace_all(self, turns: Sequence[Turn], *, tip: str | msgspec.UnsetType | None = msgspec.UNSET) -> None:
        """Hold these turns instead, in place: whoever has this thread sees them.

        Turns without ids get new ones and follow each other in the given
        order. Without `tip` the last turn is it; with `None` there is none.

        Raises:
            ConflictError: Two turns have the same id; nothing was replaced.
            InputError: One holds a delta; nothing was replaced.
        """
        chained = list(_chain(turns))
        known: set[str] = set()
        for turn in chained:
            check_turn(turn)
            if turn.id in known:
                raise ConflictError(f"turn {turn.id!r} was given twice")
            known.add(turn.id)
        self._all = chained
        self._index = None
        last = chained[-1].id if chained else None
        self._tip = last if tip is msgspec.UNSET else tip
        self._walk()
        self.trim()

    def trim(self) -> None:
        """Give back memory that can be had again; for a thread at rest."""
        self._index = None
        self._derived = None

    def _places(self) -> dict[str, int]:
        if self._index is None:
            self._index = {turn.id: place for place, turn in enumerate(self._all)}
        return self._index

    def _insert(self, turn: Turn) -> None:
        self.check(turn)
        self._places()[turn.id] = len(self._all)
        self._all.append(turn)

    def _change(self, turn: Turn, changed: Turn, what: str) -> None:
        if changed == turn:
            return
        before = self._parted()
        self.save_turn(changed)
        if self._answers(turn) or not self._parted() <= before:
            self.save_turn(turn)
            raise ConflictError(
                f"{what} on turn {turn.id!r} would part a tool call from its result; use the turn behind the results"
            )

    def _answers(self, turn: Turn) -> bool:
        """Whether a turn has results for a call before it; those stay where they are."""
        if turn.role is not Role.TOOL or turn.control is Control.SKIP:
            return False
        return bool(unanswered(self._path_to(turn.parent_id)))

    def _parted(self) -> set[str]:
        """Ends of branches on which a call is parted from its results; imports may bring some.

        A branch also ends before a turn with control `stop`, since one may go
        on from there. Every other path is the beginning of one of these.
        """
        followed = {turn.parent_id for turn in self._all if turn.control is not Control.STOP}
        ends = [turn.id for turn in self._all if turn.id not in followed]
        return {end for end in ends if parted(self._path_to(end))}

    def _walk(self) -> None:
        path = self._path_to(self._tip)
        whole = len(path) == len(self._all) and all(one is other for one, other in zip(path, self._all, strict=True))
        self._path = self._all if whole else path

    def _path_to(self, tip: str | None) -> list[Turn]:
        path: list[Turn] = []
        at, seen = tip, set[str]()
        while at is not None and at not in seen:
            seen.add(at)
            turn = self.get(at)
            if turn is None:
                break
            if turn.control is not Control.SKIP:
                path.append(turn)
            if turn.control is Control.STOP:
                break
            at = turn.parent_id
        path.reverse()
        return path


def _chain(turns: Sequence[Turn]) -> Sequence[Turn]:
    if all(turn.id for turn in turns):
        return turns
    chained: list[Turn] = []
    for turn in turns:
        parent = chained[-1].id if chained else None
        chained.append(msgspec.structs.replace(turn, id=turn.id or new_turn_id(), parent_id=parent))
    return chained
