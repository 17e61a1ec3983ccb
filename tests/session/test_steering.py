"""Messages that steer enter the running loop; messages that interrupt come next."""

import asyncio

import pytest

from ore.artifact import ToolCallDelta
from ore.event import UserMessage
from ore.ledger import Outcome
from ore.testing import ScriptedProvider
from ore.tool import tool
from session.watch import Watch, answer, said


@tool
async def look() -> str:
    """Look around."""
    return "nothing"


CALL = [ToolCallDelta(index=0, id="c", name="look", arguments="{}")]


@pytest.mark.requirement("D-steering-enters")
async def test_a_message_that_steers_enters_before_the_next_inference_and_ends_with_the_loop(watch: Watch) -> None:
    hold = asyncio.Event()
    provider = ScriptedProvider([*CALL, hold], answer("as you wish"))
    stream = await watch.session(provider, look)
    async with asyncio.timeout(5), stream.subscribe("tool_call_delta") as calls:
        first = stream.submit("go")
        await anext(calls)
        queued = stream.submit("later")
        steering = stream.submit(UserMessage(content="left, please", mode="steer"))
        hold.set()
        outcome = await steering
        assert outcome == await first
    assert said(provider.invocations[1].turns)[-1] == ("user", "left, please")
    assert outcome.status is Outcome.DONE
    told = [entry.context.message for entry in watch.events(stream) if watch.told(stream) and entry.kind == "lifecycle"]
    assert told.index(steering.id) < len(told)
    done = [
        entry.context.message
        for entry, words in zip(watch.events(stream), watch.told(stream), strict=True)
        if words == "done done"
    ]
    assert done[:2] == [steering.id, first.id]
    with pytest.raises(Exception, match="script"):
        await stream.process("the script has no third answer")
    assert (await queued).status is Outcome.FAILED


async def test_a_message_that_steers_keeps_a_loop_going_that_was_about_to_end(watch: Watch) -> None:
    hold = asyncio.Event()
    provider = ScriptedProvider([*answer("done"), hold], answer("one more thing"))
    stream = await watch.session(provider)
    async with asyncio.timeout(5), stream.subscribe("text_delta") as pieces:
        first = stream.submit("go")
        await anext(pieces)
        stream.submit(UserMessage(content="wait", mode="steer"))
        hold.set()
        await first
    assert said(stream.turns) == [
        ("user", "go"),
        ("assistant", "done"),
        ("user", "wait"),
        ("assistant", "one more thing"),
    ]


async def test_a_message_that_steers_an_idle_session_is_a_message(watch: Watch) -> None:
    stream = await watch.session(ScriptedProvider(answer("hello")))
    assert (await stream.process(UserMessage(content="hi", mode="steer"))).status is Outcome.DONE


async def test_a_message_that_steers_shares_the_fate_of_the_cut_message_that_it_joined(watch: Watch) -> None:
    hold = asyncio.Event()
    provider = ScriptedProvider([*CALL, hold], [*answer("half"), asyncio.Event()])
    stream = await watch.session(provider, look)
    async with asyncio.timeout(5), stream.subscribe("text_delta", "tool_call_delta") as pieces:
        first = stream.submit("go")
        await anext(pieces)
        steering = stream.submit(UserMessage(content="left", mode="steer"))
        hold.set()
        await anext(pieces)
        assert stream.cancel()
        assert (await first).status is (await steering).status is Outcome.CANCELLED


@pytest.mark.requirement("D-interrupt-mode")
async def test_a_message_that_interrupts_cancels_what_runs_clears_nothing_and_comes_next(watch: Watch) -> None:
    provider = ScriptedProvider([*answer("half"), asyncio.Event()], answer("urgent"), answer("queued"))
    stream = await watch.session(provider)
    async with asyncio.timeout(5), stream.subscribe("text_delta") as pieces:
        first = stream.submit("go")
        await anext(pieces)
        queued = stream.submit("later")
        urgent = stream.submit(UserMessage(content="stop that", mode="interrupt"))
        assert (await first).status is Outcome.CANCELLED
        assert (await urgent).status is (await queued).status is Outcome.DONE
    assert [text for role, text in said(stream.turns) if role == "user"] == ["go", "stop that", "later"]


async def test_a_message_that_steers_can_be_withdrawn_before_it_enters(watch: Watch) -> None:
    hold = asyncio.Event()
    provider = ScriptedProvider([*CALL, hold], answer("on it"))
    stream = await watch.session(provider, look)
    async with asyncio.timeout(5), stream.subscribe("tool_call_delta") as calls:
        first = stream.submit("go")
        await anext(calls)
        steering = stream.submit(UserMessage(content="left", mode="steer"))
        assert await steering.withdraw()
        hold.set()
        assert (await first).status is Outcome.DONE
        assert (await steering).status is Outcome.CLEARED
    assert [text for role, text in said(stream.turns) if role == "user"] == ["go"]
