"""`Sparing`: a conversation outlives a picture that its server does not take."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Final

import msgspec

from ore.artifact import Artifact, Media, Notice, Severity, Text, ToolResult
from ore.errors import BadRequestError, ContextOverflowError, ModelNotFoundError, ProviderError, UnsupportedError
from ore.ext.wires.blame import FIELDS
from ore.ledger import Role, State, Turn, view
from ore.models import Spec
from ore.provider import Batch, Option, Provider

__all__ = ["Sparing", "without_media"]

_MARK: Final = "ore.ext.providers.sparing"


class Sparing:
    """A provider that leaves earlier media out where the request is refused with them.

    A picture that is too large, broken, or of another type than it says is
    found out by the server alone, and from then on every request of the
    conversation would be refused. So one that is refused, and has media in
    turns before what was said last, is made once more without those; a line of
    text stands in their place, and a notice says so. What was said last is
    never changed: its own failure is the sender's to hear.

    Args:
        provider: Who is asked.
    """

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    @property
    def name(self) -> str:
        """The name of who is asked."""
        return self._provider.name

    def __repr__(self) -> str:
        return f"Sparing({self._provider!r})"

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        """Stream the answer.

        Raises:
            ProviderError: The request was refused, also without earlier media.
        """
        key = (_MARK, self.name, spec.name)
        derived = state.base.derived
        if key not in derived:
            seen = False
            try:
                async with aclosing(self._provider.invoke(state, spec, *options)) as batches:
                    async for batch in batches:
                        seen = seen or any(type(artifact) is not Notice for artifact in batch)
                        yield batch
                return
            except (BadRequestError, ContextOverflowError, ModelNotFoundError, UnsupportedError) as error:
                if seen or not _may_be_media(error) or not _has_earlier_media(state.turns):
                    raise
            derived[key] = True
            content = "the request was refused; it is made again without the pictures and files of earlier turns"
            yield (Notice(content=content, severity=Severity.WARN),)
        async with aclosing(self._provider.invoke(view(state, without_media(state.turns)), spec, *options)) as batches:
            async for batch in batches:
                yield batch


def without_media(turns: Sequence[Turn]) -> Sequence[Turn]:
    """The turns with a line of text in place of media, but for those since the user last spoke."""
    last = _last_said(turns)
    return [turn if place >= last else _without(turn) for place, turn in enumerate(turns)]


def _may_be_media(error: ProviderError) -> bool:
    """Whether media may be why: too large a request is told as an overflow, and a model without eyes as not found.

    What is refused before anything was sent has no status; it was said last.
    """
    if isinstance(error, UnsupportedError):
        return error.status is not None and error.field in FIELDS
    return type(error) is BadRequestError or error.status in (404, 413)


def _has_earlier_media(turns: Sequence[Turn]) -> bool:
    return any(_without(turn) is not turn for turn in turns[: _last_said(turns)])


def _last_said(turns: Sequence[Turn]) -> int:
    return next((place for place in range(len(turns) - 1, -1, -1) if turns[place].role is Role.USER), 0)


def _without(turn: Turn) -> Turn:
    artifacts = tuple([_plain(artifact) for artifact in turn.artifacts])
    if all(one is other for one, other in zip(artifacts, turn.artifacts, strict=True)):
        return turn
    return msgspec.structs.replace(turn, artifacts=artifacts)


def _plain(artifact: Artifact) -> Artifact:
    if isinstance(artifact, Media):
        return Text(content=f"[{artifact.kind} left out: {artifact.name or artifact.media_type or 'unnamed'}]")
    if isinstance(artifact, ToolResult) and artifact.media:
        return msgspec.structs.replace(artifact, media=None)
    return artifact
