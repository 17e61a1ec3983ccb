"""Interceptors: asked for each message, in order, inside the message."""

import asyncio
from collections.abc import Callable, Sequence

import pytest

from ore.artifact import Notice, Severity, Text, ToolCall
from ore.errors import ConflictError
from ore.event import CURRENT, InterruptEvent, UserMessage
from ore.ledger import Outcome
from ore.session import Intercepted, Manager, Stream, fork_session, new_session, store_of
from ore.testing import ScriptedProvider
from session.watch import Watch, agent, answer, said, until

Look = Callable[[Stream, UserMessage], Intercepted]


class Looking:
    """An interceptor that is a function."""

    def __init__(self, look: Look) -> None:
        self._look = look

    async def intercept(self, stream: Stream, message: UserMessage) -> Intercepted:
        return self._look(stream, message)


async def intercepted(watch: Watch, provider: ScriptedProvider, *looks: Look) -> Stream:
    interceptors: Sequence[Looking] = [Looking(look) for look in looks]
    return watch.of(await Manager(agent(provider), interceptors=interceptors).create())


def adding(word: str) -> Look:
    def add(stream: Stream, message: UserMessage) -> Intercepted:
        return Intercepted(message=UserMessage(content=f"{_text(message)} {word}"))

    return add


def _text(message: UserMessage) -> str:
    return "".join(item.content for item in message.content if isinstance(item, Text))


@pytest.mark.requirement("C211")
async def test_a_message_that_passes_is_as_without_an_interceptor(watch: Watch) -> None:
    stream = await intercepted(
        watch, ScriptedProvider(answer("hello")), lambda stream, message: Intercepted(message=message)
    )
    await stream.process("hi")
    assert watch.told(stream) == [
        *("turn user", "submitted", "streaming", "text_delta", "text", "stop_reason", "turn assistant", "done done"),
    ]
    assert said(stream.turns) == [("user", "hi"), ("assistant", "hello")]


async def test_each_interceptor_gets_what_the_one_before_made_of_it(watch: Watch) -> None:
    stream = await intercepted(watch, ScriptedProvider(answer("ok")), adding("one"), adding("two"))
    await stream.process("hi")
    assert said(stream.turns)[0] == ("user", "hi one two")


async def test_interceptors_behind_one_that_uses_a_message_up_are_not_asked(watch: Watch) -> None:
    asked: list[str] = []

    def note(stream: Stream, message: UserMessage) -> Intercepted:
        asked.append(_text(message))
        return Intercepted(message=message)

    stream = await intercepted(watch, ScriptedProvider(), note, lambda stream, message: Intercepted(message=None), note)
    assert (await stream.process("hi")).status is Outcome.DONE
    assert asked == ["hi"]


@pytest.mark.requirement("C213", "K17")
async def test_an_interceptor_that_fails_fails_the_message(watch: Watch) -> None:
    """Its sender gets the error, everybody one event; the session goes on."""
    failures: list[Exception] = [ValueError("no")]

    def fail_once(stream: Stream, message: UserMessage) -> Intercepted:
        if failures:
            raise failures.pop()
        return Intercepted(message=message)

    stream = await intercepted(watch, ScriptedProvider(answer("ok")), fail_once)
    with pytest.raises(ValueError):
        await stream.process("hi")
    assert watch.told(stream) == ["error error", "done failed"]
    assert (await stream.process("again")).status is Outcome.DONE
    assert said(stream.turns) == [("user", "again"), ("assistant", "ok")]


async def test_an_interceptor_that_returns_no_message_of_a_kind_fails_the_message(watch: Watch) -> None:
    stream = await intercepted(
        watch,
        ScriptedProvider(),
        lambda stream, message: Intercepted(message=InterruptEvent()),  # type: ignore[arg-type]
    )
    outcome = await stream.submit("hi")
    assert (outcome.status, type(outcome.error)) == (Outcome.FAILED, TypeError)


