"""`Conduit`: a front end; `Host`: several of them in one process."""

import asyncio
from typing import Protocol

import msgspec

from ore.session.manager import Manager

__all__ = ["Conduit", "Descriptor", "Host"]


class Descriptor(msgspec.Struct, frozen=True, kw_only=True):
    """What a conduit is.

    Attributes:
        name: Such as `"http"`; the provenance of its messages.
        description: One line.
        capabilities: What it can show, such as `markdown`, `images`, `questions`.
    """

    name: str
    description: str = ""
    capabilities: frozenset[str] = frozenset()


class Conduit(Protocol):
    """A front end: it submits, subscribes and renders; it never drives turns and never sees a provider."""

    @property
    def descriptor(self) -> Descriptor:
        """What it is."""
        ...

    async def serve(self, sessions: Manager) -> None:
        """Work until there is nothing left to do, or until cancelled.

        Raises:
            Exception: It cannot go on; the host stops the others.
        """
        ...


class Host:
    """Runs several conduits over the same sessions and stops them together."""

    def __init__(self, sessions: Manager) -> None:
        self._sessions = sessions
        self._conduits: list[Conduit] = []

    def add(self, conduit: Conduit | None) -> None:
        """Add a conduit; `None` is passed over."""
        if conduit is not None:
            self._conduits.append(conduit)

    async def run(self) -> None:
        """Serve until all conduits have returned; without any, return at once.

        One that returns does not stop the others. When one fails, the others
        are cancelled and awaited, then its error is raised.

        Raises:
            Exception: What the first failing conduit raised.
        """
        try:
            async with asyncio.TaskGroup() as group:
                for conduit in self._conduits:
                    group.create_task(conduit.serve(self._sessions))
        except BaseExceptionGroup as failed:
            raise failed.exceptions[0] from None
