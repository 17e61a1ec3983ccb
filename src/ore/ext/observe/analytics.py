"""`analytics`: what a conversation consists of, by kind and source."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from ore.artifact import Artifact, Media, Reasoning, Text, ToolCall, ToolResult, encode
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

    A result belongs to the first open call of its id, of the last turn that
    made any: vendors repeat their ids.
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
    """How much of it models get, in bytes of UTF-8; of a kind that has no text of its own its JSON.

    Nothing of a kind that no model ever gets, such as a `Usage`.
    """
    if not artifact.sendable:
        return 0
    if isinstance(artifact, Media):
        return artifact.size_bytes or len(artifact.data or (artifact.url or artifact.blob or "").encode())
    if isinstance(artifact, Reasoning):
        return len(artifact.content.encode("utf-8", "replace"))
    if isinstance(artifact, Text | ToolCall | ToolResult):
        return len(artifact.for_model().encode("utf-8", "replace"))
    return len(artifact.for_model().encode("utf-8", "replace")) or len(encode(artifact))


def _sources(turns: Iterable[Turn]) -> Iterator[tuple[Artifact, str]]:
    waiting: dict[str, deque[str]] = {}
    for turn in turns:
        if turn.calls:
            waiting = {}
        for artifact in turn.artifacts:
            source = ""
            if isinstance(artifact, ToolCall):
                source = artifact.name
                waiting.setdefault(artifact.id, deque()).append(source)
            elif isinstance(artifact, ToolResult):
                asked = waiting.get(artifact.tool_call_id)
                source = asked.popleft() if asked else UNKNOWN_SOURCE
            yield artifact, source
