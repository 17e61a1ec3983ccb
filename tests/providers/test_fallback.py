"""Another model answers when one cannot, also in the middle of an answer, and no text comes twice."""

import asyncio
from collections.abc import Mapping
from contextlib import aclosing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore import Agent
from ore.artifact import Notice, Reasoning, ReasoningDelta, Restart, StopReason, Text, TextDelta, Usage
from ore.errors import (
    AuthenticationError,
    BadRequestError,
    ContentFilterError,
    ContextOverflowError,
    InputError,
    OverloadedError,
    ProtocolError,
    ProviderError,
    RateLimitError,
)
from ore.event import TurnRestarted
from ore.ext.providers.fallback import Fallback
from ore.ext.providers.transport import Limits, Reply
from ore.ext.providers.vendor import Access, connect
from ore.ledger import Buffer, MemoryStore, Role
from ore.models import Spec
from ore.provider import Provider
from ore.testing import Recorder, ScriptedProvider, check_order
from ore.testing.contracts.provider import Answer
from providers.test_switching import PAIRS, SIDES


def text(*pieces: str) -> list[TextDelta]:
    return [TextDelta(content=piece) for piece in pieces]


def failing(error: Exception, *before: str) -> ScriptedProvider:
    return ScriptedProvider([*text(*before), error], name="one")


async def answered(provider: Provider) -> tuple[list[object], ProviderError | None]:
    state = Buffer()
    state.add(Role.USER, Text(content="Hello?"))
    seen: list[object] = []
    try:
        async with asyncio.timeout(5), aclosing(provider.invoke(state, Spec(name="m"))) as batches:
            async for batch in batches:
                seen += batch
    except ProviderError as error:
        return seen, error
    return seen, None


@pytest.mark.requirement("D-fallback")
@pytest.mark.parametrize("before", [(), ("Hello ", "wor")])
async def test_the_next_model_begins_anew_and_no_text_is_there_twice(before: tuple[str, ...]) -> None:
    """The turn says who answered; what was seen of the other is void by an event."""
    second = ScriptedProvider([*text("Hello ", "world"), Usage(prompt_tokens=1)], name="two")
    agent = Agent(Fallback((failing(OverloadedError("full"), *before), "a"), (second, "b")))
    async with agent.session("s", store=MemoryStore()) as session, Recorder(session.handle) as seen:
        result = await session.run("hi")
    check_order(seen.entries)
    assert result.text == "Hello world"
    assert result.turns[-1].model == "two:b"
    assert [entry.event for entry in seen.entries if isinstance(entry.event, TurnRestarted)] == [
        TurnRestarted(attempt=2)
    ]
    assert second.invocations[0].spec.name == "b"
    notices = [entry.event.content for entry in seen.entries if isinstance(entry.event, Notice)]
    assert notices == ["one:a failed (overloaded); two:b is asked"]
    assert "full" not in str(notices)


@pytest.mark.requirement("D-fallback")
async def test_thinking_of_the_one_that_failed_is_gone_too() -> None:
    first = ScriptedProvider(
        [
            ReasoningDelta(content="hm"),
            Reasoning(content="hm", provider_data={"signature": "x"}),
            RateLimitError("slow"),
        ]
    )
    result = await Agent(Fallback((first, None), (ScriptedProvider(text("yes")), None))).run("hi")
    assert [artifact.kind for artifact in result.turns[-1].artifacts] == ["text", "stop_reason"]


@pytest.mark.requirement("D-fallback")
async def test_the_last_failure_is_told_and_the_session_goes_on() -> None:
    one = ScriptedProvider([OverloadedError("full")], text("back"))
    two = ScriptedProvider([*text("par"), RateLimitError("slow", retry_after_s=2)])
    async with Agent(Fallback((one, None), (two, None))).session("s", store=MemoryStore()) as session:
        with pytest.raises(RateLimitError):
            await session.run("hi")
        assert (await session.run("again")).text == "back"


HOPELESS = [BadRequestError("no"), ContentFilterError("no")]
OTHERS = [AuthenticationError("no"), ContextOverflowError("no"), ProtocolError("no"), OverloadedError("no")]


@pytest.mark.parametrize("error", [*HOPELESS, *OTHERS], ids=lambda error: type(error).__name__)
async def test_a_request_that_was_refused_for_itself_is_not_sent_elsewhere(error: ProviderError) -> None:
    second = ScriptedProvider(text("yes"))
    _, failed = await answered(Fallback((failing(error), None), (second, None)))
    assert (failed is error) == (error in HOPELESS)
    assert len(second.invocations) == (error in OTHERS)


