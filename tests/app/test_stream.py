"""Reading an answer as it comes."""

import asyncio

import pytest

from app.script import answer, call, until
from ore import Agent, Run
from ore.artifact import Restart, Text, TextDelta
from ore.errors import ProviderError
from ore.event import Lifecycle
from ore.ledger import MemoryStore, Outcome, TurnStatus
from ore.testing import ScriptedProvider


@pytest.mark.requirement("D-run-text")
async def test_text_comes_piece_by_piece_while_the_model_speaks() -> None:
    hold = asyncio.Event()
    agent = Agent(ScriptedProvider([*answer("Hel"), hold, *answer("lo")]))
    async with asyncio.timeout(5), agent.stream("hi") as run:
        pieces = run.text()
        assert (await anext(pieces), run.ended) == ("Hel", False)
        hold.set()
        assert [piece async for piece in pieces] == ["lo"]
        assert (await run.result()).text == "Hello"
        assert run.ended


@pytest.mark.requirement("D-run-text")
async def test_text_is_that_of_all_answers_of_the_message() -> None:
    async def look() -> str:
        return "seen"

    agent = Agent(ScriptedProvider([*answer("Let me see. "), *call("look")], answer("Fine.")), tools=[look])
    async with agent.stream("hi") as run:
        assert [piece async for piece in run.text()] == ["Let me see. ", "Fine."]
        assert (await run.result()).text == "Fine."


@pytest.mark.requirement("D-run-text")
async def test_an_answer_that_began_again_and_said_less_comes_whole_before_the_next_one() -> None:
    """What the next one says is no rest of it, even where the words would fit."""

    async def look() -> str:
        return "seen"

    first = [TextDelta(content="Let me see"), Restart(attempt=2), TextDelta(content="Let me"), *call("look")]
    agent = Agent(ScriptedProvider(first, answer(" see.")), tools=[look])
    async with agent.stream("hi") as run:
        assert "".join([piece async for piece in run.text()]) == "Let me see\nLet me see."


@pytest.mark.requirement("D-run-text")
async def test_complete_texts_come_as_they_are_and_nothing_comes_twice() -> None:
    agent = Agent(ScriptedProvider([Text(content="One. "), TextDelta(content="T"), TextDelta(content="wo.")]))
    async with agent.stream("hi") as run:
        assert "".join([piece async for piece in run.text()]) == "One. Two."
        again = [piece async for piece in run.text()]
    assert "".join(again) == "One. Two."


@pytest.mark.requirement("D-run-text")
@pytest.mark.parametrize("fragments", [True, False])
async def test_a_reader_that_is_far_too_slow_still_gets_the_whole_text(fragments: bool) -> None:
    """More than the log holds, in one go."""
    pieces = [f"{number:04}" * 16_384 for number in range(40)]
    hold = asyncio.Event()
    texts = answer(*pieces) if fragments else [Text(content=piece) for piece in pieces]
    async with asyncio.timeout(10), Agent(ScriptedProvider([*answer("first "), hold, *texts])).stream("hi") as run:
        reading = run.text()
        assert await anext(reading) == "first "
        hold.set()
        await run.result()
        assert "".join([piece async for piece in reading]) == "".join(pieces)


@pytest.mark.requirement("D-run-events")
async def test_events_are_those_of_the_message_from_its_first_to_its_done() -> None:
    agent = Agent(ScriptedProvider(answer("one"), answer("two")))
    async with agent.session(store=MemoryStore()) as session:
        first, second = session.stream("a"), session.stream("b")
        for run in (first, second):
            entries = [entry async for entry in run.events()]
            assert {entry.context.message for entry in entries} == {run.id}
            assert entries[-1].event == Lifecycle(phase="done", outcome=Outcome.DONE)
        assert [entry.kind async for entry in first.events("text", "turn_complete")] == [
            *("turn_complete", "text", "turn_complete"),
        ]


@pytest.mark.requirement("D-leaving-ends-a-run", "B46")
async def test_leaving_a_stream_ends_its_run() -> None:
    """The tools it began are stopped before the block is left."""
    stopped: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append("work")

    agent = Agent(ScriptedProvider([*answer("Let me"), *call("work")]), tools=[work])
    async with asyncio.timeout(5), agent.stream("hi") as run:
        async for entry in run.events("turn_complete"):
            if entry.kind == "turn_complete" and run.ended is False:
                await asyncio.sleep(0)
            if stopped or _calls(entry):
                break
        await until(lambda: len(asyncio.all_tasks()) > 2)
    assert (stopped, run.ended) == (["work"], True)
    assert (await run.result()).status is Outcome.CANCELLED


def _calls(entry: object) -> bool:
    event = getattr(entry, "event", None)
    return bool(getattr(getattr(event, "turn", None), "calls", ()))


@pytest.mark.requirement("D-leaving-ends-a-run", "B46")
async def test_leaving_after_the_first_fragment_ends_the_run_and_keeps_what_was_seen() -> None:
    store = MemoryStore()
    agent = Agent(ScriptedProvider([*answer("par"), asyncio.Event()]), store=store)
    async with asyncio.timeout(5), agent.stream("hi", session="x") as run:
        async for _ in run.text():
            break
    stored = await store.load("x")
    assert (stored.turns[-1].status, stored.turns[-1].artifacts) == (TurnStatus.INTERRUPTED, (Text(content="par"),))
    assert (await run.result()).status is Outcome.CANCELLED
    assert await store.pending("x") == []


@pytest.mark.requirement("D-detached", "B46")
async def test_leaving_a_run_of_a_session_stops_nothing() -> None:
    hold = asyncio.Event()
    agent = Agent(ScriptedProvider([*answer("Hel"), hold, *answer("lo")]))
    async with asyncio.timeout(5), agent.session(store=MemoryStore()) as session:
        async with session.stream("hi") as run:
            async for _ in run.text():
                break
        assert not run.ended
        hold.set()
        assert (await run.result()).text == "Hello"


async def test_a_stream_that_fails_raises_at_its_result() -> None:
    failure = ProviderError("boom", provider="scripted")
    async with Agent(ScriptedProvider([*answer("par"), failure])).stream("hi") as run:
        assert [piece async for piece in run.text()] == ["par"]
        with pytest.raises(ProviderError) as raised:
            await run.result()
    assert raised.value is failure


async def test_an_error_in_the_block_ends_the_run_and_is_raised() -> None:
    provider = ScriptedProvider([*answer("par"), asyncio.Event()])
    kept: list[Run] = []
    with pytest.raises(KeyError):
        async with asyncio.timeout(5), Agent(provider).stream("hi") as run:
            kept.append(run)
            raise KeyError("mine")
    assert kept[0].ended


async def test_a_run_is_stored_in_a_session_before_it_says_so() -> None:
    store = MemoryStore()
    async with Agent(ScriptedProvider(answer("ok")), store=store).session("x") as session:
        run = session.stream("hi")
        await run.accepted()
        assert len(await store.pending("x")) == 1
        await run.result()
