"""The contract of a `Provider`: run every check against each implementation."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from ore.artifact import Artifact, Blocks, Notice, Reason, StopReason, Text, TextDelta, ToolCall, Usage
from ore.errors import ContextOverflowError, ProviderError
from ore.ledger import Buffer, Role
from ore.models import Spec
from ore.provider import BATCH_LIMIT, Batch, MaxTokensOption, Option, Provider, WithTools
from ore.testing.contracts.expectations import same, true
from ore.tool import Tool, ToolContext

__all__ = ["Answer", "ProviderBench", "ProviderCheck", "provider_checks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the world behind a provider answers: a model, a server, a script.

    Attributes:
        text: The answer's text, in the pieces in which it arrives; or
        call: the one call that it makes instead, of a tool that takes `{"city": text}`.
        reason: Why it stops.
        end: `whole`; or after the text it `hangs` until it is let go, or
            `breaks` in whatever way that world breaks; or instead of an answer
            it says that the prompt `overflows` the window.
    """

    text: Sequence[str] = ()
    call: ToolCall | None = None
    reason: Reason = "stop"
    prompt_tokens: int = 7
    completion_tokens: int = 3
    end: Literal["whole", "hangs", "breaks", "overflows"] = "whole"


class ProviderBench(Protocol):
    """Makes the provider that a check works with, and the world behind it; closes them afterwards."""

    @property
    def model(self) -> str | None:
        """What a spec calls the model; asked for once the provider is made."""
        ...

    async def provider(self, *answers: Answer) -> Provider:
        """A provider whose inferences get these answers, in order."""
        ...

    async def released(self) -> None:
        """Wait until no inference holds anything: no connection, no thread, no slot."""
        ...

    def requests(self) -> Sequence[object]:
        """What the world was asked, inference by inference, so that equal requests are equal."""
        ...


ProviderCheck = Callable[[ProviderBench], Awaitable[None]]
"""Raises `AssertionError` when the promise in its name is not kept."""

LIMIT_S = 5
"""Seconds that anything here may be waited for."""

GREETING = Answer(text=("Hel", "lo", ", A", "da."))
SPOKEN = "Hello, Ada."


class _Weather:
    """The body of a tool that is offered and never run."""

    schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": False,
    }
    blocking = False

    def parse(self, arguments: str) -> Mapping[str, Any]:
        raise NotImplementedError

    def call(self, context: ToolContext, arguments: Mapping[str, Any]) -> Any:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class _Subject:
    """A provider and how it is asked."""

    provider: Provider
    spec: Spec

    def begin(self, *options: Option) -> AsyncGenerator[Batch, None]:
        return self.provider.invoke(_asked(), self.spec, *options)


WEATHER = Tool(name="weather", description="Current weather in a city.", body=_Weather())


async def fragments_come_while_the_answer_is_still_on_its_way(bench: ProviderBench) -> None:
    subject = await _subject(bench, Answer(text=("Hel", "lo"), end="hangs"))
    seen: list[Artifact] = []
    async with asyncio.timeout(LIMIT_S), aclosing(subject.begin()) as batches:
        async for batch in batches:
            seen += batch
            if _text(seen) == "Hello":
                break
    same(_text(seen), "Hello")
    true(len(seen) > 1, "more than one fragment")
    await _released(bench)


async def the_reason_comes_after_the_text_and_the_usage_last(bench: ProviderBench) -> None:
    artifacts = await _all(await _subject(bench, GREETING))
    same(_text(artifacts), SPOKEN)
    rest = [artifact for artifact in artifacts if isinstance(artifact, StopReason | Usage)]
    same(artifacts[-len(rest) :], rest)
    same([type(artifact) for artifact in rest], [StopReason, Usage])
    same(rest[0], StopReason(reason="stop"))
    usage = rest[1]
    true(isinstance(usage, Usage) and (usage.prompt_tokens, usage.completion_tokens) == (7, 3), f"7 and 3 in {usage}")


async def batches_hold_one_to_64_artifacts(bench: ProviderBench) -> None:
    subject = await _subject(bench, Answer(text=[f"{number} " for number in range(300)]))
    batches = await _batches(subject)
    sizes = [len(batch) for batch in batches]
    true(all(1 <= size <= BATCH_LIMIT for size in sizes), f"1 to {BATCH_LIMIT} artifacts in a batch, got {sizes}")
    same(_text([artifact for batch in batches for artifact in batch]), "".join(f"{number} " for number in range(300)))


