"""What the span of an inference is told: who was asked and how, what it used; never what was said."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal

import pytest

from ore.artifact import Restart, StopReason, TextDelta, Usage
from ore.errors import RateLimitError
from ore.event import Attribute, Span
from ore.ledger import Buffer, Role
from ore.loop import Step, StepHooks
from ore.models import Spec, ThinkingLevel
from ore.testing import ScriptedProvider


class Facts:
    """A tracer that keeps the facts of its one span."""

    def __init__(self) -> None:
        self.known: dict[str, Attribute] = {}
        self.failed: BaseException | None = None

    @contextmanager
    def span(self, name: str, **attributes: Attribute) -> Iterator[Span]:
        self.known |= attributes
        yield self

    def set(self, name: str, value: Attribute) -> None:
        self.known[name] = value

    def fail(self, error: BaseException) -> None:
        self.failed = error


async def test_the_span_of_an_inference_says_who_was_asked_and_what_it_used() -> None:
    facts = Facts()
    usage = Usage(prompt_tokens=9, completion_tokens=4, total_tokens=13, cache_read_tokens=0, cost_usd=Decimal("0.25"))
    provider = ScriptedProvider([TextDelta(content="secret"), StopReason(reason="length"), usage])
    state = Buffer()
    state.add(Role.USER)
    spec = Spec(
        name="m", temperature=0.0, max_output_tokens=64, thinking_level=ThinkingLevel.LOW, stop_sequences=("x",)
    )
    turn = await Step(hooks=StepHooks(tracer=facts)).turn(state, spec, provider)
    took = [facts.known.pop(name) for name in ("answer.first_seconds", "answer.seconds")]
    assert [isinstance(seconds, float) and seconds >= 0 for seconds in took] == [True, True]
    assert facts.known == {
        "provider": "scripted",
        "model": "m",
        "turn.id": turn.id,
        "ask.max_output_tokens": 64,
        "ask.temperature": 0.0,
        "ask.thinking_level": "low",
        "answer.stop_reason": "length",
        "usage.prompt_tokens": 9,
        "usage.completion_tokens": 4,
        "usage.cache_read_tokens": 0,
        "usage.cost_usd": 0.25,
    }


async def test_an_inference_that_fails_says_how_far_it_got_and_who_answered() -> None:
    facts = Facts()
    provider = ScriptedProvider(
        [TextDelta(content="a"), Restart(attempt=2, model="b:c"), RateLimitError("no", provider="b")]
    )
    with pytest.raises(RateLimitError):
        await Step(hooks=StepHooks(tracer=facts)).turn(Buffer(), Spec(), provider)
    assert sorted(facts.known) == ["answer.first_seconds", "answer.model", "answer.seconds", "provider", "turn.id"]
    assert facts.known["answer.model"] == "b:c"
