"""Whatever waits for a person: asked, recorded, answered once, and still open after a restart."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import UTC, datetime

import msgspec
import pytest

from ore.artifact import ResultStatus, ToolCallDelta, ToolResult
from ore.cognitive import RunLimits
from ore.errors import ConflictError, InputError, NotFoundError, SessionClosedError
from ore.event import Answer, Question
from ore.ledger import Clock, MemoryStore, Outcome, State, Turn
from ore.models import Spec
from ore.provider import Batch, Option
from ore.session import AskPolicy, Manager, Services, Stream
from ore.testing import ScriptedProvider
from ore.tool import Tool, ToolContext, current_asker, tool
from session.watch import Watch, agent, answer

WAIT = Services(asking=AskPolicy(wait=True))


class Till:
    """A tool that counts how often it took money."""

    def __init__(self) -> None:
        self.paid: list[int] = []

    def tools(self) -> tuple[Tool, Tool]:
        @tool(approve=True, editable=True)
        async def pay(amount: int) -> str:
            """Pay."""
            self.paid.append(amount)
            return f"paid {amount}"

        @tool
        async def count() -> int:
            """Count."""
            self.paid.append(0)
            return len(self.paid)

        return pay, count


def calling(*arguments: str) -> list[ToolCallDelta]:
    return [
        ToolCallDelta(index=index, id=f"c{index}", name="pay", arguments=text) for index, text in enumerate(arguments)
    ]


def results(turns: object) -> list[tuple[str, ResultStatus | None]]:
    return [
        (artifact.content, artifact.status)
        for turn in turns  # type: ignore[attr-defined]
        if isinstance(turn, Turn)
        for artifact in turn.artifacts
        if isinstance(artifact, ToolResult)
    ]


async def paying(watch: Watch, till: Till, *arguments: str, services: Services = WAIT) -> Stream:
    provider = ScriptedProvider(calling(*arguments), answer("thank you"))
    return watch.of(await Manager(agent(provider, *till.tools()), services=services).create())


async def asked(stream: Stream, count: int = 1) -> list[Question]:
    async with asyncio.timeout(5), stream.subscribe("question", "lifecycle", after=stream.snapshot().id) as questions:
        while len(stream.snapshot().questions) < count:
            await anext(questions)
    return list(stream.snapshot().questions)


async def test_the_arguments_that_were_shown_run_once_somebody_approves(watch: Watch) -> None:
    till = Till()
    stream = await paying(watch, till, '{"amount": 3}')
    ticket = stream.submit("pay")
    (question,) = await asked(stream)
    assert (question.purpose, question.tool, question.arguments) == ("approval", "pay", '{"amount": 3}')
    assert (till.paid, stream.snapshot().phase) == ([], "waiting")
    await stream.answer(question.key, Answer(key=question.key, decision="approve"))
    async with asyncio.timeout(5):
        assert (await ticket).status is Outcome.DONE
    assert (till.paid, results(stream.turns)) == ([3], [("paid 3", ResultStatus.OK)])
    assert list(stream.snapshot().questions) == []


async def test_arguments_may_be_changed_where_the_tool_allows_it(watch: Watch) -> None:
    till = Till()
    stream = await paying(watch, till, '{"amount": 3}')
    ticket = stream.submit("pay")
    (question,) = await asked(stream)
    await stream.answer(question.key, Answer(key=question.key, decision="approve", arguments='{"amount": 1}'))
    async with asyncio.timeout(5):
        await ticket
    assert till.paid == [1]


async def test_a_denial_is_a_result_with_its_reason(watch: Watch) -> None:
    till = Till()
    stream = await paying(watch, till, '{"amount": 3}')
    ticket = stream.submit("pay")
    (question,) = await asked(stream)
    await stream.answer(question.key, Answer(key=question.key, decision="deny", reason="too much"))
    async with asyncio.timeout(5):
        assert (await ticket).status is Outcome.DONE
    assert (till.paid, results(stream.turns)) == ([], [("denied by the user: too much", ResultStatus.DENIED)])


async def test_an_answer_to_another_question_is_refused_and_the_question_stays_open(watch: Watch) -> None:
    """A yes that was meant for something else never pays."""
    till = Till()
    stream = await paying(watch, till, '{"amount": 3}')
    ticket = stream.submit("pay")
    (question,) = await asked(stream)
    with pytest.raises(InputError, match="got one to 'another'"):
        await stream.answer(question.key, Answer(key="another", decision="approve"))
    assert till.paid == []
    await stream.answer(question.key, Answer(key=question.key, decision="approve"))
    async with asyncio.timeout(5):
        await ticket
    assert till.paid == [3]


@pytest.mark.requirement("B64")
async def test_answers_in_reverse_order_reach_their_own_calls_and_only_the_first_counts(watch: Watch) -> None:
    till = Till()
    stream = await paying(watch, till, '{"amount": 1}', '{"amount": 2}')
    ticket = stream.submit("pay")
    one, two = await asked(stream, 2)
    await stream.answer(two.key, Answer(key=two.key, decision="approve"))
    with pytest.raises(ConflictError):
        await stream.answer(two.key, Answer(key=two.key, decision="deny"))
    with pytest.raises(NotFoundError):
        await stream.answer("nobody:0", Answer(key="nobody:0", decision="approve"))
    await stream.answer(one.key, Answer(key=one.key, decision="deny"))
    async with asyncio.timeout(5):
        await ticket
    assert results(stream.turns) == [("denied by the user", ResultStatus.DENIED), ("paid 2", ResultStatus.OK)]
    with pytest.raises(ConflictError):
        await stream.answer(one.key, Answer(key=one.key, decision="approve"))


@pytest.mark.requirement("B63")
async def test_an_open_question_survives_a_restart_and_nothing_runs_twice() -> None:
    till, store = Till(), MemoryStore()
    call = ToolCallDelta(index=2, id="c2", name="count", arguments="{}")
    provider = ScriptedProvider([*calling('{"amount": 1}', '{"amount": 2}'), call], answer("thank you"))
    spec = agent(provider, *till.tools())
    manager = Manager(spec, store, services=WAIT)
    stream = await manager.create_with_id("till")
    ticket = stream.submit("pay")
    before = await asked(stream, 2)
    assert till.paid == [0]
    await manager.leave(0)
    with pytest.raises(SessionClosedError):
        await ticket
    assert results((await store.load("till")).turns) == []

    manager = Manager(spec, store, services=WAIT)
    stream = await manager.attach("till")
    after = await asked(stream, 2)
    assert after == before
    await stream.answer(after[0].key, Answer(key=after[0].key, decision="approve"))
    await stream.answer(after[1].key, Answer(key=after[1].key, decision="deny"))
    async with asyncio.timeout(5):
        await stream.idle()
    assert till.paid == [0, 1]
    assert results(stream.turns) == [
        ("paid 1", ResultStatus.OK),
        ("denied by the user", ResultStatus.DENIED),
        ("1", ResultStatus.OK),
    ]
    await manager.aclose()


@pytest.mark.requirement("D-question-expires")
async def test_a_question_that_expires_is_a_denial(watch: Watch) -> None:
    till = Till()
    services = Services(
        asking=AskPolicy(wait=True, expire_s=60.0), clock=iter_clock(datetime(2026, 1, 1, tzinfo=UTC), 0.0, 61.0)
    )
    stream = await paying(watch, till, '{"amount": 3}', services=services)
    async with asyncio.timeout(5):
        assert (await stream.process("pay")).status is Outcome.DONE
    assert results(stream.turns) == [("not approved: nobody answered in time", ResultStatus.DENIED)]


def iter_clock(start: datetime, *offsets_s: float) -> Clock:
    """A clock that says these times, then the last one for ever."""
    left = [datetime.fromtimestamp(start.timestamp() + offset, UTC) for offset in offsets_s]

    def clock() -> datetime:
        return left.pop(0) if len(left) > 1 else left[0]

    return clock


async def test_without_anybody_to_ask_an_approval_is_denied_with_a_reason(watch: Watch) -> None:
    till = Till()
    stream = await paying(watch, till, '{"amount": 3}', services=Services())
    await stream.process("pay")
    assert results(stream.turns) == [("not approved: nobody is there to approve it", ResultStatus.DENIED)]
    assert "question" not in watch.told(stream)


async def test_an_answer_from_inside_the_program_is_recorded_like_any_other(watch: Watch) -> None:
    till = Till()
    asking = AskPolicy(answerer=lambda question: Answer(key=question.key, decision="approve"))
    stream = await paying(watch, till, '{"amount": 3}', services=Services(asking=asking))
    async with asyncio.timeout(5):
        await stream.process("pay")
    assert till.paid == [3]
    assert [words for words in watch.told(stream) if words in ("question", "answer")] == ["question", "answer"]


async def test_an_answerer_that_fails_counts_as_no(watch: Watch) -> None:
    def fail(question: Question) -> Answer:
        raise ValueError("no")

    till = Till()
    stream = await paying(watch, till, '{"amount": 3}', services=Services(asking=AskPolicy(answerer=fail)))
    async with asyncio.timeout(5):
        await stream.process("pay")
    assert (till.paid, results(stream.turns)[0][1]) == ([], ResultStatus.DENIED)


async def test_cancelling_the_message_ends_the_question(watch: Watch) -> None:
    till, store = Till(), MemoryStore()
    provider = ScriptedProvider(calling('{"amount": 3}'))
    stream = watch.of(await Manager(agent(provider, *till.tools()), store, services=WAIT).create())
    ticket = stream.submit("pay")
    (question,) = await asked(stream)
    stream.cancel()
    async with asyncio.timeout(5):
        assert (await ticket).status is Outcome.CANCELLED
    assert list(stream.snapshot().questions) == []
    assert (await store.load(stream.id)).questions[question.key].status == "cancelled"
    with pytest.raises(ConflictError):
        await stream.answer(question.key, Answer(key=question.key, decision="approve"))


@pytest.mark.requirement("D-question-waits")
async def test_a_tool_asks_the_person_and_waiting_counts_neither_as_its_time_nor_as_the_message_s(watch: Watch) -> None:
    @tool(timeout_s=0.05)
    async def ask(context: ToolContext) -> str:
        """Ask."""
        first = await context.ask("Which?", options=("a", "b"))
        return f"{first.answer}"

    provider = ScriptedProvider([ToolCallDelta(index=0, id="c", name="ask", arguments="{}")], answer("ok"))
    spec = agent(provider, ask, limits=RunLimits(run_s=5.0))
    stream = watch.of(await Manager(spec, services=WAIT).create())
    ticket = stream.submit("go")
    (question,) = await asked(stream)
    assert (question.purpose, question.text, question.options) == ("ask", "Which?", ("a", "b"))
    assert question.key == f"{question.call_key}/1"
    overdue = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_later(0.1, overdue.set_result, None)
    await overdue
    await stream.answer(question.key, Answer(key=question.key, answer="b"))
    async with asyncio.timeout(5):
        await ticket
    assert results(stream.turns) == [("b", ResultStatus.OK)]


async def test_what_works_in_a_message_without_a_context_asks_the_same_people(watch: Watch) -> None:
    """Such as a provider around another one."""
    said: list[Answer] = []

    class Asking(ScriptedProvider):
        async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
            said.append(await current_asker().ask(Question(key="k", purpose="ask", text="go on?")))
            async with aclosing(super().invoke(state, spec, *options)) as batches:
                async for batch in batches:
                    yield batch

    stream = watch.of(await Manager(agent(Asking(answer("fine"))), services=WAIT).create())
    ticket = stream.submit("hi")
    await asked(stream)
    await stream.answer("k", Answer(key="k", answer="yes"))
    async with asyncio.timeout(5):
        assert (await ticket).status is Outcome.DONE
    assert [one.answer for one in said] == ["yes"]
    assert (await current_asker().ask(Question(key="k", purpose="ask"))).decision is None


def test_a_question_that_an_older_ore_stored_is_one_whose_arguments_may_not_be_changed() -> None:
    stored = b'{"kind":"question","key":"1:0","purpose":"approval","tool":"pay","call_key":"1:0","arguments":"{}"}'
    question = msgspec.json.decode(stored, type=Question)
    assert question.editable is False
    assert msgspec.json.encode(question) == stored


@pytest.mark.requirement("D-faults-questions")
async def test_the_question_of_a_call_that_is_stopped_by_itself_is_over(watch: Watch) -> None:
    """The message goes on, and nobody can approve any more what will not run."""
    till, provider = Till(), ScriptedProvider(calling('{"amount": 5}'), answer("done"))
    stream = watch.of(await Manager(agent(provider, *till.tools()), services=WAIT).create())
    ticket = stream.submit("pay")
    async with asyncio.timeout(5), stream.subscribe("question") as events:
        question = (await anext(events)).event
        assert isinstance(question, Question)
        assert question.call_key is not None
        assert stream.cancel(question.call_key)
        assert (await ticket).status is Outcome.DONE
    assert list(stream.snapshot().questions) == []
    with pytest.raises(ConflictError):
        await stream.answer(question.key, Answer(key=question.key, decision="approve"))
    assert (till.paid, [status for _, status in results(stream.turns)]) == ([], [ResultStatus.CANCELLED])
