"""`ContextManifests`: an agent whose answers say what was sent for them."""

from dataclasses import replace

from ore.agent import AgentSpec
from ore.ext.transforms.manifest.noting import Noting
from ore.ext.transforms.manifest.tracing import traced
from ore.ledger import State

__all__ = ["ContextManifests"]


class ContextManifests:
    """Makes an agent note what each inference was sent; the last of `Agent(extensions=…)`, so that it sees the others.

    The manifest is an artifact at the end of each answer, stored with it and
    told as an event of kind `context`. It is made once the answer is there, so
    no fragment waits for it. The last request is kept in memory for the next
    one to be compared with, until the session has been at rest for a while.
    """

    def __call__(self, spec: AgentSpec) -> AgentSpec:
        """The agent with them."""
        inner = spec.pattern
        return replace(spec, transforms=traced(spec.transforms or (_as_it_is,)), pattern=lambda: Noting(inner()))


def _as_it_is(state: State) -> State:
    return state
