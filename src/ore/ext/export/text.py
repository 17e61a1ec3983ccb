"""`export_text`: a thread as plain text."""

from collections.abc import Iterator

from ore.artifact import Artifact, Media, Reasoning, StopReason, Text, ToolCall, ToolResult, Unknown, Usage, clean
from ore.ext.export.story import Branch, Piece, Told, tell
from ore.ext.export.wording import cut, ended, notes, stopped, used, when
from ore.ledger import StoredThread

__all__ = ["export_text"]


def export_text(stored: StoredThread) -> str:
    """The thread as plain text, every branch of it, each result behind its call.

    Control characters stay as they are: a terminal is the business of whoever
    prints it.
    """
    parts = [_head(stored)]
    for place, trunk in enumerate(tell(stored)):
        if place:
            what = "another beginning" if trunk.behind is None else f"a branch behind turn {trunk.behind}"
            parts.append(f"~~~ {what} ({trunk.count} turns) ~~~")
        parts += _branch(trunk)
    return clean("\n\n".join(parts)) + "\n"


def _head(stored: StoredThread) -> str:
    facts = [f"{key}: {value}" for key, value in sorted(stored.metadata.items())]
    return "\n".join([f"Thread: {stored.id}", *facts])


def _branch(branch: Branch) -> Iterator[str]:
    for told in branch.turns:
        yield _heading(told)
        for piece in told.pieces:
            yield from _piece(piece)
        for other in told.branches:
            yield f"~~~ branch behind turn {told.turn.id} ({other.count} turns) ~~~"
            yield from _branch(other)
            yield f"~~~ end of the branch behind turn {told.turn.id} ~~~"


def _heading(told: Told) -> str:
    said = ", ".join(part for part in (when(told.turn), *notes(told.turn)) if part)
    return f"=== {told.turn.role.value} ({said}) ===" if said else f"=== {told.turn.role.value} ==="


def _piece(piece: Piece) -> Iterator[str]:
    artifact = piece.artifact
    if isinstance(artifact, ToolCall):
        yield f"[Tool Call: {artifact.name}]\n{artifact.for_human()}"
        if piece.result is not None:
            yield _result(piece.result, artifact.name)
    elif isinstance(artifact, ToolResult):
        yield _result(artifact, artifact.tool_call_id)
    elif text := _text(artifact):
        yield text


def _result(result: ToolResult, of: str) -> str:
    said = f" ({ended(result)})" if ended(result) else ""
    lines = [f"[Tool Result: {of}{said}]", result.for_human()]
    lines += [f"[{cut(result.truncation)}]"] if cut(result.truncation) else []
    return "\n".join([*lines, *(_media(one) for one in result.media or ())])


def _text(artifact: Artifact) -> str:
    if isinstance(artifact, Text):
        return artifact.content
    if isinstance(artifact, Reasoning):
        return f"[Reasoning]\n{artifact.content}" if artifact.content else "[Reasoning, which only its vendor can read]"
    if isinstance(artifact, Usage):
        return f"[Usage] {used(artifact)}"
    if isinstance(artifact, StopReason):
        return f"[Stopped: {stopped(artifact)}]" if stopped(artifact) else ""
    if isinstance(artifact, Media):
        return _media(artifact)
    if isinstance(artifact, Unknown):
        return f"[Unknown artifact: {artifact.kind}]"
    return artifact.for_human() or f"[{artifact.kind}]"


def _media(media: Media) -> str:
    what = media.url or media.name or media.media_type or "without a name"
    return f"[{media.kind.capitalize()}: {what}]"
