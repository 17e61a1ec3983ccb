"""A conversation is handed on from one agent to another, within its session."""

import asyncio
from typing import Any

import pytest

from ore import Agent, Spec, UsageLimits
from ore.artifact import Artifact, ResultStatus, Text, ToolCall, ToolResult, Usage
from ore.errors import InputError, LimitError
from ore.ext.patterns import FunctionVerifier, HandOff, active_agent, verified
from ore.ext.stores.sqlite import SqliteStore
from ore.ext.transforms.compaction import Compaction, compact
from ore.ext.transforms.guardrails import Guardrails, redacting
from ore.ledger import EffectRecord, MemoryStore, Message, Role, State, TakenRecord, Thread, TurnRecord
from ore.provider import tools_of
from ore.session import Manager, Services
from ore.testing import Recorder, ScriptedProvider, check_order
from ore.testing.scripted import Invocation, Item
from ore.testing.sendable import check_sendable
from ore.tool import tool
from transforms.histories import texts

OK = ResultStatus.OK


def to(name: str, task: str = "", id: str = "h") -> ToolCall:
    return ToolCall(id=id, name=f"hand_off_to_{name}", arguments=f'{{"task": "{task}"}}')


@tool(read_only=True)
async def order(number: int) -> str:
    """Look an order up."""
    return f"order {number} is late"


@tool(read_only=True)
async def refund(number: int) -> str:
    """Pay back."""
    return f"order {number} is paid back"


def team(*scripts: list[list[Item]], **more: Any) -> tuple[Agent, list[ScriptedProvider]]:
    """Three agents: the desk, which looks orders up, money, which pays back, and a poet."""
    providers = [ScriptedProvider(*script, name=f"p{n}") for n, script in enumerate((*scripts, [], [])[:3])]
    money = Agent(
        providers[1],
        name="money",
        description="Pays back.",
        instructions="You are money.",
        tools=[refund],
        spec=Spec(name="rich", temperature=0.0),
    )
    poet = Agent(providers[2], name="poet", instructions="You are a poet.", spec=Spec(name="bard"))
    desk = Agent(
        providers[0],
        name="desk",
        instructions="You are the desk.",
        tools=[order],
        spec=Spec(name="quick"),
        extensions=[HandOff(money.spec(), poet.spec()), *more.pop("extensions", ())],
        **more,
    )
    return desk, providers


def seen_by(asked: Invocation) -> tuple[str, str | None, list[str]]:
    """Whose instructions, which model, and which tools."""
    return texts(asked.turns)[0], asked.spec.name, [one.name for one in tools_of(asked.options)]


@pytest.mark.requirement("D-hand-off")
async def test_the_next_inference_is_the_other_agent_s_in_the_same_message_and_with_the_whole_conversation() -> None:
    desk, (first, second, _) = team(
        [
            [ToolCall(id="o", name="order", arguments='{"number": 7}')],
            [Text(content="One moment."), to("money", "Pay.")],
        ],
        [[ToolCall(id="r", name="refund", arguments='{"number": 7}')], [Text(content="It is paid back.")]],
    )
    async with desk.session("s", store=MemoryStore()) as session, Recorder(session.handle) as seen:
        result = await session.run("my order 7 is late")
        assert active_agent(session.turns) == "money"
    assert result.text == "It is paid back."
    assert seen_by(first.invocations[0]) == (
        "You are the desk.",
        "quick",
        ["order", "hand_off_to_money", "hand_off_to_poet"],
    )
    assert seen_by(second.invocations[0]) == (
        "You are money.",
        "rich",
        ["refund", "hand_off_to_desk", "hand_off_to_poet"],
    )
    assert second.invocations[0].spec.temperature == 0.0
    assert texts(second.invocations[0].turns)[1:] == [
        "my order 7 is late",
        "→o",
        "←o",
        "One moment. →h",
        "←h",
    ]
    handed = session.turns[4].artifacts[0]
    assert isinstance(handed, ToolResult)
    assert "yours now, money; desk had it before" in handed.content and handed.content.endswith("Pay.")
    assert [turn.model for turn in session.turns if turn.role is Role.ASSISTANT] == [
        *("p0:quick", "p0:quick"),
        *("p1:rich", "p1:rich"),
    ]
    assert handed.display == "handed on to money"
    check_sendable(session.turns)
    check_order(seen.entries)


