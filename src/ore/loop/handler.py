"""`Handler`: what happens with the artifacts of a turn once it stands."""

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from ore.artifact import Artifact
from ore.event import Emitter
from ore.ledger import Draft, EffectRecord, Record, Turn
from ore.provider import Option

__all__ = ["Finisher", "Handler", "Preparer", "Resumer"]


class Handler(Protocol):
    """Sees each complete artifact of a recorded turn, in order.

    One that raises fails the message; what was recorded stands.
    """

    async def handle(self, artifact: Artifact, emitter: Emitter) -> None:
        """Act on one artifact. Runs while the turn's message runs; may be cancelled."""
        ...


@runtime_checkable
class Preparer(Protocol):
    """A handler that has something to record together with the turn."""

    def prepare(self, draft: Draft, options: Sequence[Option]) -> Sequence[Record]:
        """Records for the same append as `draft`, whose id is set. Pure, and must not block.

        Args:
            draft: The turn to come.
            options: With which the provider was asked, tools resolved.
        """
        ...


@runtime_checkable
class Finisher(Protocol):
    """A handler that works on the turn as a whole, such as on all its calls at once."""

    async def finish(self, turn: Turn, emitter: Emitter) -> None:
        """Act on the turn, once, after every artifact was handled."""
        ...


@runtime_checkable
class Resumer(Protocol):
    """A finisher that can go on with a turn that an earlier process left."""

    async def resume(self, turn: Turn, emitter: Emitter, effects: Mapping[str, EffectRecord]) -> None:
        """Act on the last turn of the path, once, as far as `effects` say that it is not done."""
        ...
