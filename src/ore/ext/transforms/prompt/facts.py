"""`Facts`: what is different at each inference, behind all that stays the same."""

from ore.artifact import Text
from ore.ext.transforms.prompt.source import Source, joined
from ore.ledger import Role, State, Turn, view

__all__ = ["Facts"]

_ID = "facts"


class Facts:
    """A transform that tells a model what is so right now, such as the time, behind the conversation.

    There it costs no prompt cache: what stands before it is the same as in
    the request before. It is a user's turn that is not stored, so each request
    has only the newest.

    Args:
        sources: Texts, functions, files; asked before each inference.
        frame: What is put around them; `{}` is where they go.
    """

    def __init__(self, *sources: Source, frame: str = "<facts>\n{}\n</facts>") -> None:
        self._sources = sources
        self._frame = frame

    def __call__(self, state: State) -> State:
        """The conversation with the facts behind it."""
        text = joined(self._sources, state)
        if not text:
            return state
        turn = Turn(id=_ID, role=Role.USER, artifacts=(Text(content=self._frame.replace("{}", text)),))
        return view(state, [*state.turns, turn])
