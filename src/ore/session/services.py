"""`Services`: what sessions may call on, and do without."""

from dataclasses import dataclass

from ore.event import Tracer
from ore.provider import Resolve
from ore.tool import Asker

__all__ = ["Services"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What sessions may call on, and do without.

    Attributes:
        resolve: Finds the provider of a model's name, for sessions that change model.
        asker: Asks for approvals; `None` denies them.
        tracer: Makes spans.
    """

    resolve: Resolve | None = None
    asker: Asker | None = None
    tracer: Tracer | None = None
