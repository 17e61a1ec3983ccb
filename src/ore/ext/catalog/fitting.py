"""`fitted`: a conversation without the media that a model does not take."""

from collections.abc import Sequence

import msgspec

from ore.artifact import Artifact, Media, Text, ToolResult
from ore.ext.catalog.target import Target
from ore.ledger import Turn

__all__ = ["fitted"]


def fitted(turns: Sequence[Turn], target: Target) -> Sequence[Turn]:
    """The turns as `target` can take them: in the place of media that it is known to refuse stands a line of text.

    History stays as it is; this is for a provider's view of it. A turn without
    such media is the same object as before, and so are the turns as a whole
    when there is none at all. What stands in a tool's result is left out
    there, since its text names it already.
    """
    if target.info is None or not target.info.lacks:
        return turns
    found = [_fitted(turn, target) for turn in turns]
    return turns if all(new is old for new, old in zip(found, turns, strict=True)) else found


def _fitted(turn: Turn, target: Target) -> Turn:
    artifacts = [_in_place(artifact, target) for artifact in turn.artifacts]
    if all(new is old for new, old in zip(artifacts, turn.artifacts, strict=True)):
        return turn
    return msgspec.structs.replace(turn, artifacts=tuple(artifacts))


def _in_place(artifact: Artifact, target: Target) -> Artifact:
    if isinstance(artifact, Media):
        return artifact if target.takes(artifact) else Text(content=_line(artifact))
    if isinstance(artifact, ToolResult) and artifact.media:
        kept = tuple(media for media in artifact.media if target.takes(media))
        if len(kept) < len(artifact.media):
            return msgspec.structs.replace(artifact, media=kept or None)
    return artifact


def _line(media: Media) -> str:
    return f"[{media.kind} left out: {media.name or media.media_type or 'without a name'}]"
