"""`Outlet`: what of an answer is handed out, and what has to wait."""

from collections.abc import Sequence

from ore.artifact import Artifact

__all__ = ["Outlet"]


class Outlet:
    """Collects artifacts in the order in which they are handed out.

    While calls are open nothing else may come between their fragments, since a
    block that was closed cannot go on: it waits.

    Attributes:
        is_held: Whether all but `calls` waits.
    """

    __slots__ = ("_late", "_out", "is_held")

    def __init__(self) -> None:
        self._out: list[Artifact] = []
        self._late: list[Artifact] = []
        self.is_held = False

    @property
    def has_any(self) -> bool:
        """Whether something came since it was asked for last."""
        return bool(self._out)

    def put(self, artifact: Artifact) -> None:
        """Hand something out, or let it wait."""
        (self._late if self.is_held else self._out).append(artifact)

    def put_call(self, artifact: Artifact) -> None:
        """Hand out what belongs to an open call."""
        self._out.append(artifact)

    def release(self) -> None:
        """No call is open any more."""
        self.is_held = False
        self._out += self._late
        self._late = []

    def taken(self) -> Sequence[Artifact]:
        """What came since this was asked for last."""
        out, self._out = self._out, []
        return out
