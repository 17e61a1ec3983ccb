"""A conversation that somebody compacts: what the model is shown then, what stays, and what changes nothing."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from ore import Agent
from ore.agent import AgentSpec
from ore.artifact import Reasoning, StopReason, Text, ToolCall, Usage
from ore.errors import (
    ConflictError,
    ContextOverflowError,
    InputError,
    OreError,
    OutputLimitError,
    OverloadedError,
    ProtocolError,
)
from ore.event import TurnComplete, UserMessage
from ore.ext.stores.sqlite import SqliteStore
from ore.ext.transforms.compaction import (
    Compaction,
    CompactionSettings,
    Strategy,
    boundary_of,
    compact,
    undo_compaction,
)
from ore.ledger import MemoryStore, Role, Thread
from ore.models import Spec
from ore.session import Intercepted, Manager, Stream
from ore.testing import Recorder, ScriptedProvider, check_order
from ore.testing.scripted import Item
from transforms.histories import check_vendors, conversation, texts
from transforms.sessions import agent, session, shown

SUMMARY = [Text(content="They asked three questions."), Usage(prompt_tokens=50, completion_tokens=9, total_tokens=59)]


@pytest.mark.requirement("D-compaction")
async def test_the_model_is_shown_a_summary_in_the_place_of_what_was_said_and_is_told_so() -> None:
    provider = ScriptedProvider(SUMMARY, [Text(content="fine")])
    async with await session(conversation(), provider) as stream:
        done = await compact(stream)
        assert done is not None
        assert (done.strategy, done.dropped_turn_count, done.model) == (Strategy.SUMMARIZE, 21, "scripted:m")
        assert done.compacted_through == stream.turns[-2].id
        await stream.process("and now?")
    told, question = texts(provider.invocations[1].turns)
    assert told.endswith("They asked three questions.")
    assert "compacted" in told and "21 turns" in told
    assert question == "and now?"
    assert [turn.role for turn in provider.invocations[1].turns] == [Role.USER, Role.USER]


@pytest.mark.requirement("D-compaction")
async def test_the_request_for_it_is_the_conversation_as_it_was_sent_before_and_one_question() -> None:
    """So a vendor's prompt cache still holds, and one that looks at the pairs takes it."""
    provider = ScriptedProvider([Text(content="hello")], SUMMARY)
    asking = Agent(provider, instructions="Be brief.", extensions=[Compaction()])
    async with asking.session("s", store=MemoryStore()) as conversation:
        await conversation.run("hi")
        await compact(conversation.handle, focus="the greeting")
    first, second = provider.invocations
    assert texts(second.turns)[:3] == ["Be brief.", "hi", "hello"]
    assert len(second.turns) == 4
    assert "handover" in texts(second.turns)[3] and "the greeting" in texts(second.turns)[3]
    assert first.turns[0] is second.turns[0]
    assert second.spec.max_output_tokens == 4_096


@pytest.mark.requirement("D-compaction")
async def test_every_turn_stays_in_its_place_and_the_summary_stands_behind_them() -> None:
    async with await session(conversation(), ScriptedProvider(SUMMARY)) as stream:
        before = list(stream.turns)
        done = await compact(stream)
        *kept, last = stream.turns
    assert kept == before
    assert last.role is Role.SYSTEM
    assert last.artifacts == (SUMMARY[0], done, SUMMARY[1])
    assert boundary_of(last) == done


REFUSED: dict[str, tuple[Sequence[Item], type[OreError]]] = {
    "cut": ([Text(content="They ask"), StopReason(reason="length")], OutputLimitError),
    "cut before a word": ([Reasoning(content="hm"), StopReason(reason="length")], OutputLimitError),
    "empty": ([Text(content=" \n"), StopReason(reason="stop")], ProtocolError),
    "only thinking": ([Reasoning(content="hm")], ProtocolError),
    "a call": ([ToolCall(id="c", name="look", arguments="{}")], ProtocolError),
    "a refusal": ([Text(content="I cannot."), StopReason(reason="refusal")], ProtocolError),
    "an error": ([OverloadedError("busy")], OverloadedError),
    "an error in its middle": ([Text(content="They ask"), OverloadedError("busy")], OverloadedError),
}


