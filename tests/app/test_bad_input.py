"""Whatever is passed in: a clear error, and no session is left unusable."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from app.script import answer, call
from ore import Agent, MemoryStore, Text, TextDelta, ToolCall
from ore.errors import InputError, OreError
from ore.ledger import Outcome, State
from ore.testing import ScriptedProvider


@pytest.mark.requirement("D-bad-input")
@pytest.mark.parametrize("content", [5, None, ["text"], [TextDelta(content="half")], object()])
async def test_content_that_is_none_is_refused_by_name(content: Any) -> None:
    provider = ScriptedProvider()
    with pytest.raises(InputError, match="content"):
        await Agent(provider).run(content)
    assert provider.invocations == []


async def later() -> str:
    return "Be brief."


@pytest.mark.requirement("D-bad-input")
@pytest.mark.parametrize("instructions", [later, lambda: 5, lambda: None])
async def test_instructions_that_are_no_text_fail_the_message_by_name(instructions: Any) -> None:
    with pytest.raises(TypeError, match="instructions"):
        await Agent(ScriptedProvider(answer("unused")), instructions=instructions).run("hi")


@pytest.mark.requirement("D-bad-input")
@pytest.mark.parametrize(("key", "value"), [("a", 5), (5, "a")])
async def test_facts_that_are_no_text_are_refused_by_name(key: Any, value: Any) -> None:
    async with Agent(ScriptedProvider(), store=MemoryStore()).session() as session:
        with pytest.raises(InputError, match="metadata"):
            await session.metadata.set(key, value)
        assert session.metadata.all() == {}


def failing(*arguments: object) -> Any:
    raise ValueError("by a test")


class Handler:
    """A handler that fails on calls."""

    async def handle(self, artifact: object, emitter: object) -> None:
        if getattr(artifact, "kind", None) == "tool_call":
            failing()


class Pattern:
    """A pattern that fails."""

    name = "failing"

    async def run(self, runtime: object) -> Any:
        failing()

    def ends(self, draft: object) -> bool:
        return True


async def _work() -> str:
    return "worked"


BROKEN: dict[str, dict[str, Any]] = {
    "transform": {"transforms": [failing]},
    "instructions": {"instructions": failing},
    "handler": {"handlers": [Handler()]},
    "pattern": {"pattern": Pattern},
    "making a pattern": {"pattern": failing},
}


@pytest.mark.requirement("D-bad-input")
@pytest.mark.parametrize("what", BROKEN)
async def test_whatever_part_of_an_agent_fails_another_agent_goes_on_with_the_session(what: str) -> None:
    store = MemoryStore()
    script = ScriptedProvider([*answer("Let me"), *call("_work")], answer("fine"), answer("fine"))
    async with Agent(script, tools=[_work], store=store, **BROKEN[what]).session("x") as session:
        with pytest.raises(ValueError, match="by a test"):
            await session.run("hi")
    async with asyncio.timeout(5), Agent(script, tools=[_work], store=store).session("x") as session:
        assert (await session.run("again")).status is Outcome.DONE


class Rubbish:
    """A provider whose first answer is `first`, and whose others are fine."""

    name = "rubbish"

    def __init__(self, first: Callable[[], Any]) -> None:
        self._answers = [first]

    def invoke(self, state: State, spec: object, *options: object) -> Any:
        return self._answers.pop()() if self._answers else _fine()


async def _fine() -> AsyncIterator[Any]:
    yield (TextDelta(content="fine"),)


async def _bare() -> AsyncIterator[Any]:
    yield TextDelta(content="no batch")


async def _text() -> AsyncIterator[Any]:
    yield ("text",)


async def _empty() -> AsyncIterator[Any]:
    value: Any = None
    yield (TextDelta(content=value),)


async def _parsed() -> AsyncIterator[Any]:
    arguments: Any = {"city": "Porto"}
    yield (ToolCall(id="c", name="weather", arguments=arguments),)


async def _nothing() -> AsyncIterator[Any]:
    batches: list[Any] = []
    for batch in batches:
        yield batch


@pytest.mark.requirement("D-bad-input")
@pytest.mark.parametrize("first", [_bare, _text, _empty, _parsed, _nothing, failing])
async def test_a_provider_that_keeps_no_promise_fails_one_message(first: Callable[[], Any]) -> None:
    async with Agent(Rubbish(first), store=MemoryStore()).session() as session:
        async with asyncio.timeout(5):
            with pytest.raises((OreError, TypeError, AttributeError, ValueError)):
                await session.run("hi")
            assert (await session.run("again")).text == "fine"
        kinds = [turn.artifacts for turn in session.turns]
    assert kinds[-2:] == [(Text(content="again"),), (Text(content="fine"),)]


@pytest.mark.requirement("D-bad-input")
async def test_what_could_not_be_read_back_is_not_stored(tmp_path: Path) -> None:
    """A stored session with a call that is no text would never open again."""
    agent = Agent(Rubbish(_parsed), store=f"sqlite:///{tmp_path}/ore.db")
    async with agent.session("s") as session:
        with pytest.raises(InputError, match="arguments"):
            await session.run("hi")
    async with agent.session("s") as session:
        assert (await session.run("again")).text == "fine"


@pytest.mark.requirement("D-bad-input")
async def test_a_mode_that_there_is_not_is_refused_by_name() -> None:
    mode: Any = "stear"
    async with Agent(ScriptedProvider(answer("fine"))).session() as session:
        with pytest.raises(InputError, match="mode: expected one of queue, steer, interrupt, got 'stear'"):
            await session.stream("hi", mode=mode).result()
        assert (await session.run("again")).text == "fine"


@pytest.mark.requirement("D-bad-input")
@pytest.mark.parametrize("raised", [SystemExit(3), asyncio.CancelledError(), StopIteration()])
async def test_whatever_a_tool_raises_is_a_result(raised: BaseException) -> None:
    """Nothing that a model can call ends the program."""

    async def odd() -> str:
        raise raised

    result = await Agent(ScriptedProvider(call("odd"), answer("fine")), tools=[odd]).run("hi")
    assert (result.text, getattr(result.turns[2].artifacts[0], "is_error", None)) == ("fine", True)
