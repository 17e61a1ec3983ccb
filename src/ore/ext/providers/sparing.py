"""`Sparing`: a conversation outlives a picture that its server does not take."""

from collections.abc import AsyncGenerator, Sequence
from typing import Final

import msgspec

from ore.artifact import Artifact, Media, Notice, Severity, Text, ToolResult
from ore.errors import BadRequestError, ContextOverflowError, ModelNotFoundError, ProviderError, UnsupportedError
from ore.ext.providers.passing import Passing
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

    def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        """Stream the answer.

        Raises:
            ProviderError: The request was refused, also without earlier media.
        """
        if (_MARK, self.name, spec.name) in state.base.derived:
            return self._spared(state, spec, options)
        return _Spared(self, state, spec, options)

    def asked(self, state: State, spec: Spec, options: Sequence[Option]) -> AsyncGenerator[Batch, None]:
        """The answer to all of it."""
        return self._provider.invoke(state, spec, *options)

    def spared(self, state: State, spec: Spec, options: Sequence[Option]) -> AsyncGenerator[Batch, None]:
        """The answer without earlier media, from now on."""
        state.base.derived[_MARK, self.name, spec.name] = True
        return self._spared(state, spec, options)

    def _spared(self, state: State, spec: Spec, options: Sequence[Option]) -> AsyncGenerator[Batch, None]:
        return self._provider.invoke(view(state, without_media(state.turns)), spec, *options)


class _Spared(Passing):
    """One answer, asked for once more where media may be why it was refused."""

    __slots__ = ("_options", "_provider", "_spec", "_state")

    def __init__(self, provider: Sparing, state: State, spec: Spec, options: Sequence[Option]) -> None:
        super().__init__(provider.asked(state, spec, options))
        self._provider = provider
        self._state = state
        self._spec = spec
        self._options = options

    async def first(self) -> Batch:
        """The next batch, or a notice that it is asked for once more."""
        try:
            batch = await self.batches.__anext__()
        except (BadRequestError, ContextOverflowError, ModelNotFoundError, UnsupportedError) as error:
            if not _may_be_media(error) or not _has_earlier_media(self._state.turns):
                raise
        else:
            self.is_seen = any([type(artifact) is not Notice for artifact in batch])
            return batch
        self.batches = self._provider.spared(self._state, self._spec, self._options)
        self.is_seen = True
        content = "the request was refused; it is made again without the pictures and files of earlier turns"
        return (Notice(content=content, severity=Severity.WARN),)


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