@pytest.mark.requirement("D-hand-off")
async def test_it_stays_handed_on_over_messages_and_restarts_and_can_be_handed_back(tmp_path: Any) -> None:
    scripts: tuple[list[list[Item]], ...] = (
        [[to("poet")], [Text(content="Desk again.")]],
        [],
        [[Text(content="A rose.")], [Text(content="A tulip.")], [to("desk")]],
    )
    desk, (first, _, poet) = team(*scripts)
    store = SqliteStore(tmp_path / "s.db")
    async with desk.session("s", store=store) as session:
        assert (await session.run("a poem")).text == "A rose."
    async with desk.session("s", store=store) as session:
        assert (await session.run("another")).text == "A tulip."
        assert (await session.run("thank you")).text == "Desk again."
        assert active_agent(session.turns) == "desk"
    assert [len(one.invocations) for one in (first, poet)] == [2, 3]
    assert texts(first.invocations[1].turns)[-1] == "←h"
    await store.aclose()


@pytest.mark.requirement("D-hand-off")
async def test_of_two_hand_offs_in_one_turn_the_last_holds_and_other_calls_of_it_are_answered() -> None:
    calls = [ToolCall(id="o", name="order", arguments='{"number": 7}'), to("money", id="a"), to("poet", id="b")]
    desk, (_, money, poet) = team([[*calls]], [], [[Text(content="A rose.")]])
    async with desk.session("s", store=MemoryStore()) as session:
        assert (await session.run("go")).text == "A rose."
        assert [one.status for one in session.turns[2].artifacts if isinstance(one, ToolResult)] == ["ok"] * 3
    assert (len(money.invocations), len(poet.invocations)) == (0, 1)
    check_sendable(session.turns)


@pytest.mark.parametrize("back", [True, False], ids=["handing back", "calling tools"])
async def test_all_of_them_together_have_the_rounds_of_one_message(back: bool) -> None:
    """Whether they hand on to each other for ever, or one of them calls its tools for ever."""
    paid: list[list[Item]] = [[ToolCall(id="r", name="refund", arguments=f'{{"number": {n}}}')] for n in range(9)]
    desk, asked = team([[to("money")]] * 9, [[to("desk")]] * 9 if back else paid, limits=UsageLimits(rounds=6))
    async with desk.session("s", store=MemoryStore()) as session:
        with pytest.raises(LimitError, match="6 rounds"):
            await session.run("go")
        check_sendable(session.turns)
    assert sum(len(provider.invocations) for provider in asked) == 6


@pytest.mark.requirement("D-hand-off-facts")
async def test_a_model_that_the_session_s_facts_name_is_asked_for_all_of_them() -> None:
    other = ScriptedProvider([to("money")], [Text(content="paid")], name="other")
    desk, (first, second, _) = team([], [])
    manager = Manager(desk.spec(), services=Services(resolve=lambda name: (other, name.partition(":")[2])))
    async with await manager.create({"ore.model.name": "other:big", "ore.model.temperature": "0.7"}) as stream:
        await stream.process("go")
    assert [seen_by(asked)[:2] for asked in other.invocations] == [
        ("You are the desk.", "big"),
        ("You are money.", "big"),
    ]
    assert [asked.spec.temperature for asked in other.invocations] == [0.7, 0.7]
    assert not first.invocations and not second.invocations


@pytest.mark.requirement("D-hand-off-facts")
async def test_what_facts_say_beside_the_model_s_name_goes_before_what_each_agent_says() -> None:
    desk, (_, second, _) = team([[to("money")]], [[Text(content="paid")]])
    async with desk.session("s", store=MemoryStore()) as session:
        await session.metadata.set("ore.model.temperature", "0.9")
        await session.run("go")
    assert (second.invocations[0].spec.name, second.invocations[0].spec.temperature) == ("rich", 0.9)


async def test_handlers_see_what_their_own_agent_says() -> None:
    class Heard:
        def __init__(self) -> None:
            self.said: list[str] = []

        async def handle(self, artifact: Artifact, emitter: Any) -> None:
            if isinstance(artifact, Text | ToolCall):
                self.said.append(artifact.for_model() if isinstance(artifact, Text) else artifact.name)

    own, others = Heard(), Heard()
    money = Agent(ScriptedProvider([Text(content="paid")]), name="money", handlers=[others])
    desk = Agent(ScriptedProvider([to("money")]), name="desk", handlers=[own], extensions=[HandOff(money.spec())])
    await desk.run("go")
    assert (own.said, others.said) == (["go", "hand_off_to_money", "paid"], ["paid"])


