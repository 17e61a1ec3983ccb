"""Instructions stand before the conversation, the same bytes as long as they are the same text."""

import pytest

from ore.agent import Instructions, instructions
from ore.artifact import Text
from ore.ledger import Buffer, Role, State, encode_turn
from ore.loop import Step, StepHooks
from ore.models import Spec
from ore.testing.scripted import ScriptedProvider


def talk() -> Buffer:
    state = Buffer()
    state.add(Role.USER, Text(content="Hello"))
    return state


def test_a_system_turn_stands_before_the_conversation_and_not_in_it() -> None:
    state = talk()
    seen = instructions("Be brief.")(state)
    assert [(turn.role, turn.artifacts) for turn in seen.turns] == [
        (Role.SYSTEM, (Text(content="Be brief."),)),
        (Role.USER, (Text(content="Hello"),)),
    ]
    assert (seen.base, len(state.turns)) == (state, 1)


def test_the_same_text_makes_the_same_bytes() -> None:
    """In another process too: nothing of it is made up anew."""
    first, second = instructions("Be brief.")(talk()), instructions(lambda: "Be brief.")(talk())
    assert encode_turn(first.turns[0]) == encode_turn(second.turns[0])


def test_turns_that_come_later_show_behind_them() -> None:
    state = talk()
    seen = instructions("Be brief.")(state)
    state.add(Role.ASSISTANT, Text(content="Hi"))
    assert [turn.role for turn in seen.turns] == [Role.SYSTEM, Role.USER, Role.ASSISTANT]


@pytest.mark.parametrize("source", ["", lambda: ""])
def test_no_text_adds_nothing(source: Instructions) -> None:
    state = talk()
    assert instructions(source)(state) is state


def test_a_function_may_have_nothing_to_say_any_more() -> None:
    texts = iter(["Be brief.", "", "Be kind."])
    transform, state = instructions(lambda: next(texts)), talk()
    assert [len(transform(state).turns) for _ in range(3)] == [2, 1, 2]


async def test_a_function_is_asked_once_for_each_inference() -> None:
    texts = iter(["Be brief.", "Be brief.", "Be kind."])
    state = talk()
    provider = ScriptedProvider([Text(content="Hi")], repeat=True)
    step = Step(state, hooks=StepHooks(transforms=(instructions(lambda: next(texts)),)))
    for _ in range(3):
        await step.turn(state, Spec(), provider)
    said = [invocation.turns[0].artifacts[0].for_model() for invocation in provider.invocations]
    assert said == ["Be brief.", "Be brief.", "Be kind."]
    assert next(texts, "asked three times") == "asked three times"


def test_a_view_that_was_taken_keeps_its_text() -> None:
    """One source may serve several sessions at once."""
    texts = iter(["for the first", "for the second"])
    transform = instructions(lambda: next(texts))
    first, second = transform(talk()), transform(talk())
    assert [state.turns[0].artifacts for state in (first, second)] == [
        (Text(content="for the first"),),
        (Text(content="for the second"),),
    ]


def test_lone_surrogates_are_replaced() -> None:
    seen: State = instructions("x\ud800y")(talk())
    assert seen.turns[0].artifacts == (Text(content="x\ufffdy"),)


def test_a_function_that_fails_fails_the_inference() -> None:
    def source() -> str:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        instructions(source)(talk())