async def a_call_comes_whole_and_the_reason_says_so(bench: ProviderBench) -> None:
    call = ToolCall(id="c1", name="weather", arguments='{"city": "Lisbon"}')
    artifacts = await _all(await _subject(bench, Answer(call=call, reason="tool_use")), WithTools((WEATHER,)))
    found = [artifact for artifact in _folded(artifacts) if isinstance(artifact, ToolCall)]
    same([(one.name, one.arguments) for one in found], [(call.name, call.arguments)])
    true(found[0].id != "", "an id")
    same([artifact for artifact in artifacts if isinstance(artifact, StopReason)], [StopReason(reason="tool_use")])


async def an_answer_that_was_cut_says_so(bench: ProviderBench) -> None:
    artifacts = await _all(await _subject(bench, Answer(text=("Once", " upon"), reason="length")))
    same(_text(artifacts), "Once upon")
    same([artifact for artifact in artifacts if isinstance(artifact, StopReason)], [StopReason(reason="length")])


async def leaving_early_lets_go_and_the_next_inference_works(bench: ProviderBench) -> None:
    subject = await _subject(bench, Answer(text=("Hel", "lo"), end="hangs"), GREETING)
    async with asyncio.timeout(LIMIT_S), aclosing(subject.begin()) as batches:
        async for batch in batches:
            if not _is_announcement(batch):
                break
    await _released(bench)
    same(_text(await _all(subject)), SPOKEN)


async def cancelling_the_reader_lets_go_and_the_next_inference_works(bench: ProviderBench) -> None:
    subject = await _subject(bench, Answer(text=("Hel", "lo"), end="hangs"), GREETING)
    begun = asyncio.Event()

    async def read() -> None:
        async with aclosing(subject.begin()) as batches:
            async for batch in batches:
                if not _is_announcement(batch):
                    begun.set()

    async with asyncio.timeout(LIMIT_S), asyncio.TaskGroup() as group:
        reader = group.create_task(read())
        await begun.wait()
        reader.cancel()
    true(reader.cancelled(), "the cancellation to reach the reader")
    await _released(bench)
    same(_text(await _all(subject)), SPOKEN)


async def what_came_before_a_break_stands_and_the_break_is_a_provider_error(bench: ProviderBench) -> None:
    subject = await _subject(bench, Answer(text=("Hel", "lo"), end="breaks"), GREETING)
    seen, error = await _failed(subject)
    same(_text(seen), "Hello")
    true(
        error.provider in (None, subject.provider.name),
        f"an error of {subject.provider.name!r}, got one of {error.provider!r}",
    )
    await _released(bench)
    same(_text(await _all(subject)), SPOKEN)


async def a_prompt_that_is_too_long_has_its_own_error(bench: ProviderBench) -> None:
    subject = await _subject(bench, Answer(end="overflows"), GREETING)
    seen, error = await _failed(subject)
    same((seen, type(error)), ([], ContextOverflowError))
    same(_text(await _all(subject)), SPOKEN)


async def an_option_nobody_knows_is_passed_over(bench: ProviderBench) -> None:
    subject = await _subject(bench, GREETING, GREETING)
    same(_text(await _all(subject, object(), "x", 1)), SPOKEN)
    await _all(subject)
    first, second = bench.requests()
    same(first, second)


async def a_limit_that_is_not_positive_is_no_limit(bench: ProviderBench) -> None:
    subject = await _subject(bench, GREETING, GREETING, GREETING)
    for options in ((), (MaxTokensOption(0),), (MaxTokensOption(-1),)):
        same(_text(await _all(subject, *options)), SPOKEN)
    without, zero, negative = bench.requests()
    same((zero, negative), (without, without))


async def an_inference_only_reads_the_state(bench: ProviderBench) -> None:
    subject = await _subject(bench, GREETING)
    state = _asked()
    before = list(state.turns)
    async with asyncio.timeout(LIMIT_S), aclosing(subject.provider.invoke(state, subject.spec)) as batches:
        async for _ in batches:
            pass
    same(list(state.turns), before)


async def an_inference_that_was_never_begun_asks_nothing(bench: ProviderBench) -> None:
    subject = await _subject(bench, GREETING)
    await subject.begin().aclose()
    same(list(bench.requests()), [])
    same(_text(await _all(subject)), SPOKEN)