async def test_what_counts_may_be_said() -> None:
    second = ScriptedProvider(text("yes"))
    provider = Fallback((failing(OverloadedError("no")), None), (second, None), when=lambda error: False)
    _, failed = await answered(provider)
    assert isinstance(failed, OverloadedError) and not second.invocations


async def test_an_error_that_is_nobodys_fault_of_a_provider_is_passed_on() -> None:
    second = ScriptedProvider(text("yes"))
    with pytest.raises(ZeroDivisionError):
        await answered(Fallback((failing(ZeroDivisionError()), None), (second, None)))
    assert not second.invocations


async def test_leaving_closes_the_one_that_answers() -> None:
    second = ScriptedProvider([*text("a"), asyncio.Event()])
    provider = Fallback((failing(OverloadedError("no")), None), (second, None))
    state = Buffer()
    state.add(Role.USER, Text(content="x"))
    async with asyncio.timeout(5), aclosing(provider.invoke(state, Spec())) as batches:
        async for batch in batches:
            if TextDelta(content="a") in batch:
                break
    assert second.closed == 1


@given(st.lists(st.lists(st.integers(2, 5), max_size=3), min_size=1, max_size=4))
def test_beginnings_only_rise_whoever_begins_again(inner: list[list[int]]) -> None:
    """Also those that a candidate makes itself."""
    candidates = []
    for place, attempts in enumerate(inner):
        ending = [StopReason(reason="stop")] if place == len(inner) - 1 else [OverloadedError("x")]
        candidates.append(([Restart(attempt=attempt) for attempt in sorted(set(attempts))], ending))
    providers = [(ScriptedProvider([*restarts, *ending]), None) for restarts, ending in candidates]
    seen, failed = asyncio.run(answered(Fallback(*providers)))
    found = [artifact.attempt for artifact in seen if isinstance(artifact, Restart)]
    assert failed is None
    assert found == sorted(set(found)) and all(attempt > 1 for attempt in found)


def test_without_a_model_there_is_no_fallback() -> None:
    with pytest.raises(InputError, match="at least one model"):
        Fallback()


class Spoken:
    """A transport that gives one answer to everything."""

    def __init__(self, *blocks: bytes, headers: Mapping[str, str]) -> None:
        self._blocks = blocks
        self._headers = headers

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], limits: Limits) -> Reply:
        return _Blocks(list(self._blocks), self._headers)


class _Blocks:
    status = 200

    def __init__(self, left: list[bytes], headers: Mapping[str, str]) -> None:
        self._left = left
        self.headers = headers

    def __aiter__(self) -> "_Blocks":
        return self

    async def __anext__(self) -> bytes:
        if not self._left:
            raise StopAsyncIteration
        return self._left.pop(0)

    def close(self) -> None:
        """Nothing is held."""


@pytest.mark.requirement("D-fallback")
@pytest.mark.parametrize(("first", "second"), PAIRS, ids=[f"{one}-{other}" for one, other in PAIRS])
async def test_when_a_vendor_breaks_off_behind_its_first_words_another_answers(first: str, second: str) -> None:
    """Whatever both of them speak: nothing of the first one is kept, and no text is there twice."""
    said = {
        first: SIDES[first].speech.stream(Answer(text=("Hello ", "wor"), end="breaks"), "hm"),
        second: SIDES[second].speech.stream(Answer(text=("Hello ", "world.")), "well"),
    }
    candidates = [
        (connect(SIDES[name].vendor, access), SIDES[name].model)
        for name in (first, second)
        for access in [
            Access(
                api_key="any",
                base_url="http://127.0.0.1:9",
                transport=Spoken(*said[name], headers=SIDES[name].speech.headers),
            )
        ]
    ]
    async with (
        asyncio.timeout(15),
        Agent(Fallback(*candidates)).session("s", store=MemoryStore()) as session,
        Recorder(session.handle) as seen,
    ):
        result = await session.run("hi")
    check_order(seen.entries)
    assert result.text == "Hello world."
    assert result.turns[-1].model == f"{second}:{SIDES[second].model}"
    kept = [one.content for one in result.turns[-1].artifacts if isinstance(one, Reasoning)]
    assert kept == ["well"]
    kinds = [entry.kind for entry in seen.entries]
    restarted = kinds.index("turn_restarted")
    assert "text_delta" in kinds[:restarted] and "text" in kinds[restarted:]
