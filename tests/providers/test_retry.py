"""Asking again: by one owner, only before anything was seen, and not for ever."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore import Agent
from ore.artifact import Artifact, Notice, Severity, StopReason, Text, TextDelta
from ore.errors import (
    AuthenticationError,
    ConnectionFailedError,
    OverloadedError,
    ProtocolError,
    ProviderError,
    ProviderTimeoutError,
    RateLimitError,
)
from ore.ext.providers.backoff import Backoff
from ore.ext.providers.retry import Retrying
from ore.ledger import Buffer, Role
from ore.models import Spec
from ore.provider import Batch
from ore.testing.scripted import Item, ScriptedProvider

HELLO = TextDelta(content="Hello ")
WORLD = TextDelta(content="world")
END = StopReason(reason="stop")


@dataclass(slots=True)
class Sleeps:
    """A clock that waits for nobody."""

    slept_s: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.slept_s.append(seconds)


def retrying(provider: ScriptedProvider, sleeps: Sleeps, *, attempts: int = 3, draw: float = 1.0) -> Retrying:
    return Retrying(provider, Backoff(attempts=attempts, sleep=sleeps.sleep, uniform=lambda low, high: draw))


def asked() -> Buffer:
    state = Buffer()
    state.add(Role.USER, Text(content="Hello?"))
    return state


async def batches_of(provider: Retrying) -> tuple[list[Batch], ProviderError | None]:
    seen: list[Batch] = []
    try:
        async with asyncio.timeout(5), aclosing(provider.invoke(asked(), Spec())) as batches:
            async for batch in batches:
                seen.append(batch)
    except ProviderError as error:
        return seen, error
    return seen, None


def overloaded() -> OverloadedError:
    return OverloadedError("no capacity", provider="scripted")


@pytest.mark.requirement("B31")
async def test_a_failure_before_the_first_word_is_followed_by_another_attempt() -> None:
    scripted = ScriptedProvider([ConnectionFailedError("reset")], [HELLO, WORLD])
    sleeps = Sleeps()
    seen, error = await batches_of(retrying(scripted, sleeps))
    notice = Notice(content="attempt 2/3 in 0.5 s: reset", severity=Severity.WARN)
    assert (seen, error) == ([(notice,), (HELLO,), (WORLD,), (END,)], None)
    assert (sleeps.slept_s, scripted.closed) == ([0.5], 0)


@pytest.mark.requirement("B31")
@pytest.mark.parametrize("first", [HELLO, END])
async def test_once_something_was_seen_a_failure_is_a_failure(first: Artifact) -> None:
    reset = ConnectionFailedError("reset")
    scripted = ScriptedProvider([first, reset], [HELLO, WORLD])
    sleeps = Sleeps()
    assert await batches_of(retrying(scripted, sleeps)) == ([(first,)], reset)
    assert (sleeps.slept_s, len(scripted.invocations)) == ([], 1)


@pytest.mark.requirement("B31")
async def test_in_a_session_the_text_is_there_once() -> None:
    """What was seen before the break stays, as a failed turn; what was not seen is asked for again."""
    scripted = ScriptedProvider(
        [ConnectionFailedError("reset")],
        [HELLO, ConnectionFailedError("reset")],
        [HELLO, WORLD],
    )
    agent = Agent(retrying(scripted, Sleeps()), store="memory:")
    async with asyncio.timeout(5), agent.session() as session:
        with pytest.raises(ConnectionFailedError):
            await session.run("Hello?")
        assert (await session.run("Go on.")).text == "Hello world"
        texts = [turn.artifacts for turn in session.turns if turn.role is Role.ASSISTANT]
    assert texts[0] == (Text(content="Hello "),)
    assert [artifact.for_model() for artifact in texts[1] if artifact.kind == "text"] == ["Hello world"]


@pytest.mark.parametrize("error", [AuthenticationError("no"), ProtocolError("no"), ProviderError("no")])
async def test_what_cannot_pass_by_itself_is_not_asked_again(error: ProviderError) -> None:
    sleeps = Sleeps()
    assert await batches_of(retrying(ScriptedProvider([error], [HELLO]), sleeps)) == ([], error)
    assert sleeps.slept_s == []


async def test_errors_that_are_not_the_vendor_s_pass() -> None:
    with pytest.raises(ZeroDivisionError):
        await batches_of(retrying(ScriptedProvider([ZeroDivisionError()]), Sleeps()))


@pytest.mark.requirement("D-retry")
async def test_the_last_attempt_s_failure_is_raised_and_each_wait_is_longer() -> None:
    errors = [OverloadedError(f"no {number}") for number in range(5)]
    sleeps = Sleeps()
    seen, error = await batches_of(retrying(ScriptedProvider(*([one] for one in errors)), sleeps, attempts=5))
    assert error is errors[4]
    assert sleeps.slept_s == [0.5, 1.0, 2.0, 4.0]
    assert [batch[0].for_human() for batch in seen] == [
        *("attempt 2/5 in 0.5 s: no 0", "attempt 3/5 in 1 s: no 1", "attempt 4/5 in 2 s: no 2"),
        "attempt 5/5 in 4 s: no 3",
    ]


async def test_one_attempt_never_repeats() -> None:
    error = overloaded()
    assert await batches_of(retrying(ScriptedProvider([error], [HELLO]), Sleeps(), attempts=1)) == ([], error)


@pytest.mark.requirement("D-retry")
async def test_whoever_waited_long_for_a_failure_is_not_made_to_wait_again() -> None:
    times = iter([0.0, 120.5])
    error = ProviderTimeoutError("no byte for 300 s")
    scripted = ScriptedProvider([error], [HELLO])
    provider = Retrying(scripted, Backoff(clock=lambda: next(times)))
    assert await batches_of(provider) == ([], error)


@pytest.mark.requirement("B39")
@pytest.mark.parametrize(("asked_s", "slept_s"), [(2.0, 2.0), (0.0, 0.1), (3600.0, 30.0), (None, 0.75)])
async def test_the_wait_that_a_server_asks_for_is_waited_for_and_said(asked_s: float | None, slept_s: float) -> None:
    scripted = ScriptedProvider([RateLimitError("slow down", retry_after_s=asked_s)], [HELLO])
    sleeps = Sleeps()
    seen, _ = await batches_of(retrying(scripted, sleeps, draw=1.5))
    assert sleeps.slept_s == [slept_s]
    told = " (3600 s were asked for)" if asked_s == 3600 else ""
    assert seen[0][0].for_human() == f"attempt 2/3 in {slept_s:g} s{told}: slow down"


@given(st.integers(1, 2000), st.none() | st.floats(0, 1e9))
def test_a_wait_is_never_longer_than_the_cap_and_never_none(attempt: int, asked_s: float | None) -> None:
    assert 0 < Backoff().wait_s(min(attempt, 1000), asked_s) <= 30.0


def test_waits_vary_by_half() -> None:
    waits = {Backoff().wait_s(1, None) for _ in range(50)}
    assert len(waits) > 1
    assert all(0.25 <= wait <= 0.75 for wait in waits)


async def test_a_notice_is_one_short_line() -> None:
    scripted = ScriptedProvider([OverloadedError(f"so \t sorry {'x' * 100}\nsecond line")], [HELLO])
    seen, _ = await batches_of(retrying(scripted, Sleeps()))
    reason = seen[0][0].for_human().removeprefix("attempt 2/3 in 0.5 s: ")
    assert reason == f"so sorry {'x' * 70}…"
    assert len(reason) == 80


async def test_what_was_left_out_of_the_request_is_said_once() -> None:
    notice, other = Notice(content="top_k is left out"), Notice(content="seed is left out")
    scripted = ScriptedProvider([notice, overloaded()], [(notice, other), HELLO])
    seen, _ = await batches_of(retrying(scripted, Sleeps()))
    assert [batch for batch in seen if batch[0].for_human().endswith("left out")] == [(notice,), [other]]


async def test_batches_pass_as_they_are() -> None:
    batch = [HELLO, WORLD]
    seen, _ = await batches_of(retrying(ScriptedProvider([batch, batch]), Sleeps()))
    assert seen[:2] == [(HELLO, WORLD), (HELLO, WORLD)]


async def test_cancelling_ends_a_wait() -> None:
    waiting = asyncio.Event()

    async def sleep(seconds: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    scripted = ScriptedProvider([overloaded()], [HELLO])
    provider = Retrying(scripted, Backoff(sleep=sleep))
    async with asyncio.timeout(5):
        reading = asyncio.ensure_future(batches_of(provider))
        await waiting.wait()
        reading.cancel()
        await asyncio.wait((reading,))
    assert (reading.cancelled(), len(scripted.invocations)) == (True, 1)


async def test_closing_behind_a_notice_asks_no_more() -> None:
    scripted = ScriptedProvider([overloaded()], [HELLO])
    async with aclosing(retrying(scripted, Sleeps()).invoke(asked(), Spec())) as batches:
        await anext(batches)
    assert len(scripted.invocations) == 1


async def test_closing_inside_an_answer_closes_who_was_asked() -> None:
    scripted = ScriptedProvider([HELLO, asyncio.Event()])
    async with aclosing(retrying(scripted, Sleeps()).invoke(asked(), Spec())) as batches:
        await anext(batches)
    assert scripted.closed == 1


@given(
    st.lists(st.lists(st.sampled_from(["text", "notice", "passing", "lasting"]), max_size=4), min_size=1, max_size=6),
    st.integers(1, 4),
)
async def test_however_attempts_fail_no_word_comes_twice(script: Sequence[Sequence[str]], attempts: int) -> None:
    """Against a model of the rule: the first attempt that says something, or fails for good, is the last one."""
    kinds: dict[str, Callable[[], Item]] = {
        "text": lambda: HELLO,
        "notice": lambda: Notice(content="n"),
        "passing": lambda: OverloadedError("passing"),
        "lasting": lambda: ProtocolError("lasting"),
    }
    calls: list[list[Item]] = [[kinds[name]() for name in call] for call in script]
    scripted = ScriptedProvider(*calls, repeat=True)
    seen, error = await batches_of(retrying(scripted, Sleeps(), attempts=attempts))
    texts, code, asked_times = _model(script, attempts)
    assert [batch for batch in seen if batch[0] == HELLO] == [(HELLO,)] * texts
    assert (error.code if error else None, len(scripted.invocations)) == (code, asked_times)


def _model(script: Sequence[Sequence[str]], attempts: int) -> tuple[int, str | None, int]:
    for attempt in range(1, attempts + 1):
        call = script[(attempt - 1) % len(script)]
        fails = next((name for name in call if name in ("passing", "lasting")), None)
        texts = [name for name in call[: call.index(fails) if fails else None] if name == "text"]
        if fails is None:
            return len(texts), None, attempt
        if texts or fails == "lasting" or attempt == attempts:
            return len(texts), {"passing": "overloaded", "lasting": "protocol"}[fails], attempt
    raise AssertionError("expected an end")
