"""What a list says of a thread without reading it all."""

from collections.abc import Mapping, Sequence

from ore.ledger.store import Summary
from ore.ledger.turn import Role, Turn

__all__ = ["PREVIEW_CHARACTERS", "TITLE_KEY", "preview", "summarize"]

TITLE_KEY = "ore.title"
"""Metadata key of a thread's title."""

PREVIEW_CHARACTERS = 120


def summarize(thread_id: str, metadata: Mapping[str, str], turns: Sequence[Turn]) -> Summary:
    """Title from the metadata, preview from the first thing the user said."""
    last = turns[-1].timestamp if turns else None
    first = next((text for turn in turns if (text := preview(turn))), None)
    return Summary(id=thread_id, title=metadata.get(TITLE_KEY), preview=first, last_at=last, turns=len(turns))


def preview(turn: Turn) -> str | None:
    """The beginning of a user turn on one line; `None` for others and for empty ones."""
    if turn.role is not Role.USER:
        return None
    text = " ".join(" ".join(artifact.for_human() for artifact in turn.artifacts).split())
    if len(text) > PREVIEW_CHARACTERS:
        return text[: PREVIEW_CHARACTERS - 1] + "…"
    return text or None
