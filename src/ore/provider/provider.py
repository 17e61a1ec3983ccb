"""`Provider`: anything that can answer a list of turns."""

from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Protocol

from ore.artifact import Artifact
from ore.ledger import State
from ore.models import Spec
from ore.provider.options import Option

__all__ = ["BATCH_LIMIT", "Batch", "Count", "Provider", "Resolve", "as_it_is"]

BATCH_LIMIT = 64
"""Artifacts in one batch, at most; a wire that gets more from one read yields several."""

Batch = Sequence[Artifact]
"""What arrived together, in order."""


class Provider(Protocol):
    """Anything that can answer a list of turns. No base class: the shape is enough."""

    @property
    def name(self) -> str:
        """Stable identifier for errors, traces and usage."""
        ...

    def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        """Stream the answer to the turns of `state`.

        The caller closes the generator; closing it is how an inference is
        cancelled. Nothing is read of `state` after the first batch.

        Yields:
            What arrived together, in order, at most `BATCH_LIMIT` artifacts:
            deltas, then complete artifacts such as `StopReason` and `Usage`.
            An answer that ends without an error is whole, also without a
            `StopReason`: whoever did not see its end raises.

        Raises:
            ProviderError: The call failed. What was yielded stands.
        """
        ...


Resolve = Callable[[str], tuple[Provider, str]]
"""Finds the provider of a model's name and the name it has there.

Raises:
    ModelNotFoundError: No such provider.
    AuthenticationError: Its key is missing.
"""

Count = Callable[[Provider], Provider]
"""Has a provider counted for the budgets of whoever is at work here and now."""


def as_it_is(provider: Provider) -> Provider:
    """Count nothing: where nobody has a budget."""
    return provider
