"""What tests of tools stand on."""

from collections.abc import Sequence
from typing import Any

import pytest

from ore.artifact import Artifact
from ore.event import Emitter, Event
from ore.ledger import Buffer, Draft, Operation, Record, State, Turn


class Heard:
    """An emitter that keeps what it was told."""

    def __init__(self, events: list[Event | Artifact]) -> None:
        self.state: State = Buffer(meta={"user": "ada"})
        self.options: Sequence[Any] = ()
        self.events = events

    def emit(self, event: Event | Artifact, *, value: Any = None) -> None:
        self.events.append(event)

    async def record(self, draft: Draft, *records: Record) -> Turn:
        raise NotImplementedError

    async def journal(self, *records: Record) -> None:
        raise NotImplementedError

    async def set_metadata(self, operations: Sequence[Operation]) -> None:
        raise NotImplementedError


@pytest.fixture
def events() -> list[Event | Artifact]:
    """What was emitted."""
    return []


@pytest.fixture
def emitter(events: list[Event | Artifact]) -> Emitter:
    return Heard(events)
