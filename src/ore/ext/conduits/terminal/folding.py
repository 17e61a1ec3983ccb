"""`fold`: events, one after the other, into a `Conversation`."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from ore.artifact import (
    Artifact,
    Delta,
    Notice,
    ReasoningDelta,
    StopReason,
    TextDelta,
    ToolCallDelta,
    ToolResult,
    Usage,
)
from ore.event import (
    Activity,
    Answer,
    Entry,
    ErrorEvent,
    Gap,
    Lifecycle,
    Properties,
    Question,
    SessionSwitch,
    TurnComplete,
    TurnRestarted,
)
from ore.ext.conduits.terminal.cells import Call, Cell, Kind
from ore.ext.conduits.terminal.conversation import Conversation, Queued, place, turn_of
from ore.ext.conduits.terminal.drafting import cell_of, cells_of, said
from ore.ledger import Control, Role, Turn

__all__ = ["fold"]


def fold(view: Conversation, entries: Iterable[Entry]) -> None:
    """Apply events in order; one that was applied before changes nothing."""
    for entry in entries:
        event = entry.event
        if isinstance(event, Gap):
            view.load(event.snapshot)
        elif view.cursor is not None and place(entry.id) <= place(view.cursor):
            continue
        elif isinstance(event, Artifact):
            _artifact(view, entry, event)
        else:
            handler = _HANDLERS.get(type(event))
            if handler is not None:
                handler(view, entry, event)
        if view.cursor is None or place(entry.id) > place(view.cursor):
            view.cursor = entry.id


def _artifact(view: Conversation, entry: Entry, artifact: Artifact) -> None:
    context = entry.context
    if isinstance(artifact, Notice):
        view.note(entry.id, Kind.NOTICE, artifact.content, artifact.severity.value)
    elif context.path:
        _inside(view, context.path, context.block, artifact)
    elif isinstance(artifact, Delta):
        if context.block is not None:
            _fragment(view, context.block, artifact)
    elif isinstance(artifact, ToolResult | Usage | StopReason):
        return
    elif context.block is not None and turn_of(context.block) not in view.turns:
        view.put(context.block, artifact)
    elif context.block is None:
        _loose(view, entry, artifact)


def _loose(view: Conversation, entry: Entry, artifact: Artifact) -> None:
    """What somebody emitted beside any answer."""
    cell = cell_of(artifact, f"loose/{entry.id}", "")
    if cell is not None:
        cell.at = datetime.now(UTC)
        view.append(cell)


def _fragment(view: Conversation, block: str, delta: Delta) -> None:
    cell = view.blocks.get(block)
    if cell is None:
        if turn_of(block) in view.turns:
            return
        cell = _opened(block, delta)
        if cell is None:
            return
        view.insert(block, cell)
    elif not cell.is_open:  # late: the block is complete
        return
    _grow(cell, delta)
    view.changed.add(cell)


def _opened(block: str, delta: Delta) -> Cell | None:
    kind = _OF_DELTA.get(type(delta))
    if kind is None:
        return None
    cell = Cell(block, kind, turn=turn_of(block), at=datetime.now(UTC))
    cell.is_open = True
    if kind is Kind.CALL:
        cell.call = Call()
    return cell


def _grow(cell: Cell, delta: Delta) -> None:
    """Add a fragment; one that is of another kind than its block belongs nowhere."""
    if _OF_DELTA.get(type(delta)) is not cell.kind:
        return
    if isinstance(delta, TextDelta | ReasoningDelta):
        cell.add(delta.content)
    elif isinstance(delta, ToolCallDelta):
        call = cell.the_call
        call.id, call.name = call.id or delta.id, call.name or delta.name
        call.arguments += delta.arguments
        cell.touch()


def _inside(view: Conversation, path: tuple[str, ...], block: str | None, artifact: Artifact) -> None:
    """What happens inside a call; fragments grow what stands there already."""
    cell = view.calls.get(path[0])
    if cell is None or not isinstance(artifact, Delta):
        view.happened_inside(path, block, artifact)
        return
    if block is None:
        return
    child = next((one for one in cell.the_call.children if one.key == block), None)
    if child is None:
        child = _opened(block, artifact)
        if child is None:
            return
        cell.the_call.put_child(child)
    if child.is_open:
        _grow(child, artifact)
        view.touch(cell)


def _completed(view: Conversation, entry: Entry, event: TurnComplete) -> None:
    turn, context = event.turn, entry.context
    if context.path:
        return
    view.totals.take((turn,))
    if context.message is not None and turn.role is Role.USER:
        _began(view, context.message)
    if turn.id in view.turns:
        return
    if turn.control is not Control.SKIP:
        _follow(view, turn)
        view.turns.append(turn.id)
    live = {key: cell for key, cell in view.blocks.items() if cell.turn == turn.id}
    for key in live:
        del view.blocks[key]
    _settle_into(view, turn, list(live.values()))
    if view.is_running:
        view.begin_calls(turn.id)


def _settle_into(view: Conversation, turn: Turn, live: list[Cell]) -> None:
    """The turn's cells stand where its blocks stood, those that say the same as the same objects."""
    spare = list(live)
    known: dict[str, Cell] = {}
    for cell in cells_of(turn):
        same = next((one for one in spare if one.kind is cell.kind), None)
        if same is None:
            continue
        spare.remove(same)
        same.key, same.at = cell.key, same.at or cell.at
        known[cell.key] = same
    at = next((view.cells.index(cell) for cell in live if cell in view.cells), len(view.cells))
    gone = set(live)
    states = {cell.the_call.key: cell.the_call for cell in live if cell.call is not None}
    cells = view.cells_for(turn, known, states)
    for cell in cells:
        if cell.is_open:
            cell.is_open = False
            cell.touch()
        view.changed.add(cell)
    same_places = [cell for cell in view.cells[at : at + len(cells)]] == list(cells) and len(cells) == len(live)
    if not same_places:
        view.cells[at:] = [*cells, *(cell for cell in view.cells[at:] if cell not in gone)]
        view.shape += 1


