"""`Entry`: one line of the event log."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from ore.artifact import Artifact, Block, Unknown, to_json
from ore.artifact import encode as encode_artifact
from ore.event.context import EventContext
from ore.event.events import Event, Gap, Lifecycle, Snapshot, TurnComplete
from ore.ledger import encode_turn

__all__ = ["FRAGMENT_BYTES", "Entry", "event_json", "snapshot_json"]

FRAGMENT_BYTES: Final = 64
"""What a fragment of an open block counts for in the log: the block owns its text."""


# Not tracked by the collector: there is one for each fragment, and nothing it
# holds leads back to it but what a tool returned.
class Entry(msgspec.Struct, eq=False, gc=False):
    """An event with its place in the log and its envelope.

    Attributes:
        epoch: The owner's epoch.
        number: Its place; strictly increasing, with holes where events were dropped.
        kind: The event's kind.
        context: The envelope.
        event: The event, or the artifact that arrived.
        block: The block of a fragment or of a complete artifact.
        value: What a tool returned, in this process only.
        weight: Bytes that it counts for in the log.
    """

    epoch: int
    number: int
    kind: str
    context: EventContext
    event: Event | Artifact
    block: Block | None = None
    value: Any = None
    weight: int = FRAGMENT_BYTES
    encoded: bytes | None = None

    @property
    def id(self) -> str:
        """The cursor of this event: `<epoch>-<number>`."""
        return f"{self.epoch}-{self.number}"

    @property
    def artifact(self) -> Artifact | None:
        """The artifact, when the event is one."""
        return self.event if isinstance(self.event, Artifact) else None

    @property
    def json(self) -> bytes:
        """One JSON object with `kind` and `context`; made on first use and kept."""
        if self.encoded is None:
            envelope = b'"context":{"id":"%d-%d"%b' % (self.epoch, self.number, self.context.json_tail)
            body = event_json(self.event)
            comma = b"" if body == b"{}" else b","
            self.encoded = b"%b%b%b}" % (body[:-1], comma, envelope)
        return self.encoded


def event_json(event: Event | Artifact) -> bytes:
    """An event without its envelope."""
    if isinstance(event, Artifact):
        return encode_artifact(event).rstrip()
    if isinstance(event, TurnComplete):
        return b'{"kind":"turn_complete","turn":%b}' % encode_turn(event.turn)
    if isinstance(event, Gap):
        return b'{"kind":"gap","snapshot":%b}' % snapshot_json(event.snapshot)
    if isinstance(event, Lifecycle) and event.content is not None:
        return to_json(msgspec.structs.replace(event, content=_raws(event.content)))
    return to_json(event)


def snapshot_json(snapshot: Snapshot) -> bytes:
    """A snapshot as one JSON object, unknown artifacts with their own bytes."""
    turns: Any = [msgspec.Raw(encode_turn(turn)) for turn in snapshot.turns]
    blocks: Any = [msgspec.structs.replace(block, artifact=_raws((block.artifact,))[0]) for block in snapshot.blocks]
    queue = [
        {name: _raws(value) if isinstance(value, tuple) else value for name, value in item.items()}
        for item in snapshot.queue
    ]
    activities: Any = snapshot.activities or msgspec.UNSET
    return to_json(msgspec.structs.replace(snapshot, turns=turns, blocks=blocks, queue=queue, activities=activities))


def _raws(artifacts: Sequence[Artifact]) -> Any:
    return tuple(msgspec.Raw(encode_artifact(item)) if type(item) is Unknown else item for item in artifacts)
