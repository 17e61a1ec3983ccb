"""`SystemPrompt`: what a model is told first, from sources that live."""

from ore.artifact import Text
from ore.ext.transforms.prompt.source import Source, joined
from ore.ledger import Role, State, Turn, prepend

__all__ = ["SystemPrompt"]

_ID = "system_prompt"


class SystemPrompt:
    """A transform that puts one system turn before the conversation.

    Its sources are asked before each inference, in order. As long as they say
    the same, it is the same turn, byte for byte, so that prompt caches hold;
    what changes from call to call, such as the time, belongs into `Facts`,
    behind the conversation. Where nothing is said nothing is added.

    Args:
        sources: Texts, functions, files.
    """

    def __init__(self, *sources: Source) -> None:
        self._sources = sources

    def __call__(self, state: State) -> State:
        """The conversation with the prompt before it."""
        text = joined(self._sources, state)
        if not text:
            return state
        kept = state.base.derived
        turn: Turn | None = kept.get(self)
        if turn is None or turn.artifacts != (Text(content=text),):
            turn = kept[self] = Turn(id=_ID, role=Role.SYSTEM, artifacts=(Text(content=text),))
        return prepend(state, (turn,))
