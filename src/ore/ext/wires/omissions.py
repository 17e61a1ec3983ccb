"""`Omissions`: what a request leaves out because the model cannot take it, or the refusal to."""

from collections.abc import Callable, Sequence

from ore.artifact import Media, Notice, Severity
from ore.errors import UnsupportedError
from ore.ledger import Role, Turn

__all__ = ["Omissions", "leave_media"]


class Omissions:
    """Collects what one request leaves out.

    Args:
        provider: Who is asked, for errors.
        lenient: Whether anything may be left out at all.
    """

    __slots__ = ("_lenient", "_provider", "notices")

    def __init__(self, provider: str, *, lenient: bool) -> None:
        self._provider = provider
        self._lenient = lenient
        self.notices: list[Notice] = []
        """One for each thing, for people."""

    def leave(
        self,
        field: str,
        fault: str,
        advice: str = "leave it out, or let it be left out with --lenient",
        *,
        instead: str = "left out",
    ) -> None:
        """Leave something out.

        Args:
            field: Of a spec, or the kind of an artifact.
            fault: What cannot be had and why, as a sentence that may go on.
            advice: What to do about it, where nothing may be left out.
            instead: What was done about it, where that is more than leaving it out.

        Raises:
            UnsupportedError: The ask is not lenient.
        """
        if not self._lenient:
            raise UnsupportedError(f"{fault}; {advice}", field=field, provider=self._provider)
        self.mention(f"{fault}; {instead}")

    def mention(self, said: str) -> None:
        """Say that something has no effect here, where the request is none the worse without it."""
        self.notices.append(Notice(content=said, severity=Severity.WARN))


def leave_media(turns: Sequence[Turn], why: Callable[[Media], str | None], omissions: Omissions) -> None:
    """Refuse what was sent just now and cannot be taken; earlier it is left out in its place, so that the rest goes on.

    Args:
        turns: Oldest first.
        why: The reason for one thing, as the end of a sentence; `None` when it is taken.
        omissions: Gets what cannot be taken.

    Raises:
        UnsupportedError: There is something, and nothing may be left out.
    """
    if not turns or turns[-1].role is not Role.USER:
        return
    for artifact in turns[-1].artifacts:
        reason = why(artifact) if isinstance(artifact, Media) else None
        if reason is not None:
            fault = f"the model cannot take this {artifact.kind}: {reason}"
            omissions.leave(artifact.kind, fault, "send it in another form, or take another model")
