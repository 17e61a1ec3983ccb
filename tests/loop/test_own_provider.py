"""A provider of one's own that gets something wrong hears what was expected, and by its name."""

from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest

from ore import Agent
from ore.artifact import Artifact, StopReason, TextDelta
from ore.errors import ProtocolError
from ore.ledger import Buffer, State
from ore.loop import Step
from ore.models import Spec
from ore.provider import invoked, misfit

HI = TextDelta(content="Hi")


class Own:
    """Yields what it was given."""

    name = "mine"

    def __init__(self, *batches: Any) -> None:
        self._batches = batches

    async def invoke(self, state: State, spec: Spec, *options: Any) -> AsyncGenerator[Any, None]:
        for batch in self._batches:
            if isinstance(batch, Exception):
                raise batch
            yield batch


class Shaped:
    """Answers a call in a way of its own."""

    name = "mine"

    def __init__(self, invoke: Callable[..., Any]) -> None:
        self.invoke = invoke


async def coroutine(state: State, spec: Spec, *options: Any) -> list[Artifact]:
    return [HI]


def generator(state: State, spec: Spec, *options: Any) -> Any:
    yield [HI]


async def without_options(state: State, spec: Spec) -> AsyncGenerator[Any, None]:
    yield [HI]


async def turn(provider: Any) -> None:
    await Step().turn(Buffer(), Spec(), provider, "an option")


@pytest.mark.parametrize(
    ("batch", "got"),
    [
        (HI, "got one artifact, a TextDelta, that is in no list"),
        ("Hi", "got a str"),
        (b"Hi", "got a bytes"),
        (None, "got None"),
        ({"kind": "text_delta"}, "got a dict"),
        (["Hi"], "got a list that holds a str"),
        ((HI, None), "got a tuple that holds None"),
        ([[HI]], "got a list that holds a list"),
    ],
)
@pytest.mark.parametrize("before", [(), ([HI],)])
async def test_what_is_no_list_of_artifacts_is_named(batch: Any, got: str, before: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError) as raised:
        await turn(Own(*before, batch))
    expected = "provider 'mine': expected it to yield lists of artifacts such as [TextDelta(content='Hi')]"
    assert str(raised.value) == f"{expected}, {got}"


@pytest.mark.parametrize(
    ("invoke", "got"),
    [
        (coroutine, "this one returns a coroutine"),
        (generator, "this one returns a generator"),
        (lambda state, spec, *options: [[HI]], "this one returns a list"),
        (without_options, "this one takes other arguments"),
    ],
)
async def test_what_is_no_async_generator_is_named(invoke: Callable[..., Any], got: str) -> None:
    with pytest.raises(TypeError) as raised:
        await turn(Shaped(invoke))
    assert str(raised.value).startswith("provider 'mine': expected async def invoke(self, state, spec, *options)")
    assert str(raised.value).endswith(got)


def test_an_error_inside_of_its_own_call_is_its_own() -> None:
    def fails(state: State, spec: Spec, *options: Any) -> Any:
        raise TypeError("1 + 'a'")

    with pytest.raises(TypeError, match=r"^1 \+ 'a'$"):
        invoked(Shaped(fails), Buffer(), Spec(), ())


async def test_any_error_of_its_own_is_raised_as_it_is_with_a_note_that_says_who_and_what_was_expected() -> None:
    with pytest.raises(ZeroDivisionError) as raised:
        await turn(Own([HI], ZeroDivisionError("boom")))
    assert str(raised.value) == "boom"
    assert raised.value.__notes__ == ["provider 'mine': expected a ProviderError of a call that failed"]


@pytest.mark.parametrize("batches", [(), ([],), ([], [])])
async def test_an_answer_without_anything_is_none(batches: tuple[Any, ...]) -> None:
    with pytest.raises(ProtocolError, match="expected at least one artifact in the answer, got none") as raised:
        await turn(Own(*batches))
    assert raised.value.provider == "mine"


async def test_an_answer_that_ends_without_a_word_about_it_is_whole() -> None:
    assert (await Agent(Own([HI])).run("?")).text == "Hi"


def test_nothing_is_wrong_with_a_list_of_artifacts() -> None:
    assert [misfit(Own(), batch) for batch in ([HI], (HI, StopReason(reason="stop")), [])] == [None] * 3


@pytest.mark.parametrize(
    ("model", "got"),
    [
        (Own, "got the class Own"),
        (object(), "got object"),
        (type("Nameless", (), {"invoke": None})(), "got Nameless whose `name` is no text"),
        (7, "got int"),
    ],
)
def test_an_agent_refuses_what_is_no_provider(model: Any, got: str) -> None:
    with pytest.raises(TypeError, match=f"^model: expected .*{got}"):
        Agent(model)
