"""`SingleShot`: exactly one inference."""

from ore.artifact import ToolCall
from ore.cognitive.pattern import Runtime
from ore.ledger import Draft, Turn

__all__ = ["SingleShot"]


class SingleShot:
    """One inference, whatever comes of it; calls it makes still run."""

    @property
    def name(self) -> str:
        """`single_shot`."""
        return "single_shot"

    async def run(self, runtime: Runtime) -> Turn:
        """Ask once."""
        return await runtime.turn()

    def ends(self, draft: Draft | Turn) -> bool:
        """The first turn without calls is the last; with calls their results come behind it."""
        return ToolCall not in map(type, draft.artifacts)
