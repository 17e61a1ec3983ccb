"""`analytics`: what a conversation consists of, by kind and source."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from ore.artifact import Artifact, Media, Reasoning, Text, ToolCall, ToolResult, Usage, encode
from ore.ledger import Turn

__all__ = ["UNKNOWN_SOURCE", "Bucket", "analytics", "model_bytes"]

UNKNOWN_SOURCE = "(unknown)"
"""The source of a result whose call is not there."""


class Bucket(msgspec.Struct, frozen=True, kw_only=True):
    """Artifacts of one kind and source.

    Attributes:
        kind: Their kind.
        source: The tool of calls and results; else empty.
        count: How many there are.
        size_bytes: What models get of them.
    """

    kind: str
    source: str
    count: int
    size_bytes: int


def analytics(turns: Iterable[Turn]) -> Sequence[Bucket]:
    """What these turns consist of, sorted by kind and source.

    A result belongs to the tool of the last call of its id before it: vendors
    repeat their ids.
    """
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for artifact, source in _sources(turns):
        key = (artifact.kind, source)
        count, size_bytes = found.get(key, (0, 0))
        found[key] = (count + 1, size_bytes + model_bytes(artifact))
    return [
        Bucket(kind=kind, source=source, count=count, size_bytes=size_bytes)
        for (kind, source), (count, size_bytes) in sorted(found.items())
    ]


def model_bytes(artifact: Artifact) -> int:
    """How much of it models get, in bytes of UTF-8; of a kind that has no text of its own its JSON."""
    if isinstance(artifact, Usage):
        return 0
    if isinstance(artifact, Media):
        return artifact.size_bytes or len(artifact.data or (artifact.url or artifact.blob or "").encode())
    if isinstance(artifact, Reasoning):
        return len(artifact.content.encode("utf-8", "replace"))
    if isinstance(artifact, Text | ToolCall | ToolResult):
        return len(artifact.for_model().encode("utf-8", "replace"))
    return len(artifact.for_model().encode("utf-8", "replace")) or len(encode(artifact))


def _sources(turns: Iterable[Turn]) -> Iterator[tuple[Artifact, str]]:
    tools: dict[str, str] = {}
    for turn in turns:
        for artifact in turn.artifacts:
            source = ""
            if isinstance(artifact, ToolCall):
                source = tools[artifact.id] = artifact.name
            elif isinstance(artifact, ToolResult):
                source = tools.get(artifact.tool_call_id, UNKNOWN_SOURCE)
            yield artifact, source
