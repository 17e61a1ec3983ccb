"""What is shown of a session is the same, whenever somebody came and whatever the line did."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ore import Agent, tool
from ore.app import live_sessions
from ore.artifact import ReasoningDelta, StopReason, Text, TextDelta, ToolCall, ToolCallDelta, Usage
from ore.event import Entry, EventContext, Gap, Lifecycle, Snapshot, TurnComplete, TurnRestarted
from ore.ext.conduits.terminal.conversation import Conversation
from ore.ext.conduits.terminal.folding import fold
from ore.ledger import MemoryStore, Role, Turn, TurnStatus
from ore.testing import ScriptedProvider
from terminal.scene import until


def told(view: Conversation) -> list[Any]:
    """What a screen shows, apart from times."""
    return [
        (
            cell.kind.value,
            cell.text,
            cell.is_open,
            cell.mark,
            None
            if cell.call is None
            else (cell.call.name, cell.call.arguments, cell.call.result and cell.call.result.content),
        )
        for cell in view.cells
    ]


@tool
def weather(city: str) -> str:
    """Weather."""
    return f"{city}: fine"


async def lived() -> tuple[Sequence[Snapshot], Sequence[Entry]]:
    """Snapshots of moments of a session's life, and all that happened in it."""
    holds = [asyncio.Event() for _ in range(5)]
    calls: list[Any] = [
        ReasoningDelta(content="Let me "), holds[0], ReasoningDelta(content="see."), TextDelta(content="I look "),
        holds[1], TextDelta(content="it up."),
        ToolCallDelta(index=0, id="a", name="weather", arguments='{"city": '), holds[2],
        ToolCallDelta(index=1, id="b", name="weather", arguments='{"city": "Faro"}'),
        ToolCallDelta(index=0, arguments='"Porto"}'), Usage(prompt_tokens=5), StopReason(reason="tool_use"),
    ]  # fmt: skip
    answer: list[Any] = [TextDelta(content="Fine "), holds[3], TextDelta(content="in both."), holds[4]]
    agent = Agent(ScriptedProvider(calls, answer), tools=[weather])
    async with live_sessions([agent], store=MemoryStore()) as sessions:
        stream = await sessions.open("s1")
        reader = stream.subscribe(after="")
        snapshots: list[Snapshot] = [stream.snapshot()]
        entries: list[Entry] = []

        def came(before: int) -> bool:
            entries.extend(reader.take())
            return len(entries) > before

        stream.submit("Weather?")
        for hold in holds:
            await until(partial(came, len(entries)))
            for _ in range(20):
                await asyncio.sleep(0)
            entries.extend(reader.take())
            snapshots.append(stream.snapshot())
            hold.set()
        await stream.idle()
        entries.extend(reader.take())
        snapshots.append(stream.snapshot())
        return snapshots, entries


def place(id: str) -> tuple[int, int]:
    epoch, _, number = id.partition("-")
    return int(epoch), int(number)


async def test_whoever_comes_at_any_moment_sees_what_those_see_who_were_there() -> None:
    snapshots, entries = await lived()
    whole = Conversation()
    whole.load(snapshots[0])
    fold(whole, entries)
    assert [kind for kind, *_ in told(whole)] == ["user", "thinking", "text", "call", "call", "text"]
    for snapshot in snapshots:
        late, there = Conversation(), Conversation()
        late.load(snapshot)
        there.load(snapshots[0])
        fold(there, [entry for entry in entries if place(entry.id) <= place(snapshot.id)])
        assert told(late) == told(there)
        fold(late, entries)  # those before the snapshot change nothing
        assert told(late) == told(whole)
        assert (late.phase, late.running, late.cursor) == (whole.phase, whole.running, whole.cursor)


async def test_a_gap_in_the_middle_brings_what_was_missed_and_cells_stay_the_same_objects() -> None:
    snapshots, entries = await lived()
    whole = Conversation()
    whole.load(snapshots[0])
    fold(whole, entries)
    for snapshot in snapshots[1:]:
        view = Conversation()
        view.load(snapshots[0])
        fold(view, entries[:3])
        before = list(view.cells)
        fold(view, [Entry(*place(snapshot.id), "gap", EventContext(), Gap(snapshot=snapshot))])
        assert all(any(cell is one for one in view.cells) for cell in before if cell.kind == "user")
        fold(view, entries)
        assert told(view) == told(whole)


ARTIFACTS = st.sampled_from(
    [
        TextDelta(content="a"), ReasoningDelta(content="b"), ToolCallDelta(index=0, id="c", name="f", arguments="{}"),
        Text(content="aa"), ToolCall(id="c", name="f", arguments="{}"), Usage(prompt_tokens=1),
        StopReason(reason="stop"),
    ]
)  # fmt: skip


@st.composite
def logs(draw: st.DrawFn) -> list[Entry]:
    """Events in any order that a wire could bring, sensible or not."""
    found = []
    for number in range(draw(st.integers(0, 25))):
        block = draw(st.sampled_from([None, "t1:1", "t1:2", "t2:1"]))
        path = draw(st.sampled_from([None, None, ("t1:0",)]))
        context = EventContext(message=draw(st.sampled_from(["m1", "m2", None])), block=block, path=path)
        turn = Turn(id=draw(st.sampled_from(["t1", "t2"])), role=Role.ASSISTANT, artifacts=(Text(content="aa"),))
        event = draw(
            st.one_of(
                ARTIFACTS,
                st.sampled_from([Lifecycle(phase="queued"), Lifecycle(phase="streaming"), Lifecycle(phase="done")]),
                st.just(TurnComplete(turn=turn)),
                st.just(TurnRestarted(attempt=2)),
            )
        )
        found.append(Entry(1, number + 1, event.kind, context, event))
    return found


@given(logs(), st.integers(1, 5))
def test_events_that_are_told_again_and_in_other_pieces_change_nothing(entries: list[Entry], size: int) -> None:
    once, again = Conversation(), Conversation()
    fold(once, entries)
    for at in range(0, len(entries), size):
        fold(again, entries[max(at - size, 0) : at + size])
    assert told(once) == told(again)
    assert len({cell.key for cell in once.cells}) == len(once.cells)


def test_an_attempt_that_failed_leaves_nothing_behind() -> None:
    view = Conversation()
    context = EventContext(message="m", block="t1:1")
    fold(view, [Entry(1, 1, "text_delta", context, TextDelta(content="wrong"))])
    fold(view, [Entry(1, 2, "turn_restarted", EventContext(message="m"), TurnRestarted(attempt=2))])
    assert told(view) == []
    fold(view, [Entry(1, 3, "text_delta", context, TextDelta(content="right"))])
    turn = Turn(id="t1", role=Role.ASSISTANT, artifacts=(Text(content="right"),), status=TurnStatus.INTERRUPTED)
    fold(view, [Entry(1, 4, "turn_complete", EventContext(message="m"), TurnComplete(turn=turn))])
    assert told(view) == [("text", "right", False, "interrupted", None)]