def _follow(view: Conversation, turn: Turn) -> None:
    """What is shown ends at the turn's parent: the tip may have moved meanwhile."""
    parent = turn.parent_id
    while parent is not None and parent in view.skipped:
        parent = view.skipped[parent]
    if not view.turns or view.turns[-1] == parent:
        return
    if parent is not None and parent not in view.turns:
        view.is_stale = True
        return
    kept = set(view.turns[: view.turns.index(parent) + 1]) if parent is not None else set()
    gone = set(view.turns) - kept
    view.cells = [cell for cell in view.cells if cell.turn not in gone]
    view.turns = [one for one in view.turns if one in kept]
    view.shape += 1


def _began(view: Conversation, message: str) -> None:
    """A message stands in the history: it runs, or has joined the one that does."""
    view.waiting = [one for one in view.waiting if one.id != message]
    view.running, view.begun = view.running or message, message


def _lifecycle(view: Conversation, entry: Entry, event: Lifecycle) -> None:
    message = entry.context.message
    if message is None or entry.context.path:
        return
    if event.phase == "queued":
        _queue(view, message, event)
    elif event.phase == "done":
        _done(view, message, event)
    elif event.phase in ("submitted", "streaming"):
        view.waiting = [one for one in view.waiting if one.id != message]
        view.running, view.phase = message, event.phase


def _queue(view: Conversation, message: str, event: Lifecycle) -> None:
    if message == view.running or any(one.id == message for one in view.waiting):
        return
    content = event.content or ()
    view.waiting.append(Queued(id=message, text=said(content) if content else None, content=content))
    if view.running is None:
        view.phase = "queued"
    view.is_stale = view.is_stale or not content  # what others sent is not told with the event


def _done(view: Conversation, message: str, event: Lifecycle) -> None:
    view.waiting = [one for one in view.waiting if one.id != message]
    view.ended = None if event.outcome is None else event.outcome.value
    if view.running not in (None, message):
        return
    view.running = None
    view.phase = "queued" if view.waiting else "idle"
    view.settle()
    _drop(view, lambda cell: True)
    # A command, which has no turn, may have changed what no event tells, such as the tip.
    view.is_stale = view.is_stale or view.begun != message


def _drop(view: Conversation, is_void: Callable[[Cell], bool]) -> None:
    """Blocks of a turn that will not be."""
    gone = {key: cell for key, cell in view.blocks.items() if is_void(cell)}
    if gone:
        for key in gone:
            del view.blocks[key]
        cells = set(gone.values())
        view.cells = [cell for cell in view.cells if cell not in cells]
        view.shape += 1


def _restarted(view: Conversation, entry: Entry, event: TurnRestarted) -> None:
    if entry.context.path:
        return
    _drop(view, lambda cell: True)


def _error(view: Conversation, entry: Entry, event: ErrorEvent) -> None:
    view.note(entry.id, Kind.ERROR, event.message, event.code)


def _properties(view: Conversation, entry: Entry, event: Properties) -> None:
    for one in event.operations:
        if one.op == "delete":
            view.metadata.pop(one.key, None)
        else:
            view.metadata[one.key] = one.value or ""


def _question(view: Conversation, entry: Entry, event: Question) -> None:
    view.questions[event.key] = event
    view.phase = "waiting"
    _asks(view, event.call_key or event.key, is_asking=True)


def _answer(view: Conversation, entry: Entry, event: Answer) -> None:
    question = view.questions.pop(event.key, None)
    if not view.questions and view.phase == "waiting":
        view.phase = "tools"
    _asks(view, (question.call_key if question else None) or event.key, is_asking=False)


def _asks(view: Conversation, key: str, *, is_asking: bool) -> None:
    cell = view.calls.get(key)
    if cell is not None:
        cell.the_call.is_asking = is_asking
        view.touch(cell)


def _activity(view: Conversation, entry: Entry, event: Activity) -> None:
    cell = view.calls.get(event.id)
    if event.active:
        view.activities[event.id] = event.description
    else:
        view.activities.pop(event.id, None)
    if cell is None:
        return
    call = cell.the_call
    if event.active:
        call.begin()
        call.description = event.description
        view.phase = "tools" if view.phase in ("streaming", "submitted") else view.phase
    else:
        call.end()
    view.touch(cell)


def _switch(view: Conversation, entry: Entry, event: SessionSwitch) -> None:
    if not entry.context.path:
        view.switch = event.session_id


_OF_DELTA: Final[Mapping[type[Delta], Kind]] = {
    TextDelta: Kind.TEXT,
    ReasoningDelta: Kind.THINKING,
    ToolCallDelta: Kind.CALL,
}

_HANDLERS: Final[Mapping[type, Callable[[Conversation, Entry, Any], None]]] = {
    TurnComplete: _completed,
    TurnRestarted: _restarted,
    Lifecycle: _lifecycle,
    ErrorEvent: _error,
    Properties: _properties,
    Question: _question,
    Answer: _answer,
    Activity: _activity,
    SessionSwitch: _switch,
}
