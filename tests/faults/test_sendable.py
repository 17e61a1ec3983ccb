"""The checker of the pairing rules refuses what a vendor would refuse, and nothing else."""

import pytest
from hypothesis import given

from ore.artifact import Artifact, Reasoning, StopReason, Text, ToolCall, ToolResult, Usage
from ore.ledger import Role, Turn
from ore.testing.sendable import check_sendable
from strategies import strings

COUNT = iter(range(1_000_000))


def turn(role: Role, *artifacts: Artifact) -> Turn:
    return Turn(id=f"t{next(COUNT)}", role=role, artifacts=artifacts)


def user(text: str = "hi") -> Turn:
    return turn(Role.USER, Text(content=text))


def asks(*ids: str, name: str = "look") -> Turn:
    return turn(Role.ASSISTANT, *[ToolCall(id=id, name=name, arguments="{}") for id in ids])


def answers(*ids: str) -> Turn:
    return turn(Role.TOOL, *[ToolResult(tool_call_id=id, content="ok") for id in ids])


ANSWER = turn(Role.ASSISTANT, Text(content="done"), StopReason(reason="stop"), Usage())

SENDABLE = [
    pytest.param([], id="nothing"),
    pytest.param([user(), ANSWER], id="a question and its answer"),
    pytest.param([user(), asks("a", "b"), answers("a", "b"), ANSWER], id="parallel calls"),
    pytest.param([user(), asks("a", "b"), answers("a"), answers("b"), user()], id="a turn for each result"),
    pytest.param([user(), asks("a"), answers("a"), asks("a"), answers("a")], id="an id again in the next round"),
    pytest.param([user(), asks("a"), turn(Role.SYSTEM), answers("a")], id="a system turn anywhere"),
    pytest.param([turn(Role.USER, Text(content="", provider_data={"provider": "p"})), ANSWER], id="a vendor's own"),
]

NOT_SENDABLE = [
    pytest.param([user(), asks("a")], id="a call left open"),
    pytest.param([user(), asks("a"), user()], id="a user turn between"),
    pytest.param([user(), asks("a"), ANSWER], id="an assistant turn between"),
    pytest.param([user(), asks("a", "b"), answers("a"), ANSWER], id="one of two answered"),
    pytest.param([user(), asks("a", "b"), answers("b", "a")], id="another order"),
    pytest.param([user(), asks("a"), answers("a", "a")], id="answered twice"),
    pytest.param([user(), answers("a")], id="a result without a call"),
    pytest.param([user(), asks("a"), answers("a"), answers("a")], id="a second result turn"),
    pytest.param([user(), asks("a", "a"), answers("a", "a")], id="an id twice in a turn"),
    pytest.param([user(), asks(""), answers("")], id="no id"),
    pytest.param([user(), asks("a", name="a.b"), answers("a")], id="a name with a dot"),
    pytest.param([user(""), ANSWER], id="an empty text"),
    pytest.param([turn(Role.USER), ANSWER], id="an empty turn"),
    pytest.param([user(), turn(Role.ASSISTANT, StopReason(reason="stop"), Usage())], id="only accounts"),
    pytest.param([user(), turn(Role.ASSISTANT, Reasoning(content="hm"))], id="only unsigned thoughts"),
    pytest.param([user("x\ud800y"), ANSWER], id="a lone surrogate"),
    pytest.param([turn(Role.USER, ToolResult(tool_call_id="a", content="x")), ANSWER], id="a result by the user"),
    pytest.param(
        [turn(Role.USER, ToolCall(id="a", name="look", arguments="{}")), answers("a")], id="a call by the user"
    ),
    pytest.param([user(), turn(Role.TOOL), ANSWER], id="a tool turn without a result"),
]


@pytest.mark.parametrize("turns", SENDABLE)
@pytest.mark.requirement("D-faults-sendable")
def test_what_vendors_take_passes(turns: list[Turn]) -> None:
    check_sendable(turns)


@pytest.mark.parametrize("turns", NOT_SENDABLE)
@pytest.mark.requirement("D-faults-sendable")
def test_what_a_vendor_would_refuse_is_found(turns: list[Turn]) -> None:
    with pytest.raises(AssertionError):
        check_sendable(turns)


@given(strings())
def test_arguments_may_be_any_text(arguments: str) -> None:
    """The wire sends `{}` for what is no JSON object; lone surrogates never reach a ledger."""
    text = arguments.encode(errors="ignore").decode()
    check_sendable([user(), turn(Role.ASSISTANT, ToolCall(id="a", name="look", arguments=text)), answers("a")])
