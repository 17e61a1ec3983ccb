"""Readers that join while a message runs: the snapshot has what a reader from the beginning was shown."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from ore.app import Agent
from ore.artifact import Image, ReasoningDelta, Restart, TextDelta, ToolCall, ToolCallDelta
from ore.event import Entry, Snapshot, snapshot_json
from ore.session import Manager, SessionLimits, Stream
from ore.testing import Item, ScriptedProvider
from ore.tool import ToolContext, tool

Shown = dict[tuple[Any, ...], Any]


def child_call(index: int) -> Sequence[ToolCallDelta]:
    return (ToolCallDelta(index=index, id=f"c{index}", name="helper", arguments='{"prompt": "go"}'),)


PARENT: Sequence[Sequence[Item]] = (
    [
        *(ReasoningDelta(content="Hm. "), ReasoningDelta(content="So."), TextDelta(content="Half an answer.")),
        Restart(attempt=2),
        *(ReasoningDelta(content="Again."), TextDelta(content="I look"), TextDelta(content=" around.")),
        Image(media_type="image/png", url="https://example.org/a.png"),
        TextDelta(content="Both at once."),
        ToolCallDelta(index=0, id="c0", name="look", arguments='{"place": "left"}'),
        *child_call(1),
    ],
    [TextDelta(content="Seen "), TextDelta(content="all.")],
)
CHILD: Sequence[Sequence[Item]] = (
    [TextDelta(content="The child "), TextDelta(content="begins."), ToolCall(id="d", name="look", arguments="{}")],
    [TextDelta(content="Half"), Restart(attempt=2), ReasoningDelta(content="Well."), TextDelta(content="It is done.")],
)


@tool
async def look(context: ToolContext, place: str = "here") -> str:
    """Look somewhere."""
    for number in range(3):
        context.progress(f"{number}")
        await asyncio.sleep(0)
    return f"{place}: nothing"


def agent() -> Agent:
    helper = Agent(ScriptedProvider(*CHILD, repeat=True), name="helper", description="Helps.", tools=[look])
    return Agent(ScriptedProvider(*PARENT, repeat=True), tools=[look, helper.as_tool()])


@pytest.mark.parametrize("window_bytes", [1 << 20, 2_000])
async def test_whoever_joins_anywhere_in_a_message_is_shown_what_a_reader_from_the_beginning_was(
    window_bytes: int,
) -> None:
    """Also when the window holds only a part of the message."""
    async with Manager(agent().spec(), limits=SessionLimits(window_bytes=window_bytes)) as sessions:
        stream = await sessions.create()
        seen, snapshots = await _watched(stream)
    assert len(snapshots) > 20
    shown: Shown = {}
    most = 0
    for entries, snapshot in zip(seen, snapshots, strict=True):
        for entry in entries:
            _fold(shown, json.loads(entry.json))
        assert _of(snapshot) == shown
        most = max(most, len(shown))
    assert most > 6
    assert not snapshots[-1].blocks
    assert not snapshots[-1].activities


async def test_what_is_going_on_stands_in_the_snapshot() -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    @tool
    async def wait(context: ToolContext) -> str:
        """Wait."""
        context.progress("waiting")
        begun.set()
        await go_on.wait()
        return "over"

    calls = [ToolCall(id="c", name="wait", arguments="{}")]
    waiting = Agent(ScriptedProvider(calls, [TextDelta(content="ok")]), tools=[wait])
    async with Manager(waiting.spec()) as sessions:
        stream = await sessions.create()
        ticket = stream.submit("go")
        async with asyncio.timeout(5):
            await begun.wait()
        [activity] = stream.snapshot().activities
        assert (activity.id, activity.description) == (f"{stream.turns[-1].id}:0", "waiting")
        go_on.set()
        await ticket
        assert stream.snapshot().activities == ()


async def _watched(stream: Stream) -> tuple[list[Sequence[Entry]], list[Snapshot]]:
    """What a prompt reader gets of a message, batch by batch, with the state behind each."""
    seen: list[Sequence[Entry]] = []
    snapshots: list[Snapshot] = []
    async with asyncio.timeout(10), stream.subscribe(policy="block") as reader, asyncio.TaskGroup() as group:
        ticket = stream.submit("go")
        group.create_task(_ended(stream))
        while not (seen and ticket.outcome is not None and not seen[-1]):
            batch = await reader.next_batch()
            assert batch is not None
            seen.append(batch)
            snapshots.append(stream.snapshot())
            assert snapshots[-1].id == batch[-1].id
            if any(entry.kind == "lifecycle" and json.loads(entry.json).get("outcome") for entry in batch):
                break
    return seen, snapshots


async def _ended(stream: Stream) -> None:
    await stream.idle()


def _of(snapshot: Snapshot) -> Shown:
    found: Shown = {}
    for one in json.loads(snapshot_json(snapshot))["blocks"]:
        path = tuple(one.get("path", ()))
        artifact = one["artifact"]
        found[_key(artifact["kind"], path, one.get("block"))] = (_content(artifact), one.get("open", True))
    return found


def _fold(shown: Shown, event: Mapping[str, Any]) -> None:
    """What a page does with an event."""
    kind, context = event["kind"], event["context"]
    path, block = tuple(context.get("path", ())), context.get("block")
    if kind.endswith("_delta"):
        key = _key(kind.removesuffix("_delta"), path, block)
        shown[key] = (shown.get(key, ("", True))[0] + _content(event), True)
    elif kind in ("text", "reasoning", "tool_call", "tool_result", "image"):
        shown[_key(kind, path, block)] = (_content(event), False)
    elif kind == "turn_complete" and not path:
        _recorded(shown, event["turn"])
    elif kind == "turn_restarted":
        _restarted(shown, path)
    elif kind == "lifecycle" and event["phase"] == "done":
        shown.clear()


def _recorded(shown: Shown, turn: Mapping[str, Any]) -> None:
    for key in [*shown]:
        _, path, block = key
        if turn["role"] == "tool" and path:
            del shown[key]
        if turn["role"] == "assistant" and not path and (block or f"{turn['id']}:").startswith(f"{turn['id']}:"):
            del shown[key]


def _restarted(shown: Shown, path: tuple[str, ...]) -> None:
    blocks = [key for key in shown if key[1] == path and key[2]]
    for key in blocks:
        if _turn(key) == _turn(blocks[-1]):
            del shown[key]


def _turn(key: tuple[Any, ...]) -> str:
    turn: str = key[2].rpartition(":")[0]
    return turn


def _key(kind: str, path: tuple[str, ...], block: str | None) -> tuple[Any, ...]:
    return ("result" if kind == "tool_result" else "shown", path, block)


def _content(artifact: Mapping[str, Any]) -> str:
    found: str = artifact.get("content") or artifact.get("arguments") or artifact.get("url") or ""
    return found
