"""`Reasoning`: what a model thought on its way to an answer."""

from collections.abc import Sequence
from typing import ClassVar, cast

from ore.artifact.base import Artifact, Delta, ProviderData

__all__ = ["Reasoning", "ReasoningDelta"]


class Reasoning(Artifact, frozen=True, kw_only=True, tag="reasoning"):
    """A block of thinking.

    Redacted or encrypted thinking has empty `content` and keeps its bytes in
    `provider_data`. It goes back to the model that issued it, or nowhere.
    """

    content: str
    provider_data: ProviderData | None = None

    def for_human(self) -> str:
        """The thinking; models get it through their own wire only."""
        return self.content


class ReasoningDelta(Delta, frozen=True, kw_only=True, tag="reasoning_delta"):
    """A fragment of one `Reasoning` block."""

    family: ClassVar[str] = "reasoning"

    key: ClassVar[str] = "reasoning"
    """All fragments of thinking in a row are one block."""

    content: str

    @classmethod
    def assemble(cls, parts: Sequence[Delta]) -> Artifact | None:
        """Join the fragments; empty thinking is no block."""
        content = _joined(parts)
        return Reasoning(content=content) if content else None

    @classmethod
    def coalesce(cls, parts: Sequence[Delta]) -> Delta | None:
        """One fragment with all the thinking."""
        return cls(content=_joined(parts))


def _joined(parts: Sequence[Delta]) -> str:
    return "".join([part.content for part in cast(Sequence[ReasoningDelta], parts)])
