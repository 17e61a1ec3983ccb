"""A conversation is compacted by itself: before it gets too long, and when the model says that it is."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from ore import Agent
from ore.artifact import Artifact, Cut, Image, StopReason, Text, ToolCall, ToolResult
from ore.errors import ContextOverflowError, LimitError, OverloadedError
from ore.ext.transforms.compaction import (
    Compaction,
    CompactionSettings,
    Strategy,
    boundary_of,
    compact,
    last_boundary,
    undo_compaction,
)
from ore.ext.transforms.compaction.showing import visible
from ore.ledger import MemoryStore, Role, Turn
from ore.models import Spec
from ore.session import Manager, Stream
from ore.testing import Recorder, check_order
from ore.tool import tool
from transforms.histories import check_vendors, texts
from transforms.narrow import Narrow
from transforms.sessions import agent, notices, shown


async def talk(stream: Stream, count: int, size: int = 60) -> None:
    """Say things that the model answers."""
    for n in range(count):
        outcome = await stream.process(f"message {n} " + "blah " * (size // 5))
        assert outcome.status == "done"


async def opened(provider: Narrow, *tools: Any, spec: Spec | None = None, **settings: Any) -> Stream:
    made = agent(provider, *tools, settings=CompactionSettings(**settings), spec=spec or Spec(name="m"))
    return await Manager(made).create()


def boundaries(stream: Stream) -> list[str]:
    return [found.strategy.value for turn in stream.turns if (found := boundary_of(turn))]


@pytest.mark.requirement("D-compaction-automatic")
@pytest.mark.parametrize("bytes_per_token", [2.0, 4.0, 6.0])
@pytest.mark.parametrize("known", [True, False], ids=["window known", "window unknown"])
async def test_an_endless_conversation_goes_on_whatever_is_known_of_the_model(
    known: bool, bytes_per_token: float
) -> None:
    """With a tokenizer that the estimate gets wrong, too; every prompt is one that vendors take."""
    provider = Narrow(1_000, bytes_per_token=bytes_per_token)
    spec = Spec(name="m", window=1_000 if known else None)
    async with await opened(provider, spec=spec) as stream, Recorder(stream) as seen:
        await talk(stream, 100)
        assert [turn.role for turn in stream.turns].count(Role.USER) == 100
        assert boundaries(stream).count("summarize") > 2
    check_order(seen.entries)
    assert max(provider.sizes) < 1_000
    assert provider.refused <= 2
    for prompt in (*provider.prompts[::9], *provider.summed_up):
        check_vendors(prompt)


@pytest.mark.requirement("D-compaction-automatic")
async def test_it_happens_at_a_share_of_the_window_by_the_model_s_own_count() -> None:
    provider = Narrow(10_000)
    async with await opened(provider, window=10_000, share=0.5, keep=0.1) as stream:
        await talk(stream, 40, size=1_000)
        assert not provider.refused
        assert 4_000 < max(provider.sizes) <= 5_000
        assert provider.sizes[-1] < 5_000
        boundary = last_boundary(stream.turns)
    assert boundary is not None and 0.8 < boundary[1].tokens_per_estimate < 1.2


@pytest.mark.requirement("D-compaction-automatic")
async def test_people_hear_of_it_in_the_message_in_which_it_happens() -> None:
    provider = Narrow(1_000)
    async with await opened(provider, window=1_000) as stream, Recorder(stream) as seen:
        await talk(stream, 30)
    told = notices(list(seen.entries))
    assert "summed up" in told[0] and "summed up" in told[1]
    assert all(entry.context.message for entry in seen.entries if entry.kind == "notice")


@pytest.mark.requirement("D-compaction-outputs", "B61")
async def test_long_outputs_of_tools_are_moved_out_before_anything_is_summed_up() -> None:
    @tool(read_only=True)
    async def read(name: str) -> str:
        """Read a file."""
        return f"begin {name} " + "é" * 4_000 + " end"

    def answer(turns: Sequence[Turn]) -> Sequence[Artifact]:
        if turns[-1].role is Role.USER:
            return (ToolCall(id="c", name="read", arguments='{"name": "a"}'),)
        return (Text(content="I have read it."),)

    provider = Narrow(8_000, answer)
    async with await opened(provider, read, window=8_000, output_bytes=200) as stream:
        await talk(stream, 6)
        assert set(boundaries(stream)) == {"move_outputs"}
        assert not provider.summed_up
        results = [one.content for turn in shown(stream) for one in turn.artifacts if isinstance(one, ToolResult)]
        whole = [one.content for turn in stream.turns for one in turn.artifacts if isinstance(one, ToolResult)]
    assert {len(content.encode()) for content in whole} == {8_012}
    short = [content for content in results if "moved out" in content]
    assert len(short) > 1
    assert all(one.startswith("begin a") and one.endswith("end") and len(one.encode()) < 450 for one in short)
    assert "of 4,012 characters" in short[0]
    check_vendors(provider.prompts[-1])


@pytest.mark.requirement("D-compaction-outputs")
async def test_what_was_moved_out_can_be_read_again() -> None:
    @tool(read_only=True)
    async def read() -> str:
        """Read a file."""
        return "".join(f"line {n}\n" for n in range(1_000))

    def answer(turns: Sequence[Turn]) -> Sequence[Artifact]:
        last = turns[-1].artifacts[0]
        if turns[-1].role is Role.USER and "look" in texts(turns)[-1]:
            cut = next(one.content for turn in turns for one in turn.artifacts if isinstance(one, ToolResult))
            id = cut.split("with the id ")[1].split()[0]
            return (ToolCall(id="r", name="read_moved_output", arguments=f'{{"id": "{id}", "offset": 4000}}'),)
        if turns[-1].role is Role.USER:
            return (ToolCall(id="c", name="read", arguments="{}"),)
        return (Text(content=last.content[:40] if isinstance(last, ToolResult) else "?"),)

    provider = Narrow(6_000, answer)
    async with await opened(provider, read, window=6_000, output_bytes=200) as stream:
        await talk(stream, 4)
        before = len(provider.prompts)
        outcome = await stream.process("look again")
        assert "line 45" in texts(outcome.turns)[-1]
    assert len(provider.prompts) == before + 2


@pytest.mark.requirement("B61", "D-compaction-outputs")
async def test_one_giant_output_is_cut_to_what_fits_and_pictures_stay() -> None:
    """Also while the answer is about it: the message ends well, and so does the next one."""
    picture = Image(data=b"\x89PNG\r\n\x1a\n", media_type="image/png")

    @tool(read_only=True, cut=Cut(max_bytes=10_000_000))
    async def giant() -> str:
        """Say much."""
        return "é" * 970_000

    def answer(turns: Sequence[Turn]) -> Sequence[Artifact]:
        called = any(turn.role is Role.TOOL for turn in turns)
        return (Text(content="done"),) if called else (ToolCall(id="c", name="giant", arguments="{}"),)

    provider = Narrow(8_000, answer)
    async with await opened(provider, giant, window=8_000) as stream:
        await stream.append_turn(Role.USER, picture)
        await talk(stream, 2)
        result = next(one for turn in shown(stream) for one in turn.artifacts if isinstance(one, ToolResult))
        kept = next(one for turn in stream.turns for one in turn.artifacts if isinstance(one, ToolResult))
        assert picture in shown(stream)[0].artifacts and set(boundaries(stream)) == {"move_outputs"}
    assert kept.content == "é" * 970_000
    assert "of 970,000 characters were moved out" in result.content
    assert 8_000 < len(result.content.encode()) < 30_000  # as much as there is room for
    assert result.content.encode().decode() == result.content
    assert max(provider.sizes) < 8_000


@pytest.mark.requirement("D-compaction-outputs")
@pytest.mark.parametrize("before", [0, 60], ids=["alone", "behind a long conversation"])
async def test_many_outputs_of_one_round_get_the_same_share_of_the_room(before: int) -> None:
    @tool(read_only=True)
    async def read(n: int) -> str:
        """Read one."""
        return f"{n} " + "x" * (1_500 if n else 10)

    def answer(turns: Sequence[Turn]) -> Sequence[Artifact]:
        if turns[-1].role is Role.TOOL or "read all" not in texts(turns)[-1]:
            return (Text(content="done"),)
        return tuple(ToolCall(id=f"c{n}", name="read", arguments=f'{{"n": {n}}}') for n in range(12))

    provider = Narrow(3_000, answer)
    async with await opened(provider, read, window=3_000) as stream:
        await talk(stream, before)
        outcome = await stream.process("read all")
        results = [one.content for turn in shown(stream) for one in turn.artifacts if isinstance(one, ToolResult)]
        assert "read all" in " ".join(texts(shown(stream)))
    assert texts([outcome.turn])[0] == "done"  # type: ignore[list-item]  # there is one
    assert (provider.refused, len(results), results[0]) == (0, 12, "0 " + "x" * 10)
    assert len({len(one) for one in results[1:]}) <= 2 and 300 < len(results[1]) < 1_200
    check_vendors(provider.prompts[-1])


@pytest.mark.requirement("D-compaction-automatic")
async def test_a_count_from_before_a_compaction_is_none_of_what_comes_behind_it() -> None:
    """Neither behind one that somebody asked for, nor behind one that was taken back."""
    provider = Narrow(1_000)
    async with await opened(provider, window=1_000) as stream:
        while not provider.sizes or provider.sizes[-1] < 700:
            await talk(stream, 1)
        await compact(stream, keep_turns=12)
        asked = len(provider.summed_up)
        await talk(stream, 1, size=400)
        assert len(provider.summed_up) == asked
        await undo_compaction(stream)
        await talk(stream, 1)
        assert provider.refused == 0 and len(provider.summed_up) > asked


async def test_when_only_a_question_goes_that_was_kept_the_other_turns_stay_hidden() -> None:
    @tool(read_only=True)
    async def step(n: int) -> str:
        """Go on."""
        return f"step {n} " + "x" * 300

    def answer(turns: Sequence[Turn]) -> Sequence[Artifact]:
        done = next((one.content for one in turns[-1].artifacts if isinstance(one, ToolResult)), "step 0 ")
        n = int(done.split()[1]) + 1
        return (Text(content="done"),) if n > 12 else (ToolCall(id=f"c{n}", name="step", arguments=f'{{"n": {n}}}'),)

    async with await opened(Narrow(1_000, answer), step, window=1_000) as stream:
        await stream.process("the question")
        before = last_boundary(stream.turns)
        assert before is not None and before[1].pinned == stream.turns[0].id
        count = len(visible(stream.turns))
        after = await compact(stream, keep_turns=count - 1)
        assert after is not None and after.pinned is None
        assert after.compacted_through == before[1].compacted_through
        assert len(visible(stream.turns)) == count - 1
        assert "the question" not in " ".join(texts(shown(stream))[1:])
        check_vendors(shown(stream)[:-1])


@pytest.mark.requirement("D-compaction-automatic")
async def test_in_a_long_message_its_question_and_its_last_calls_stay() -> None:
    """Forty rounds of calls for one question, in a window for a few of them."""

    @tool(read_only=True)
    async def step(n: int) -> str:
        """Go on."""
        return f"step {n} " + "x" * 300

    def answer(turns: Sequence[Turn]) -> Sequence[Artifact]:
        done = next((one.content for one in turns[-1].artifacts if isinstance(one, ToolResult)), "step 0 ")
        n = int(done.split()[1]) + 1
        if n > 40:
            return (Text(content="all done"),)
        return tuple(ToolCall(id=f"c{n}{k}", name="step", arguments=f'{{"n": {n}}}') for k in "ab")

    provider = Narrow(1_500, answer)
    async with await opened(provider, step, window=1_500) as stream, Recorder(stream) as seen:
        outcome = await stream.process("the question")
    assert texts(outcome.turns)[-1] == "all done"
    assert len(provider.summed_up) > 2
    check_order(seen.entries)
    for prompt in provider.prompts:
        assert any("the question" in text for text in texts(prompt)[:2])
        check_vendors(prompt)


@pytest.mark.requirement("D-compaction-automatic", "D-compaction-refused")
@pytest.mark.parametrize(
    "summary",
    [
        pytest.param((Text(content="They"), StopReason(reason="length")), id="cut"),
        pytest.param((StopReason(reason="stop"),), id="empty"),
        pytest.param((OverloadedError("busy"),), id="error"),
        pytest.param((ContextOverflowError("too long"),), id="too long"),
    ],
)
async def test_without_a_summary_it_goes_on_while_there_is_room_and_then_leaves_out_the_oldest(
    summary: Sequence[Artifact | Exception],
) -> None:
    provider = Narrow(1_000, summary=summary)
    async with await opened(provider, window=1_000) as stream, Recorder(stream) as seen:
        await talk(stream, 90)
        kinds = boundaries(stream)
        assert set(kinds) == {"leave_out"} and len(kinds) > 1
        assert 800 < max(provider.sizes) <= 880  # beyond the share, but with room for an answer
        left = texts(shown(stream))[0]
    assert "no summary" in left and "not shown any more" in left
    assert 1 <= len(provider.summed_up) <= 2 * len(kinds)  # not with each message
    assert any("there is no summary of it" in notice for notice in notices(list(seen.entries)))
    check_order(seen.entries)


@pytest.mark.requirement("D-compaction-automatic")
async def test_a_message_that_is_too_long_by_itself_fails_and_the_next_one_is_answered() -> None:
    provider = Narrow(1_000)
    async with await opened(provider, window=1_000) as stream, Recorder(stream) as seen:
        await talk(stream, 3)
        with pytest.raises(ContextOverflowError):
            await stream.process("blah " * 4_000)
        await talk(stream, 3)
    assert seen.kinds.count("error") == 1
    check_order(seen.entries)


async def test_a_refusal_behind_the_first_words_is_not_tried_again() -> None:
    provider = Narrow(1_000, lambda turns: (Text(content="I"), ContextOverflowError("too long")))
    async with await opened(provider) as stream:
        with pytest.raises(ContextOverflowError):
            await stream.process("hi")
    assert len(provider.prompts) == 1


async def test_a_summary_counts_for_what_a_message_may_use() -> None:
    provider = Narrow(1_000)
    talker = Agent(provider, spec=Spec(name="m", window=1_000), extensions=[Compaction()])
    async with talker.session("s", store=MemoryStore()) as conversation:
        used = 0
        for n in range(30):
            result = await conversation.run(f"message {n} " + "blah " * 12)
            own = [turn for turn in result.turns if turn.role is Role.SYSTEM]
            used += result.usage.total_tokens or 0
            if own:
                assert len(provider.summed_up) == 1
                assert result.usage.total_tokens > provider.sizes[-1] * 2 - 400  # type: ignore[operator]  # it is known
                break
        assert conversation.usage.total_tokens == used


async def test_an_interrupt_while_it_is_summed_up_changes_nothing() -> None:
    hold = asyncio.Event()

    class Slow(Narrow):
        async def invoke(self, state: Any, spec: Spec, *options: Any) -> Any:
            if "handover" in texts(state.turns)[-1]:
                reached.set()
                await hold.wait()
            async for batch in super().invoke(state, spec, *options):
                yield batch

    reached = asyncio.Event()
    provider = Slow(1_000)
    async with asyncio.timeout(10), await opened(provider, window=1_000) as stream, Recorder(stream) as seen:
        ticket = None
        for n in range(30):
            ticket = stream.submit(f"message {n} " + "blah " * 12)
            await asyncio.wait(
                [asyncio.ensure_future(ticket), asyncio.create_task(reached.wait())],
                return_when=asyncio.FIRST_COMPLETED,
            )
            if reached.is_set():
                break
        await stream.interrupt()
        assert ticket is not None and (await ticket).status == "cancelled"
        assert boundaries(stream) == []
        hold.set()
        await talk(stream, 3)
        assert boundaries(stream) == ["summarize"]
    check_order(seen.entries)


async def test_a_limit_is_told_where_it_is_passed() -> None:
    """A handler that stops the message stops it at the summary as well."""

    class Stop:
        async def handle(self, artifact: Artifact, emitter: Any) -> None:
            if boundary_of(Turn(id="t", role=Role.SYSTEM, artifacts=(artifact,))):
                raise LimitError("no more")

    provider = Narrow(1_000)
    made = agent(provider, settings=CompactionSettings(window=1_000), handlers=[Stop()])
    async with await Manager(made).create() as stream:
        with pytest.raises(LimitError):
            await talk(stream, 60)


def test_strategies_are_words() -> None:
    assert [strategy.value for strategy in Strategy] == ["move_outputs", "summarize", "leave_out"]
