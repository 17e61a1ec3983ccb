"""`Totals`: what a conversation used, for a status line."""

from collections.abc import Iterable

from ore.artifact import Usage
from ore.ledger import Turn

__all__ = ["Totals"]


class Totals:
    """Sums up turns as they come, each once.

    Attributes:
        all: Of every turn.
        last: Of the last inference; its prompt is what the context holds.
        model: Who answered last, as `provider:name`.
    """

    def __init__(self) -> None:
        self.all = Usage()
        self.last: Usage | None = None
        self.model: str | None = None
        self._seen: set[str] = set()

    def take(self, turns: Iterable[Turn]) -> None:
        """Count turns; one that was counted changes nothing."""
        for turn in turns:
            if turn.id in self._seen:
                continue
            self._seen.add(turn.id)
            self.model = turn.model or self.model
            for artifact in turn.artifacts:
                if isinstance(artifact, Usage):
                    self.all, self.last = self.all + artifact, artifact
