"""However often a conversation is compacted, taken back and read again: undoing brings back the very same turns."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ore.artifact import Text
from ore.ext.stores.sqlite import SqliteStore
from ore.ext.transforms.compaction import boundary_of, compact, undo_compaction
from ore.ledger import Role, Thread, Turn
from ore.session import Manager, Stream
from ore.testing import ScriptedProvider
from transforms.histories import check_vendors, conversation, says
from transforms.sessions import agent, session, shown

STEPS = st.lists(st.one_of(st.just("say"), st.just("undo"), st.integers(0, 12)), max_size=9)


def said(stream: Stream) -> list[Turn]:
    """All that was said, whatever a model is shown of it."""
    return [turn for turn in stream.history.all_turns if boundary_of(turn) is None]


async def play(stream: Stream, steps: Sequence[str | int]) -> list[Sequence[Turn]]:
    """Do all of it; what was shown before each compaction that still holds."""
    before: list[Sequence[Turn]] = []
    for step in steps:
        if step == "say":
            await stream.process("go on")
        elif step == "undo":
            assert await undo_compaction(stream) is bool(before)
            if before:
                back, now = before.pop(), shown(stream)
                assert list(now[: len(back)]) == list(back)  # what was said since stands behind it
        else:
            view = shown(stream)
            if await compact(stream, keep_turns=int(step)) is not None:
                before.append(view)
        check_vendors([*shown(stream), Turn(id="next", role=Role.USER, artifacts=says("and now?"))])
    return before


@pytest.mark.requirement("D-compaction-undo", "D-compaction-cuts")
@given(steps=STEPS)
@settings(max_examples=12)
def test_each_undo_shows_what_was_shown_before_and_the_last_one_all_that_was_said(steps: list[str | int]) -> None:
    async def run() -> None:
        provider = ScriptedProvider([Text(content="a text")], repeat=True)
        async with await session(conversation(2), provider) as stream:
            before = await play(stream, steps)
            for _ in before:
                assert await undo_compaction(stream)
            assert not await undo_compaction(stream)
            assert all(one is other for one, other in zip(shown(stream), said(stream), strict=True))

    asyncio.run(run())


@pytest.mark.requirement("D-compaction-undo")
async def test_what_another_process_compacted_comes_back_the_same(tmp_path: Path) -> None:
    provider = ScriptedProvider([Text(content="a summary")], repeat=True)
    thread: Thread = conversation(2)
    store = SqliteStore(tmp_path / "ore.db")
    async with await session(thread, provider, store=store) as stream:
        before = list(stream.turns)
        assert await compact(stream, keep_turns=4)
    again = SqliteStore(tmp_path / "ore.db")
    async with Manager(agent(provider), again) as manager:
        stream = await manager.attach("s")
        assert len(shown(stream)) < len(before)
        assert await undo_compaction(stream)
        assert shown(stream) == before
    await store.aclose()
    await again.aclose()
