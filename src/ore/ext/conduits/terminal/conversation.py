"""`Conversation`: from a snapshot and events to what is shown of a session."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from ore.artifact import Artifact, ToolResult
from ore.event import Question, Snapshot
from ore.ext.conduits.terminal.cells import Cell, Kind
from ore.ext.conduits.terminal.drafting import cell_of, cells_of, said
from ore.ext.conduits.terminal.usage import Totals
from ore.ledger import Control, Role, Turn

__all__ = ["Conversation", "Queued", "place", "turn_of"]


class Queued(msgspec.Struct, frozen=True, kw_only=True):
    """A message that waits.

    Attributes:
        text: What it says; `None` while only its id is known.
        content: It itself, to take it back for editing.
    """

    id: str
    text: str | None = None
    content: Sequence[Artifact] = ()


class Conversation:
    """What a screen shows of a session, kept up to date event by event.

    Whatever a connection did (cut, resumed, repeated, fell behind), it is the
    same as if every event had come once: what is at or before the cursor is
    passed over, a complete block replaces what its fragments showed, and a
    `gap` brings the state in place of what was missed.

    Attributes:
        cells: What is shown, in order.
        changed: Cells that are not as they were when somebody last emptied it.
        shape: Grows when cells come, go or move.
        cursor: Id of the last event.
        turns: Ids of the turns on the path.
        waiting: Messages in the queue.
        running: Id of the message that runs.
        questions: Open ones by key.
        answers: Keys of questions that somebody answered.
        is_stale: Whether a look at the state is needed, since events do not tell all.
        switch: The session that should be shown instead.
        ended: How the last message ended.
    """

    def __init__(self) -> None:
        self.cells: list[Cell] = []
        self.changed: set[Cell] = set()
        self.shape = 0
        self.cursor: str | None = None
        self.turns: list[str] = []
        self.metadata: dict[str, str] = {}
        self.phase = "idle"
        self.waiting: list[Queued] = []
        self.running: str | None = None
        self.begun: str | None = None
        """The message that stands in the history last."""
        self.questions: dict[str, Question] = {}
        self.activities: dict[str, str] = {}
        self.totals = Totals()
        self.is_stale = False
        self.switch: str | None = None
        self.ended: str | None = None
        self.skipped: dict[str, str | None] = {}
        self.calls: dict[str, Cell] = {}
        self.blocks: dict[str, Cell] = {}
        """Cells of blocks whose turn is not complete, by the block's id."""
        self._caller = ""
        self._answered = 0

    @property
    def is_running(self) -> bool:
        """Whether something is being worked on."""
        return self.running is not None or self.phase not in ("idle", "closing")

    def load(self, snapshot: Snapshot) -> None:
        """The state as it stands; cells that are shown already stay the same objects."""
        known = {cell.key: cell for cell in self.cells}
        notes = _by_turn(self.cells)
        # How long calls worked is known here only.
        states = {key: cell.the_call for key, cell in self.calls.items()}
        before = {**self.blocks}
        self.calls, self.blocks, self.skipped = {}, {}, {}
        self.cells = [*notes.get("", ())]
        for turn in snapshot.turns:
            self.cells += self.cells_for(turn, known, states)
            self.cells += notes.get(turn.id, ())
        self.turns = [turn.id for turn in snapshot.turns]
        self.totals.take(snapshot.turns)
        self._live(snapshot, before)
        self._facts(snapshot)
        self.shape += 1

    def cells_for(
        self, turn: Turn, known: Mapping[str, Cell], states: Mapping[str, Any] | None = None
    ) -> Sequence[Cell]:
        """The cells of a turn, those that are known already as they are; results go to their calls."""
        if turn.control is Control.SKIP:
            self.skipped[turn.id] = turn.parent_id
            return ()
        if turn.role is Role.TOOL:
            self.results_of(turn)
            return ()
        cells = [_kept(known.get(cell.key), cell) for cell in cells_of(turn)]
        for cell in cells:
            if cell.call is not None:
                state = (states or {}).get(cell.call.key)
                if state is not None:
                    cell.call = state
                self.calls[cell.the_call.key] = cell
        if turn.role is Role.ASSISTANT:
            self._caller, self._answered = turn.id, 0
        return cells

    def results_of(self, turn: Turn) -> None:
        """Give the results of a tool turn to the calls of the turn before it, by position."""
        for artifact in turn.artifacts:
            if not isinstance(artifact, ToolResult):
                continue
            cell = self.calls.get(f"{self._caller}:{self._answered}")
            self._answered += 1
            if cell is not None and cell.the_call.result != artifact:
                cell.the_call.end(artifact)
                self.touch(cell)

    def append(self, cell: Cell) -> None:
        """Show one more at the end."""
        self.cells.append(cell)
        self.changed.add(cell)
        self.shape += 1

    def put(self, block: str, artifact: Artifact, *, is_open: bool = False) -> None:
        """A block as far as it got, or all of it: it replaces what its fragments showed."""
        made = cell_of(artifact, block, turn_of(block))
        cell = self.blocks.get(block)
        if made is None:
            return
        if cell is None or cell.kind is not made.kind:
            self.insert(block, made)
            made.is_open, made.at = is_open, datetime.now(UTC)
            return
        if made.call is not None:
            call = cell.the_call
            call.id, call.name = made.call.id, made.call.name
            call.arguments, call.display = made.call.arguments, made.call.display
        cell.become(made.text)
        cell.is_open = is_open
        self.touch(cell)

    def insert(self, block: str, cell: Cell) -> None:
        """Show a block of the turn in the making, in its place among the others."""
        before = self.blocks.pop(block, None)
        if before is not None and before in self.cells:
            self.cells.remove(before)
        turn, number = turn_of(block), number_of(block)
        later = [one for key, one in self.blocks.items() if turn_of(key) == turn and number_of(key) > number]
        self.blocks[block] = cell
        if later and later[0] in self.cells:
            self.cells.insert(self.cells.index(later[0]), cell)
            self.blocks = dict(
                sorted(self.blocks.items(), key=lambda item: (turn_of(item[0]) == turn, number_of(item[0])))
            )
        else:
            self.cells.append(cell)
        self.changed.add(cell)
        self.shape += 1
        if cell.call is not None:
            self._name_calls(turn)

    def happened_inside(
        self, path: tuple[str, ...], block: str | None, artifact: Artifact, *, is_open: bool = False
    ) -> None:
        """Something inside a call: its result, what it says, what an agent does there."""
        cell = self.calls.get(path[0])
        if cell is None:
            return
        call = cell.the_call
        if isinstance(artifact, ToolResult):
            if len(path) == 1:
                call.end(artifact)
            else:
                call.end_child(path[-1], artifact)
        elif block is not None:
            made = cell_of(artifact, block, turn_of(block))
            if made is not None:
                made.is_open = is_open
                call.put_child(made)
        self.touch(cell)

    def _name_calls(self, turn: str) -> None:
        """A call is known by its place among its turn's calls."""
        cells = [cell for key, cell in self.blocks.items() if turn_of(key) == turn and cell.call is not None]
        for number, cell in enumerate(cells):
            cell.the_call.key = f"{turn}:{number}"
            self.calls[cell.the_call.key] = cell

    def touch(self, cell: Cell) -> None:
        """A cell is not as it was."""
        cell.touch()
        self.changed.add(cell)

    def note(self, key: str, kind: Kind, text: str, mark: str) -> None:
        """Say something beside the turns; it stays behind the last turn that was there."""
        cell = Cell(f"note/{key}", kind, text, at=datetime.now(UTC))
        cell.mark = mark
        self.append(cell)

    def _live(self, snapshot: Snapshot, before: Mapping[str, Cell]) -> None:
        """Blocks of the turn in the making, and what happened inside its calls."""
        for one in snapshot.blocks:
            if one.path is not None:
                self.happened_inside(one.path, one.block, one.artifact, is_open=one.open)
            elif one.block is not None:
                known = before.get(one.block)
                if known is not None:
                    self.blocks[one.block] = known
                    self.cells.append(known)
                self.put(one.block, one.artifact, is_open=one.open)
        for activity in snapshot.activities:
            self.activities[activity.id] = activity.description
            cell = self.calls.get(activity.id)
            if cell is not None and activity.active:
                cell.the_call.begin()
                cell.the_call.description = activity.description

    def _facts(self, snapshot: Snapshot) -> None:
        self.cursor = snapshot.id
        self.metadata = dict(snapshot.metadata)
        self.phase = snapshot.phase
        self.queue_is(snapshot.queue)
        self.questions = {question.key: question for question in snapshot.questions}
        for key, cell in self.calls.items():
            asking = key in self.questions or any(one.call_key == key for one in self.questions.values())
            if cell.the_call.is_asking != asking:
                cell.the_call.is_asking = asking
                self.touch(cell)
        if self.turns and snapshot.phase not in ("idle", "closing", "queued"):
            self.begin_calls(self._caller)
        if snapshot.phase == "idle":
            self.activities.clear()
            self.settle()
        self.is_stale = False

    def queue_is(self, queue: Sequence[Mapping[str, Any]]) -> None:
        """What runs and what waits, as a snapshot tells it."""
        running = [item["id"] for item in queue if item["status"] == "running"]
        self.running = running[0] if running else None
        self.waiting = [
            Queued(id=item["id"], text=said(item["content"]), content=tuple(item["content"]))
            for item in queue
            if item["status"] == "waiting"
        ]

    def begin_calls(self, turn: str) -> None:
        """The calls of a turn work from now on, those that have no result yet."""
        for cell in self.calls.values():
            if cell.turn == turn and cell.the_call.result is None and not cell.the_call.is_active:
                cell.the_call.begin()
                self.touch(cell)

    def settle(self) -> None:
        """Nothing runs any more."""
        for cell in self.calls.values():
            call = cell.the_call
            if call.is_active or call.is_asking:
                call.is_asking = False
                call.end()
                self.touch(cell)


def place(id: str) -> tuple[int, int]:
    """Where an event stands in the log, to compare."""
    epoch, _, number = id.partition("-")
    return int(epoch or 0), int(number or 0)


def turn_of(block: str) -> str:
    """The turn of a block."""
    return block.rpartition(":")[0]


def number_of(block: str) -> int:
    """Its place among the blocks of its turn."""
    last = block.rpartition(":")[2]
    return int(last) if last.isdigit() else 0


def _kept(before: Cell | None, cell: Cell) -> Cell:
    """The cell that is shown already, when it says the same."""
    if before is None or before.kind is not cell.kind:
        return cell
    before.become(cell.text)
    if before.mark != cell.mark:
        before.mark = cell.mark
        before.touch()
    return before


def _by_turn(cells: Sequence[Cell]) -> Mapping[str, list[Cell]]:
    """Notes by the turn behind which they stand."""
    found: dict[str, list[Cell]] = {}
    turn = ""
    for cell in cells:
        if cell.turn:
            turn = cell.turn
        else:
            found.setdefault(turn, []).append(cell)
    return found
