"""`Services`: what sessions may call on, and do without."""

from dataclasses import dataclass, field

from ore.event import Tracer
from ore.ledger import Clock, now
from ore.provider import Resolve
from ore.session.placement import Placement
from ore.session.questions import AskPolicy

__all__ = ["Services"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What sessions may call on, and do without.

    Attributes:
        resolve: Finds the provider of a model's name, for sessions that change model.
        asking: Who answers questions; by default nobody, which denies them.
        placement: Decides who runs a session; this process, by default.
        tracer: Makes spans.
        clock: The time, for turns and for expiry.
    """

    resolve: Resolve | None = None
    asking: AskPolicy = field(default_factory=AskPolicy)
    placement: Placement | None = None
    tracer: Tracer | None = None
    clock: Clock = now