@pytest.mark.requirement("D-compaction-refused")
@pytest.mark.parametrize("name", REFUSED)
async def test_a_summary_that_is_none_changes_nothing(name: str) -> None:
    items, error = REFUSED[name]
    async with await session(conversation(), ScriptedProvider(items)) as stream:
        before, facts = list(stream.turns), stream.metadata.all()
        with pytest.raises(error):
            await compact(stream)
        assert (list(stream.turns), shown(stream), stream.metadata.all()) == (before, before, facts)


async def test_nothing_is_asked_of_an_empty_conversation() -> None:
    provider = ScriptedProvider()
    async with await session(Thread(), provider) as stream:
        assert await compact(stream) is None
        assert not provider.invocations
        assert await undo_compaction(stream) is False


@pytest.mark.requirement("D-compaction-undo")
async def test_undoing_it_brings_back_the_very_same_turns() -> None:
    async with await session(conversation(), ScriptedProvider(SUMMARY)) as stream:
        before = list(stream.turns)
        await compact(stream, keep_turns=5)
        assert await undo_compaction(stream) is True
        assert all(one is other for one, other in zip(stream.turns, before, strict=True))
        assert all(one is other for one, other in zip(shown(stream), before, strict=True))
        assert await undo_compaction(stream) is False


@pytest.mark.requirement("D-compaction-undo")
async def test_undoing_it_later_brings_back_what_was_said_and_keeps_what_was_said_since() -> None:
    """Each undo takes back one compaction, the last one first."""
    answers: list[Sequence[Item]] = [
        SUMMARY,
        [Text(content="one")],
        [Text(content="A second summary.")],
        [Text(content="two")],
    ]
    async with await session(conversation(1), ScriptedProvider(*answers)) as stream:
        await compact(stream)
        await stream.process("first")
        await compact(stream)
        await stream.process("second")
        assert texts(shown(stream))[1:] == ["second", "two"]
        assert "A second summary." in texts(shown(stream))[0]
        await undo_compaction(stream)
        assert texts(shown(stream))[1:] == ["first", "one", "second", "two"]
        assert "They asked" in texts(shown(stream))[0]
        await undo_compaction(stream)
        assert [turn for turn in shown(stream) if turn.role is not Role.SYSTEM] == shown(stream)
        assert texts(shown(stream))[-4:] == ["first", "one", "second", "two"]
        assert len(shown(stream)) == 7 + 4


@pytest.mark.requirement("D-compaction-undo")
async def test_a_tip_before_what_was_compacted_shows_all_of_it_and_one_behind_it_the_summary() -> None:
    async with await session(conversation(), ScriptedProvider(SUMMARY, [Text(content="fine")])) as stream:
        whole = list(stream.turns)
        await compact(stream)
        await stream.process("and now?")
        await stream.history.undo()
        assert len(shown(stream)) == 1
        await stream.history.set_tip(whole[6].id)
        assert shown(stream) == whole[:7]


@pytest.mark.requirement("D-compaction-queue")
async def test_what_waits_goes_on_waiting_and_comes_in_its_order() -> None:
    hold = asyncio.Event()
    provider = ScriptedProvider([Text(content="a"), hold], SUMMARY, [Text(content="b")], [Text(content="c")])
    async with asyncio.timeout(5), await session(conversation(1), provider) as stream, Recorder(stream) as seen:
        tickets = [stream.submit(UserMessage(content=text, id=text)) for text in ("first", "second", "third")]
        await seen.until("text")
        queue = stream.snapshot().queue
        done = asyncio.create_task(compact(stream))
        await seen.until(lambda entry: isinstance(entry.event, TurnComplete) and entry.event.turn.role is Role.SYSTEM)
        assert stream.snapshot().queue == queue
        hold.set()
        assert [(await ticket).status for ticket in tickets] == ["done"] * 3
        boundary = await done
        said = [text for text in texts(stream.turns) if text in ("first", "second", "third")]
    assert boundary is not None and said == ["first", "second", "third"]
    assert [len(asked.turns) for asked in provider.invocations][2:] == [4, 6]  # the summary, what is answered, the rest
    check_order(seen.entries)