@pytest.mark.requirement("D-hand-off", "D-guard-output")
async def test_the_pattern_of_the_other_agent_holds_from_its_first_inference_on_with_its_guards() -> None:
    """And that of the agent before holds no longer, not even within the message."""
    first = ScriptedProvider([Text(content="my key"), to("money")], [Text(content="your key")], repeat=True)
    second = ScriptedProvider([Text(content="key 1")], [Text(content="key 2")], [to("desk")])
    checked: list[str] = []

    def is_second(state: State) -> str | None:
        checked.append(texts(state)[-1])
        return None if "2" in checked[-1] else "once more"

    money = Agent(
        second,
        name="money",
        pattern=verified(FunctionVerifier("second", is_second)),
        extensions=[Guardrails(output=[redacting("key", "[key]")])],
    )
    desk = Agent(first, name="desk", extensions=[HandOff(money.spec())])
    async with desk.session("s", store=MemoryStore()) as session:
        assert (await session.run("go")).text == "[key] 2"
        assert checked == ["[key] 1", "[key] 2"]
        assert texts(session.turns)[1] == "my key →h"
        assert (await session.run("and back")).text == "your key"
        assert len(checked) == 2
        check_sendable(session.turns)


async def test_limits_of_the_first_agent_hold_for_all() -> None:
    used = Usage(prompt_tokens=40, completion_tokens=10, total_tokens=50)
    desk, _ = team([[to("money"), used]], [[to("desk"), used]] * 9, limits=UsageLimits(tokens=80))
    with pytest.raises(LimitError):
        await desk.run("go")


async def test_a_conversation_that_was_handed_on_can_be_compacted() -> None:
    desk, (_, second, _) = team(
        [[to("money")], [Text(content="a summary")]],
        [[Text(content="paid")], [Text(content="again")], [Text(content="more")]],
        extensions=[Compaction()],
    )
    async with desk.session("s", store=MemoryStore()) as session:
        await session.run("go")
        assert await compact(session.handle) is not None
        await session.run("and now?")
    assert [text[:20] for text in texts(second.invocations[-1].turns)] == [
        "You are money.",
        "[This conversation w",
        "and now?",
    ]


@pytest.mark.requirement("D-hand-off")
async def test_going_back_before_a_hand_off_takes_it_back() -> None:
    desk, (first, second, _) = team(
        [[Text(content="hello")], [to("money")], [Text(content="desk")]], [[Text(content="paid")]]
    )
    async with desk.session("s", store=MemoryStore()) as session:
        await session.run("hi")
        await session.run("go")
        await session.handle.history.undo()
        assert (await session.run("something else")).text == "desk"
    assert (len(first.invocations), len(second.invocations)) == (3, 1)


@pytest.mark.requirement("D-hand-off-crash")
@pytest.mark.parametrize("done", [True, False], ids=["handed on", "not yet"])
async def test_after_a_crash_between_hand_off_and_answer_the_calls_are_answered_and_the_other_goes_on(
    done: bool,
) -> None:
    """The hand-off was made, or begun; a call of the first agent beside it was not answered."""
    store = MemoryStore()
    await store.create("s", {})
    await store.submit("s", Message(id="m", artifacts=(Text(content="go"),)))
    writer = await store.take("s")
    await store.next(writer, mark=True)
    thread = Thread()
    asked = thread.add(Role.USER, Text(content="go"))
    answer = thread.add(Role.ASSISTANT, to("money"), ToolCall(id="o", name="order", arguments='{"number": 7}'))
    handed = ToolResult(tool_call_id="h", content="it is yours, money", status=OK)
    effect = EffectRecord(key=f"{answer.id}:0", idempotent=True, result=handed if done else None)
    await store.append(
        writer, [TakenRecord(message="m"), *[TurnRecord(turn=turn, message="m") for turn in (asked, answer)], effect]
    )
    desk, (_, second, _) = team([], [[Text(content="paid")]])
    manager = Manager(desk.spec(), store)
    (stream,) = await manager.recover()
    async with asyncio.timeout(5):
        await stream.idle()
    results = [one for turn in stream.turns for one in turn.artifacts if isinstance(one, ToolResult)]
    assert [one.is_error for one in results] == [False, False]
    assert "order 7 is late" in results[1].content
    assert texts(stream.turns)[-1] == "paid"
    assert seen_by(second.invocations[0])[0] == "You are money."
    await manager.aclose()


def test_names_differ_and_there_is_somebody_to_hand_on_to() -> None:
    other = Agent(ScriptedProvider(), name="desk").spec()
    with pytest.raises(InputError, match="at least one"):
        HandOff()
    with pytest.raises(InputError, match="differ"):
        Agent(ScriptedProvider(), name="desk", extensions=[HandOff(other)]).spec()
