"""`Metadata`: a session's facts, durable and told to everybody."""

from collections.abc import Mapping

from ore.artifact import clean
from ore.errors import InputError, SessionClosedError
from ore.event import CURRENT
from ore.ledger import Operation
from ore.models import check_model_key
from ore.session.core import Core
from ore.session.envelope import outside

__all__ = ["Metadata"]


class Metadata:
    """String facts of a session; one store for all, kept with the thread."""

    __slots__ = ("_core",)

    def __init__(self, core: Core) -> None:
        self._core = core

    def get(self, key: str) -> str | None:
        """The value; `None` when there is none, which is not the same as empty."""
        return self._core.thread.meta.get(key)

    def all(self) -> dict[str, str]:
        """A copy of all."""
        return self._core.thread.meta.all()

    async def set(self, key: str, value: str) -> None:
        """Set one fact; durable on return, with one `properties` event.

        Raises:
            InputError: A key of the model's (`ore.model.…`) that does not
                exist, or a value that does not fit it.
        """
        await self.change({key: value})

    async def delete(self, key: str) -> None:
        """Remove one fact; a missing one is fine and still tells everybody."""
        await self.change({key: None})

    async def change(self, values: Mapping[str, str | None]) -> None:
        """Set and delete several in one append and one event; `None` deletes."""
        core = self._core
        if core.closed:
            raise SessionClosedError(f"session {core.id!r} is closed; attach it again to go on")
        operations: list[Operation] = []
        for key, value in values.items():
            if value is None:
                operations.append(Operation(op="delete", key=clean(key)))
                continue
            _check_text(key, value)
            check_model_key(key, value)
            operations.append(Operation(op="set", key=clean(key), value=clean(value)))
        token = CURRENT.set(outside(core.id))
        try:
            with core.writing():
                await core.step.set_metadata(operations)
        finally:
            CURRENT.reset(token)


def _check_text(*values: object) -> None:
    for value in values:
        if not isinstance(value, str):
            raise InputError(f"metadata: expected text for keys and values, got {type(value).__name__}")
