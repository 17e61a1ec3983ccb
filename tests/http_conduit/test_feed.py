"""What the lines of one message tell when their reader fell behind."""

import json

import pytest

from ore.artifact import Artifact, Block, Blocks, StopReason, TextDelta
from ore.event import EventContext, Lifecycle
from ore.ext.conduits.http.feed import MessageFeed
from ore.ledger import Outcome
from ore.loop import EventBus
from ore.session import Ticket

ENVELOPE = EventContext(message="m")


@pytest.mark.requirement("B82")
async def test_fragments_that_a_late_reader_missed_come_as_the_whole_text_whatever_kinds_it_wants() -> None:
    bus = EventBus(window_bytes=2000)
    reader = bus.subscribe("text_delta", "lifecycle", "error", "gap")
    feed = MessageFeed(reader, Ticket("m"), ("text_delta", "error"), "1-0")

    def publish(artifact: Artifact, block: Block | None) -> None:
        bus.emit(artifact, block=block, context=ENVELOPE)

    blocks = Blocks("t", publish)
    for number in range(50):
        blocks.add(TextDelta(content=f"{number} "))
    blocks.add(StopReason(reason="stop"))
    bus.emit(Lifecycle(phase="done", outcome=Outcome.DONE), context=ENVELOPE)

    told = [json.loads(line) for line in (await feed.next() or b"").splitlines()]
    assert [line["kind"] for line in told] == ["text", "lifecycle"]
    assert told[0]["content"] == "".join(f"{number} " for number in range(50))