@pytest.mark.requirement("C214")
async def test_an_interceptor_is_not_asked_for_an_interrupt(watch: Watch) -> None:
    def refuse(stream: Stream, message: UserMessage) -> Intercepted:
        raise AssertionError("it must not be asked")

    stream = await intercepted(watch, ScriptedProvider(), refuse)
    assert (await stream.process(InterruptEvent())).status is Outcome.DONE


@pytest.mark.requirement("K17", "D-interceptor-in-the-message")
async def test_an_interceptor_is_cancelled_with_its_message(watch: Watch) -> None:
    """It runs inside the message: nothing is recorded, one ending comes."""
    asked = asyncio.Event()

    class Waiting:
        async def intercept(self, stream: Stream, message: UserMessage) -> Intercepted:
            asked.set()
            await asyncio.Event().wait()
            raise AssertionError("never")

    stream = watch.of(await Manager(agent(ScriptedProvider()), interceptors=[Waiting()]).create())
    ticket = stream.submit("hi")
    await asked.wait()
    assert stream.cancel()
    async with asyncio.timeout(5):
        assert (await ticket).status is Outcome.CANCELLED
    assert (watch.told(stream), list(stream.turns)) == (["cancelled", "done cancelled"], [])


async def test_an_interceptor_may_use_the_session(watch: Watch) -> None:
    """What it does there belongs to the message."""
    messages: list[str | None] = []

    class Setting:
        async def intercept(self, stream: Stream, message: UserMessage) -> Intercepted:
            await stream.metadata.set("color", "blue")
            stream.emit(Notice(content="set", severity=Severity.SUCCESS))
            messages.append(CURRENT.get().message)
            return Intercepted(message=None)

    stream = watch.of(await Manager(agent(ScriptedProvider()), interceptors=[Setting()]).create())
    await stream.process(UserMessage(content="hi", id="m"))
    await until(lambda: len(watch.events(stream)) == 3)
    assert [(entry.kind, entry.context.message) for entry in watch.events(stream)] == [
        *(("properties", "m"), ("notice", "m"), ("lifecycle", "m")),
    ]
    assert (messages, stream.metadata.get("color")) == (["m"], "blue")


class Undoing:
    """Goes back before the last thing the user said, or forks."""

    async def intercept(self, stream: Stream, message: UserMessage) -> Intercepted:
        if _text(message) == "undo":
            await stream.history.undo()
            return Intercepted(message=None)
        if _text(message) == "fork":
            return Intercepted(message=UserMessage(content=await fork_session(stream)))
        return Intercepted(message=message)


async def test_an_interceptor_may_move_about_in_the_history_before_its_message_begins(watch: Watch) -> None:
    """Not while another message runs, into which it steers; nor may a tool."""
    refused: list[Exception] = []
    reached, hold = asyncio.Event(), asyncio.Event()

    async def back() -> str:
        """Go back."""
        try:
            await streams[0].history.undo()
        except ConflictError as error:
            refused.append(error)
        reached.set()
        await hold.wait()
        return "stayed"

    provider = ScriptedProvider(answer("one"), [ToolCall(id="c", name="back", arguments="{}")], answer("two"))
    manager = Manager(agent(provider, back), interceptors=[Undoing()])
    streams = [watch.of(await manager.create())]
    stream = streams[0]
    await stream.process("a")
    await stream.process("undo")
    assert said(stream.turns) == []
    running = stream.submit("b")
    async with asyncio.timeout(5):
        await reached.wait()
        steering = stream.submit(UserMessage(content="undo", mode="steer"))
        hold.set()
        assert type((await running).error) is type((await steering).error) is ConflictError
    assert len(refused) == 1
    assert said(stream.turns)[:1] == [("user", "b")]


async def test_a_session_beside_another_goes_on_from_its_path(watch: Watch) -> None:
    manager = Manager(agent(ScriptedProvider(answer("one"), answer("two"))), interceptors=[Undoing()])
    stream = watch.of(await manager.create())
    await stream.process("a")
    await stream.process("fork")
    name = said(stream.turns)[2][1]
    assert said((await manager.get_thread(name)).turns) == [("user", "a"), ("assistant", "one")]
    fresh = await new_session(stream, {"key": "value"})
    assert (await store_of(stream).load(fresh)).metadata == {"key": "value"}
