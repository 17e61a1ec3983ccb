"""`RoundOrder`: what holds for the events of one inference, from `submitted` on."""

from ore.artifact import Artifact, Delta, Reasoning, ReasoningDelta, Text, TextDelta
from ore.event import Entry, ErrorEvent, Lifecycle, TurnComplete, TurnRestarted
from ore.ledger import Role

__all__ = ["RoundOrder"]


class RoundOrder:
    """Follows one inference to its turn."""

    def __init__(self) -> None:
        self._streaming = False
        self._ended = False
        self._attempt: int | None = None
        self._complete: list[Artifact] = []
        self._parts: dict[str, list[str]] = {}
        self._closed: set[str] = set()

    def next(self, entry: Entry) -> str:
        """What is wrong with the next event; empty when nothing is."""
        event = entry.event
        if isinstance(event, Lifecycle):
            return self._begin() if event.phase == "streaming" else ""
        if isinstance(event, TurnRestarted):
            return self._restart(event)
        if isinstance(event, TurnComplete):
            return self._end(event)
        if isinstance(event, ErrorEvent):
            self._ended = True
        if isinstance(event, Artifact) and (entry.context.block is not None or (event.persistent and not self._ended)):
            return self._artifact(entry, event)
        return ""

    def left(self) -> str:
        """What is wrong with leaving it for the next inference; empty when nothing is."""
        return "submitted comes again before the turn of the inference that streamed" if self._open else ""

    @property
    def _open(self) -> bool:
        return self._streaming and not self._ended

    def _begin(self) -> str:
        if self._streaming:
            return "streaming comes once for each submitted"
        self._streaming = True
        return ""

    def _restart(self, event: TurnRestarted) -> str:
        self._attempt = event.attempt
        self._complete = []
        self._closed.update(self._parts)
        return ""

    def _artifact(self, entry: Entry, event: Artifact) -> str:
        if not self._open:
            return f"{entry.kind} comes {'after its turn' if self._ended else 'before streaming'}"
        if entry.context.attempt != self._attempt:
            return f"{entry.kind} of attempt {entry.context.attempt} comes within attempt {self._attempt}"
        block = entry.context.block
        if block is not None:
            if block in self._closed:
                return f"{entry.kind} of block {block} comes after that block was closed"
            parts = self._parts.setdefault(block, [])
            if isinstance(event, TextDelta | ReasoningDelta):
                parts.append(event.content)
            elif not isinstance(event, Delta):
                self._closed.add(block)
                if isinstance(event, Text | Reasoning) and "".join(parts) not in event.content:
                    return f"block {block} showed {''.join(parts)!r} and became {event.content!r}"
        if event.persistent:
            self._complete.append(event)
        return ""

    def _end(self, event: TurnComplete) -> str:
        turn = event.turn
        if turn.role is not Role.ASSISTANT or not self._open:
            return ""
        self._ended = True
        if turn.artifacts != tuple(self._complete):
            return f"a turn holds what was told of it, in order; told: {self._complete!r}, turn: {turn.artifacts!r}"
        return ""
