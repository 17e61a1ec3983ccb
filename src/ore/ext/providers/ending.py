"""`Ending`: what the last of an answer says of all of it."""

from collections.abc import Callable
from typing import Final

from ore.artifact import Artifact, BlockEnd, Notice, Reasoning, ReasoningDelta, StopReason, Usage
from ore.errors import ContentFilterError
from ore.provider import Batch

__all__ = ["LAST", "Ending"]

LAST: Final[frozenset[type[Artifact] | None]] = frozenset((StopReason, Usage))
"""What wires give last of all; nothing of the answer comes behind it."""

_SILENT: Final = frozenset((Notice, Reasoning, ReasoningDelta, BlockEnd, StopReason, Usage))
"""What says nothing to whoever asked."""


class Ending:
    """Watches one answer: puts its price on the usage, and tells a refusal without a word from an answer.

    Args:
        price: Puts what an answer cost on the usage in a batch.

    Attributes:
        has_spoken: Whether something came that is an answer; from then on only batches that end with one of `LAST`
            need to be taken.
        has_begun: Whether anything came that the model wrote, thinking too.
    """

    __slots__ = ("_is_refused", "_price", "has_begun", "has_spoken")

    def __init__(self, price: Callable[[Batch], Batch]) -> None:
        self._price = price
        self._is_refused = False
        self.has_spoken = False
        self.has_begun = False

    def take(self, batch: Batch) -> Batch:
        """The batch, with its price."""
        for artifact in batch:
            kind = type(artifact)
            if kind not in _SILENT:
                self.has_spoken = self.has_begun = True
            elif isinstance(artifact, StopReason):
                self._is_refused = artifact.reason == "refusal"
            elif kind is ReasoningDelta or kind is Reasoning:
                self.has_begun = True
        return self._price(batch) if type(batch[-1]) is Usage else batch

    def check(self) -> None:
        """At the end.

        Raises:
            ContentFilterError: The answer was refused, and nothing says so but the reason why it stopped.
        """
        if self._is_refused and not self.has_spoken:
            raise ContentFilterError(
                "the model refused to answer, without a word (stop reason refusal); say it in another way, or ask "
                "another model"
            )
