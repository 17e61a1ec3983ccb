"""`Text`: what is said."""

from collections.abc import Sequence
from typing import Any, ClassVar

from ore.artifact.base import Artifact, Delta, ProviderData

__all__ = ["Text", "TextDelta"]


class Text(Artifact, frozen=True, kw_only=True, tag="text"):
    """A block of text, as Markdown or plain."""

    content: str
    provider_data: ProviderData | None = None

    def for_model(self) -> str:
        """The text itself."""
        return self.content


class TextDelta(Delta, frozen=True, kw_only=True, tag="text_delta"):
    """A fragment of one `Text` block."""

    family: ClassVar[str] = "text"

    key: ClassVar[str] = "text"
    """All fragments of text in a row are one block."""

    content: str

    @classmethod
    def assemble(cls, parts: Sequence[Delta]) -> Artifact | None:
        """Join the fragments; empty text is no block."""
        content = _joined(parts)
        return Text(content=content) if content else None

    @classmethod
    def coalesce(cls, parts: Sequence[Delta]) -> Delta | None:
        """One fragment with all the text."""
        return cls(content=_joined(parts))


def _joined(parts: Sequence[Delta]) -> str:
    pieces: Sequence[Any] = parts
    return "".join([piece.content for piece in pieces])
