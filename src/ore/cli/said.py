"""`Said`: what the options of a call say of the model, until somebody types otherwise."""

from typing import Final

import msgspec

from ore.event import current_context
from ore.models import Spec

__all__ = ["MODEL", "Said"]

MODEL: Final = "name"
"""The field of the model itself."""


class Said:
    """What the options of a call say of the model: it holds before what a session has stored.

    A command that was typed later holds before the options, in its own session.

    Args:
        model: The model's name; `None` where the options name none.
        spec: How it answers.
    """

    def __init__(self, model: str | None, spec: Spec) -> None:
        self._model = model
        self._spec = spec
        self._released: dict[str, frozenset[str]] = {}

    @property
    def model(self) -> str | None:
        """The model that is asked in the running message."""
        return None if MODEL in self._here() else self._model

    @property
    def spec(self) -> Spec:
        """How it is asked in the running message."""
        fields = self._here() - {MODEL}
        return msgspec.structs.replace(self._spec, **dict.fromkeys(fields)) if fields else self._spec

    def release(self, session_id: str, field: str) -> None:
        """Let a session's own facts say one field from now on."""
        self._released[session_id] = self._released.get(session_id, frozenset()) | {field}

    def hold(self, session_id: str, field: str) -> None:
        """Take that back."""
        self._released[session_id] = self._released.get(session_id, frozenset()) - {field}

    def is_released(self, session_id: str, field: str) -> bool:
        """Whether a session's own facts say it."""
        return field in self._released.get(session_id, frozenset())

    def _here(self) -> frozenset[str]:
        thread_id = current_context().thread_id
        return self._released.get(thread_id, frozenset()) if thread_id is not None else frozenset()
