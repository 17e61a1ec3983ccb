"""`Unrecorded`: what readers were shown of a message and no turn holds yet."""

from collections.abc import Callable, Sequence
from typing import Final

from ore.artifact import Artifact, Block, Delta, StopReason, ToolResult, Usage
from ore.event import FRAGMENT_BYTES, Activity, Entry, EventContext, Lifecycle, LiveBlock, TurnComplete, TurnRestarted
from ore.ledger import Role, Turn

__all__ = ["Unrecorded", "live_block"]

_NEVER_SHOWN: Final = (StopReason, Usage)

_Key = tuple[str, ...]


class Unrecorded:
    """Closed blocks, results of finished calls, what happens inside calls, and what is active.

    Made from events, in their order; the blocks of the session's own turns are
    taken once they are complete, since open ones hold their text themselves.
    What a turn records goes, and so does what a restart made void.

    Args:
        earlier: What was known before the first of those events.
        log: The first of them.
    """

    __slots__ = ("_active", "_told")

    def __init__(self, earlier: "Unrecorded | None" = None, log: Sequence[Entry] = ()) -> None:
        self._told: dict[_Key, list[Entry]] = {}
        """Each with one entry, or with the fragments so far of a block that somebody else holds."""
        self._active: dict[str, Activity] = {}
        if earlier is not None:
            self._told = {key: [*entries] for key, entries in earlier._told.items()}
            self._active = dict(earlier._active)
        for entry in log:
            if entry.weight > FRAGMENT_BYTES:
                self.see(entry)

    @property
    def blocks(self) -> Sequence[LiveBlock]:
        """What was shown, in the order in which it began."""
        found = [_shown(entries) for entries in self._told.values()]
        return [block for block in found if block is not None]

    @property
    def activities(self) -> Sequence[Activity]:
        """What is going on, the oldest first."""
        return tuple(self._active.values())

    def see(self, entry: Entry) -> None:
        """The next event."""
        event, context = entry.event, entry.context
        if context.message is None:
            return
        if isinstance(event, Artifact):
            self._artifact(entry, event)
        elif isinstance(event, Activity):
            self._active.pop(event.id, None)
            if event.active:
                self._active[event.id] = event
        elif isinstance(event, TurnComplete):
            if not context.path:
                self._recorded(event.turn, context)
        elif isinstance(event, TurnRestarted):
            self._restarted(context)
        elif isinstance(event, Lifecycle) and event.phase == "done":
            self._drop(lambda told: told.message == context.message)

    def _artifact(self, entry: Entry, event: Artifact) -> None:
        context = entry.context
        if isinstance(event, Delta):
            if entry.block is None and context.block is not None:
                entries = self._told.setdefault(_block_key(context), [])
                if not entries or isinstance(entries[-1].event, Delta):
                    entries.append(entry)
        elif event.persistent and not isinstance(event, _NEVER_SHOWN):
            self._told[_key(entry, event)] = [entry]

    def _recorded(self, turn: Turn, context: EventContext) -> None:
        """A turn of the session's own is in the ledger."""
        if turn.role is Role.ASSISTANT:
            prefix = f"{turn.id}:"
            self._drop(lambda told: not told.path and (told.block or prefix).startswith(prefix))
        elif turn.role is Role.TOOL:
            self._drop(lambda told: bool(told.path) and told.message == context.message)

    def _restarted(self, context: EventContext) -> None:
        """What the attempt that failed had shown: the last turn there, unless its calls have run."""
        here = [entries[0] for entries in self._told.values() if entries[0].context.path == context.path]
        blocks = [entry.context.block for entry in here if entry.context.block is not None]
        if not blocks:
            return
        turn = blocks[-1].rpartition(":")[0]
        path = context.path or ()
        if any(key[0] == "result" and key[1:-1] == path and key[-1].startswith(f"{turn}:") for key in self._told):
            return
        self._drop(lambda told: told.path == context.path and (told.block or "").rpartition(":")[0] == turn)

    def _drop(self, is_over: Callable[[EventContext], bool]) -> None:
        self._told = {key: entries for key, entries in self._told.items() if not is_over(entries[0].context)}


def live_block(block: Block, context: EventContext) -> LiveBlock | None:
    """A block as far as it got; nothing when its fragments do not fit together."""
    artifact = block.so_far
    if artifact is None:
        return None
    return LiveBlock(block=block.id, artifact=artifact, path=context.path)


def _key(entry: Entry, event: Artifact) -> _Key:
    context = entry.context
    if isinstance(event, ToolResult) and context.path:
        return ("result", *context.path)
    return ("loose", entry.id) if context.block is None else _block_key(context)


def _block_key(context: EventContext) -> _Key:
    return ("block", *(context.path or ()), context.block or "")


def _shown(entries: Sequence[Entry]) -> LiveBlock | None:
    event, context = entries[-1].event, entries[-1].context
    is_open = isinstance(event, Delta)
    artifact: Artifact | None
    if isinstance(event, Delta):
        try:
            artifact = type(event).assemble([entry.event for entry in entries if isinstance(entry.event, Delta)])
        except Exception:
            artifact = None
    else:
        assert isinstance(event, Artifact)
        artifact = event
    if artifact is None:
        return None
    return LiveBlock(block=context.block, artifact=artifact, open=is_open, path=context.path)