async def two_inferences_at_once_do_not_mix(bench: ProviderBench) -> None:
    subject = await _subject(bench, GREETING, GREETING)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_all(subject)) for _ in range(2)]
    same([_text(task.result()) for task in tasks], [SPOKEN, SPOKEN])


async def one_provider_serves_one_event_loop_after_another(bench: ProviderBench) -> None:
    subject = await _subject(bench, GREETING, GREETING)
    for _ in range(2):
        same(_text(await asyncio.to_thread(_in_a_loop_of_its_own, subject)), SPOKEN)


async def one_provider_serves_two_event_loops_at_once(bench: ProviderBench) -> None:
    subject = await _subject(bench, GREETING, GREETING)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(asyncio.to_thread(_in_a_loop_of_its_own, subject)) for _ in range(2)]
    same([_text(task.result()) for task in tasks], [SPOKEN, SPOKEN])


async def its_name_is_stable(bench: ProviderBench) -> None:
    subject = await _subject(bench, GREETING)
    name = subject.provider.name
    await _all(subject)
    same(subject.provider.name, name)
    true(name != "", "a name")


_CHECKS: Sequence[ProviderCheck] = (
    fragments_come_while_the_answer_is_still_on_its_way,
    the_reason_comes_after_the_text_and_the_usage_last,
    batches_hold_one_to_64_artifacts,
    a_call_comes_whole_and_the_reason_says_so,
    an_answer_that_was_cut_says_so,
    leaving_early_lets_go_and_the_next_inference_works,
    cancelling_the_reader_lets_go_and_the_next_inference_works,
    what_came_before_a_break_stands_and_the_break_is_a_provider_error,
    a_prompt_that_is_too_long_has_its_own_error,
    an_option_nobody_knows_is_passed_over,
    a_limit_that_is_not_positive_is_no_limit,
    an_inference_only_reads_the_state,
    an_inference_that_was_never_begun_asks_nothing,
    two_inferences_at_once_do_not_mix,
    one_provider_serves_one_event_loop_after_another,
    one_provider_serves_two_event_loops_at_once,
    its_name_is_stable,
)


def provider_checks() -> Sequence[tuple[str, ProviderCheck]]:
    """Every check by its name, to parametrize a test with."""
    return [(getattr(check, "__name__", ""), check) for check in _CHECKS]


async def _subject(bench: ProviderBench, *answers: Answer) -> _Subject:
    provider = await bench.provider(*answers)
    return _Subject(provider, Spec(name=bench.model))


def _asked() -> Buffer:
    state = Buffer()
    state.add(Role.SYSTEM, Text(content="Be brief."))
    state.add(Role.USER, Text(content="Say hello to Ada."))
    return state


async def _batches(subject: _Subject, *options: Option) -> list[Batch]:
    async with asyncio.timeout(LIMIT_S), aclosing(subject.begin(*options)) as batches:
        return [batch async for batch in batches]


async def _all(subject: _Subject, *options: Option) -> list[Artifact]:
    return [artifact for batch in await _batches(subject, *options) for artifact in batch]


async def _failed(subject: _Subject) -> tuple[list[Artifact], ProviderError]:
    seen: list[Artifact] = []
    try:
        async with asyncio.timeout(LIMIT_S), aclosing(subject.begin()) as batches:
            async for batch in batches:
                seen += () if _is_announcement(batch) else batch
    except ProviderError as error:
        return seen, error
    raise AssertionError(f"expected a ProviderError, got {seen!r}")


def _is_announcement(batch: Batch) -> bool:
    """Whether it holds nothing but notices, which may come before anything is asked."""
    return all(isinstance(artifact, Notice) for artifact in batch)


async def _released(bench: ProviderBench) -> None:
    async with asyncio.timeout(LIMIT_S):
        await bench.released()


def _in_a_loop_of_its_own(subject: _Subject) -> list[Artifact]:
    return asyncio.run(_all(subject))


def _folded(artifacts: Sequence[Artifact]) -> Sequence[Artifact]:
    blocks = Blocks("turn", lambda artifact, block: None)
    for artifact in artifacts:
        blocks.add(artifact)
    return blocks.close()


def _text(artifacts: Sequence[Artifact]) -> str:
    return "".join(artifact.content for artifact in artifacts if isinstance(artifact, TextDelta))
