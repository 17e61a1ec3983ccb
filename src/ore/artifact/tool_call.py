"""`ToolCall`: a model asks for a tool to run."""

from collections.abc import Sequence
from typing import Any, ClassVar, cast

from ore.artifact.base import Artifact, Delta, ProviderData

__all__ = ["ToolCall", "ToolCallDelta"]


class ToolCall(Artifact, frozen=True, kw_only=True, tag="tool_call"):
    """One call, as the model made it.

    `arguments` is the JSON text byte for byte, even when it is no JSON object;
    only it ever reaches a model again. `display` is for people. Vendors repeat
    their ids, so a call is known by its place: `turn_id:index`.
    """

    id: str
    name: str
    arguments: str
    display: str | None = None
    provider_data: ProviderData | None = None

    def for_model(self) -> str:
        """The arguments, whatever is displayed."""
        return self.arguments

    def for_human(self) -> str:
        """The display text, else the arguments."""
        return self.arguments if self.display is None else self.display


class ToolCallDelta(Delta, frozen=True, kw_only=True, tag="tool_call_delta"):
    """A fragment of one `ToolCall`; calls of different `index` grow side by side."""

    family: ClassVar[str] = "tool_call"

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""

    @property
    def key(self) -> str:
        """The call's place in the answer."""
        return f"tool_call:{self.index}"

    @classmethod
    def assemble(cls, parts: Sequence[Delta]) -> Artifact | None:
        """Join the arguments; the first name and the first id that are not empty hold."""
        id, name, arguments = _folded(parts)
        return ToolCall(id=id, name=name, arguments=arguments)

    @classmethod
    def coalesce(cls, parts: Sequence[Delta]) -> Delta | None:
        """One fragment with all of them."""
        index = cast(ToolCallDelta, parts[0]).index
        id, name, arguments = _folded(parts)
        return cls(index=index, id=id, name=name, arguments=arguments)


def _folded(parts: Sequence[Delta]) -> tuple[str, str, str]:
    pieces: Sequence[Any] = parts
    id = pieces[0].id or next((piece.id for piece in pieces if piece.id), "")
    name = pieces[0].name or next((piece.name for piece in pieces if piece.name), "")
    return id, name, "".join([piece.arguments for piece in pieces])
