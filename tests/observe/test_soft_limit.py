"""The soft limit: a person hears of it once, or is asked once, for all that share the budget."""

import asyncio

import pytest

from app.script import until
from observe.spending import Spender, calls, usage, words
from ore import Agent, UsageLimits
from ore.artifact import Artifact, Notice, Severity, ToolCall
from ore.errors import LimitError
from ore.event import Answer, Question
from ore.ext.observe.budget import Allowance, Budget
from ore.ledger import MemoryStore
from ore.session import AskPolicy, Manager, Services
from ore.testing import ScriptedProvider, check_order

CALL = ToolCall(id="c", name="none", arguments="{}")
THREE: list[list[Artifact]] = [[CALL, usage(50)], [CALL, usage(10)], [*words(1), usage(10)]]


@pytest.mark.requirement("D-budget-soft")
async def test_a_notice_comes_once_before_the_first_inference_behind_the_soft_limit() -> None:
    agent = Agent(ScriptedProvider(*THREE), limits=UsageLimits(tokens=100, soft=0.5))
    async with agent.stream("go") as run:
        told = [entry async for entry in run.events()]
        assert (await run.result()).status == "done"
    check_order(told)
    assert [entry.event for entry in told if entry.kind == "notice"] == [
        Notice(content="usage: 50 of 100 tokens are used", severity=Severity.WARN)
    ]
    kinds = [entry.kind for entry in told]
    assert kinds.index("turn_complete") < kinds.index("notice") < kinds.index("text_delta")


@pytest.mark.requirement("D-budget-soft")
@pytest.mark.parametrize(
    ("answer", "goes_on"),
    [
        ({"answer": "go on"}, True),
        ({"answer": " Yes "}, True),
        ({"decision": "approve"}, True),
        ({"answer": "stop"}, False),
        ({"decision": "deny"}, False),
        ({"answer": 1}, False),
    ],
)
async def test_a_person_says_whether_the_work_goes_on(answer: dict[str, object], goes_on: bool) -> None:
    asked: list[Question] = []

    def decide(question: Question) -> Answer:
        asked.append(question)
        return Answer(key=question.key, **answer)  # type: ignore[arg-type]

    provider = ScriptedProvider(*THREE)
    agent = Agent(provider, limits=UsageLimits(tokens=100, soft=0.5, ask=True))
    if goes_on:
        assert (await agent.run("go", on_question=decide)).text == "four"
    else:
        with pytest.raises(LimitError, match="50 of 100 tokens are used, and nobody said"):
            await agent.run("go", on_question=decide)
    assert [(one.purpose, one.text, one.options) for one in asked] == [
        ("ask", "usage: 50 of 100 tokens are used. Go on?", ("go on", "stop"))
    ]
    assert len(provider.invocations) == (3 if goes_on else 1)


@pytest.mark.requirement("D-budget-soft")
async def test_where_nobody_is_there_to_ask_the_work_ends() -> None:
    agent = Agent(ScriptedProvider(*THREE), limits=UsageLimits(tokens=100, soft=0.5, ask=True))
    with pytest.raises(LimitError, match="nobody said"):
        await agent.run("go")


@pytest.mark.requirement("D-budget-soft")
async def test_any_front_end_may_answer_and_children_ask_in_the_session_of_their_parent() -> None:
    """Five of them reach it at once: one asks, the others wait."""
    below = Spender(lambda before: 10, words(1))
    names = [f"child{place}" for place in range(5)]
    tools = [Agent(below, name=name, description="Works.").as_tool() for name in names]
    above = ScriptedProvider([*calls(*names), usage(60)], [*words(1), usage(1)])
    agent = Agent(above, tools=tools, limits=UsageLimits(tokens=10_000, calls=10, soft=0.1, ask=True))
    services = Services(asking=AskPolicy(wait=True))
    manager = Manager(agent.spec(), services=services)
    stream = await manager.create()
    async with asyncio.timeout(10), stream.subscribe("question") as questions:
        ticket = stream.submit("go")
        question = (await anext(questions)).event
        assert isinstance(question, Question)
        assert below.spent == []
        await stream.answer(question.key, Answer(key=question.key, answer="go on"))
        assert (await ticket).status == "done"
        assert questions.take() == []
    assert below.spent == [10] * 5
    await manager.close_all()


@pytest.mark.requirement("D-budget-soft")
async def test_when_the_one_who_asked_is_stopped_another_one_asks() -> None:
    team = Budget(Allowance(calls=10, soft=0.1, ask=True))
    provider = ScriptedProvider([*words(1), usage(5)], repeat=True)
    agent = Agent(provider, limits=UsageLimits(within=team))
    manager = Manager(agent.spec(), MemoryStore(), services=Services(asking=AskPolicy(wait=True)))
    one, two = await manager.create(), await manager.create()
    await one.process("first")
    async with asyncio.timeout(5), one.subscribe("question") as here, two.subscribe("question") as there:
        first = one.submit("second")
        await anext(here)
        second = two.submit("third")
        await until(lambda: two.snapshot().phase == "submitted")
        assert await first.cancel()
        asked = (await anext(there)).event
        assert isinstance(asked, Question)
        await two.answer(asked.key, Answer(key=asked.key, answer="yes"))
        assert ((await first).status, (await second).status) == ("cancelled", "done")
    await manager.close_all()


async def test_the_time_that_a_person_takes_does_not_count() -> None:
    now = [0.0]
    team = Budget(Allowance(run_s=100, soft=0.5, ask=True), clock=lambda: now[0])

    def decide(question: Question) -> Answer:
        assert question.text == "budget: 60 of 100 seconds are over. Go on?"
        return Answer(key=question.key, answer="go on")

    agent = Agent(ScriptedProvider(*THREE), limits=UsageLimits(within=team))
    await agent.run("go")
    now[0] = 60.0
    agent = Agent(ScriptedProvider(*THREE), limits=UsageLimits(within=team))
    await agent.run("go", on_question=decide)
    assert team.left_s is not None and 40 <= team.left_s < 45