async def test_what_is_being_worked_on_is_not_summed_up_away() -> None:
    """A message that runs keeps its question, and its open calls with what comes of them."""
    hold = asyncio.Event()
    provider = ScriptedProvider([Text(content="a"), hold], SUMMARY)
    async with asyncio.timeout(5), await session(conversation(1), provider) as stream, Recorder(stream) as seen:
        ticket = stream.submit("the question")
        await seen.until("text")
        await compact(stream)
        hold.set()
        await ticket
        assert texts(shown(stream))[1:] == ["the question", "a"]


@pytest.mark.requirement("D-compaction")
async def test_an_interceptor_can_do_it() -> None:
    class Command:
        async def intercept(self, stream: Stream, message: UserMessage) -> Intercepted:
            if message.content[0] == Text(content="/compact"):
                await compact(stream)
                return Intercepted(message=None)
            return Intercepted(message=message)

    provider = ScriptedProvider([Text(content="hello")], SUMMARY, [Text(content="fine")])
    stream = await Manager(agent(provider), interceptors=[Command()]).create()
    async with stream, Recorder(stream) as seen:
        for text in ("hi", "/compact", "and now?"):
            await stream.process(text)
    assert texts(provider.invocations[2].turns)[1:] == ["and now?"]
    check_order(seen.entries)


@pytest.mark.requirement("D-compaction")
async def test_what_was_stored_and_loaded_shows_the_same_bytes(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "s.db"))
    provider = ScriptedProvider(SUMMARY)
    async with await session(conversation(long=5_000), provider, store=store, output_bytes=100) as stream:
        done = await compact(stream, keep_turns=10)
        before = shown(stream)
    manager = Manager(agent(provider), store)
    async with await manager.attach("s") as again:
        assert shown(again) == before
        assert boundary_of(again.turns[-1]) == done
        check_vendors(shown(again)[:-1])
    await manager.aclose()


async def test_the_same_turns_are_shown_each_time() -> None:
    """What a wire encoded of them stays good."""
    async with await session(conversation(long=5_000), ScriptedProvider(SUMMARY)) as stream:
        await compact(stream, keep_turns=10)
        assert all(one is other for one, other in zip(shown(stream), shown(stream), strict=True))


async def test_an_agent_without_it_says_what_is_missing() -> None:
    stream = await Manager(AgentSpec(name="plain", provider=ScriptedProvider(), spec=Spec(name="m"))).create()
    async with stream:
        with pytest.raises(InputError, match="no Compaction"):
            await compact(stream)


async def test_it_is_not_undone_while_a_message_runs() -> None:
    hold = asyncio.Event()
    provider = ScriptedProvider(SUMMARY, [Text(content="a"), hold])
    async with asyncio.timeout(5), await session(conversation(1), provider) as stream, Recorder(stream) as seen:
        await compact(stream)
        ticket = stream.submit("go on")
        await seen.until("text")
        with pytest.raises(ConflictError):
            await undo_compaction(stream)
        hold.set()
        await ticket


async def test_a_failure_inside_an_interceptor_is_told_once() -> None:
    class Command:
        async def intercept(self, stream: Stream, message: UserMessage) -> Intercepted:
            await compact(stream)
            return Intercepted(message=None)

    provider = ScriptedProvider([ContextOverflowError("too long")], [ContextOverflowError("too long")])
    stream = await Manager(agent(provider), interceptors=[Command()]).create()
    await stream.history.load(conversation().turns)
    async with stream, Recorder(stream) as seen:
        with pytest.raises(ContextOverflowError):
            await stream.process("/compact")
    assert seen.kinds.count("error") == 1
    check_order(seen.entries)


@pytest.mark.parametrize("fields", [{"share": 0.2}, {"keep": 0.0}, {"share": 1.5}, {"window": 0}, {"output_bytes": 0}])
def test_settings_that_leave_nothing_are_refused(fields: dict[str, float]) -> None:
    with pytest.raises(InputError):
        CompactionSettings(**fields)  # type: ignore[arg-type]  # some are wrong


async def test_turns_to_keep_are_counted_from_zero() -> None:
    async with await session(conversation(), ScriptedProvider()) as stream:
        with pytest.raises(InputError, match="keep_turns"):
            await compact(stream, keep_turns=-1)
