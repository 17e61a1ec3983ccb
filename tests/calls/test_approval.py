"""A person says yes or no before a tool runs; what was shown is what runs."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from calls.stage import Person, Stage, arguments, ask, no, yes
from ore.artifact import ResultStatus, ToolResult
from ore.calls import CallHandler
from ore.errors import ConflictError, ToolError
from ore.event import Answer, Question
from ore.ledger import EffectRecord
from ore.tool import Approve, Tool, ToolContext, tool


class Files:
    """A tool that says what it did.

    Attributes:
        deleted: What was deleted, in order.
    """

    def __init__(self) -> None:
        self.deleted: list[str] = []

    def tool(self, approve: Approve = True, *, editable: bool = False, read_only: bool = False) -> Tool:
        async def delete(path: str) -> str:
            self.deleted.append(path)
            return "ok"

        return tool(delete, approve=approve, editable=editable, read_only=read_only)


def _denied(text: str) -> ToolResult:
    return ToolResult(tool_call_id="c", content=text, is_error=True, status=ResultStatus.DENIED)


OK = ToolResult(tool_call_id="c", content="ok", status=ResultStatus.OK)
ARGUMENTS = '{"path": "a"}'


@pytest.mark.requirement("D-calls-approval")
async def test_a_person_is_asked_with_the_arguments_byte_for_byte_and_says_yes() -> None:
    """Its start is recorded behind the yes."""
    files, person = Files(), Person(yes())
    stage = Stage(files.tool(), handler=CallHandler(asker=person))
    result = await stage.result("delete", ' { "path" :"a"}')

    key = f"{stage.state.turns[0].id}:0"
    assert person.questions == [
        Question(key=key, purpose="approval", tool="delete", call_key=key, arguments=' { "path" :"a"}')
    ]
    assert (result, files.deleted) == (OK, ["a"])
    assert stage.log == ["turn:assistant", "start", "turn:tool"]


@pytest.mark.parametrize(
    ("reason", "text"), [(None, "denied by the user"), ("too dangerous", "denied by the user: too dangerous")]
)
async def test_a_no_is_a_result_with_its_reason(reason: str | None, text: str) -> None:
    files = Files()
    stage = Stage(files.tool(), handler=CallHandler(asker=Person(no(reason))))
    assert (await stage.result("delete", ARGUMENTS), files.deleted) == (_denied(text), [])
    assert stage.log == ["turn:assistant", "turn:tool"]


async def test_without_anybody_to_ask_it_is_denied() -> None:
    assert await Stage(Files().tool()).result("delete", ARGUMENTS) == _denied(
        "not approved: nobody is there to approve it"
    )


@pytest.mark.parametrize("answer", [Answer(key="", decision=None), Answer(key="", answer="yes")])
async def test_an_answer_without_a_decision_is_no(answer: Answer) -> None:
    files = Files()
    await Stage(files.tool(), handler=CallHandler(asker=Person(answer))).result("delete", ARGUMENTS)
    assert files.deleted == []


@pytest.mark.parametrize(("path", "asked"), [("a", 0), ("/etc", 1)])
async def test_a_predicate_says_for_which_arguments_a_person_is_needed(path: str, asked: int) -> None:
    """A start without a question is recorded as well."""
    files, person = Files(), Person(yes())
    predicate = lambda arguments: arguments["path"].startswith("/")  # noqa: E731  # as users write it
    stage = Stage(files.tool(predicate), handler=CallHandler(asker=person))
    assert await stage.result("delete", arguments(path=path)) == OK
    assert (len(person.questions), files.deleted) == (asked, [path])
    assert stage.log == ["turn:assistant", "start", "turn:tool"]


async def test_a_predicate_that_fails_means_that_a_person_is_asked() -> None:
    def predicate(arguments: Mapping[str, Any]) -> bool:
        raise KeyError("mode")

    files, person = Files(), Person(no())
    await Stage(files.tool(predicate), handler=CallHandler(asker=person)).result("delete", ARGUMENTS)
    assert (len(person.questions), files.deleted) == (1, [])


async def test_a_predicate_cannot_change_what_runs() -> None:
    """It is given the arguments to read."""

    def predicate(arguments: Mapping[str, Any]) -> bool:
        arguments["path"] = "b"  # type: ignore[index]  # what it should not do
        return False

    files, person = Files(), Person(yes())
    await Stage(files.tool(predicate), handler=CallHandler(asker=person)).result("delete", ARGUMENTS)
    assert (len(person.questions), files.deleted) == (1, ["a"])


async def test_arguments_that_cannot_be_read_are_asked_of_nobody() -> None:
    person = Person()
    result = await Stage(Files().tool(), handler=CallHandler(asker=person)).result("delete", "{}")
    assert (result.status, person.questions) == (ResultStatus.ERROR, [])


async def test_a_person_may_change_the_arguments_where_the_tool_allows_it() -> None:
    files = Files()
    stage = Stage(files.tool(editable=True), handler=CallHandler(asker=Person(yes(arguments='{"path": "b"}'))))
    assert (await stage.result("delete", ARGUMENTS), files.deleted) == (OK, ["b"])


@pytest.mark.parametrize("editable", [True, False])
async def test_the_question_says_whether_its_arguments_may_be_changed(editable: bool) -> None:
    person = Person(yes())
    await Stage(Files().tool(editable=editable), handler=CallHandler(asker=person)).result("delete", ARGUMENTS)
    assert [question.editable for question in person.questions] == [editable]


async def test_changed_arguments_that_do_not_fit_are_an_error_and_nothing_starts() -> None:
    files = Files()
    stage = Stage(files.tool(editable=True), handler=CallHandler(asker=Person(yes(arguments="{}"))))
    result = await stage.result("delete", ARGUMENTS)
    assert (result.status, files.deleted) == (ResultStatus.ERROR, [])
    assert stage.log == ["turn:assistant", "turn:tool"]


async def test_changed_arguments_where_the_tool_does_not_allow_it_run_neither_way() -> None:
    """Whoever approved something else did not approve this."""
    files = Files()
    stage = Stage(files.tool(), handler=CallHandler(asker=Person(yes(arguments='{"path": "b"}'))))
    assert (await stage.result("delete", ARGUMENTS), files.deleted) == (
        _denied("denied: the arguments were changed, which this tool does not allow"),
        [],
    )


async def test_arguments_that_come_back_as_they_were_are_no_change() -> None:
    stage = Stage(Files().tool(), handler=CallHandler(asker=Person(yes(arguments=ARGUMENTS))))
    assert await stage.result("delete", ARGUMENTS) == OK


async def test_a_tool_that_changes_nothing_is_asked_about_without_a_record() -> None:
    stage = Stage(Files().tool(read_only=True), handler=CallHandler(asker=Person(yes())))
    assert await stage.result("delete", ARGUMENTS) == OK
    assert stage.log == ["turn:assistant", "turn:tool"]


@pytest.mark.parametrize("error", [RuntimeError("front end broke"), ToolError("no")])
async def test_an_asker_that_fails_counts_as_no(error: Exception) -> None:
    files = Files()
    result = await Stage(files.tool(), handler=CallHandler(asker=Person(error))).result("delete", ARGUMENTS)
    assert (result, files.deleted) == (_denied("not approved: nobody could be asked"), [])


async def test_a_question_that_cannot_be_stored_fails_the_message() -> None:
    """With the store's own error; the calls have results all the same."""
    stage = Stage(Files().tool(), handler=CallHandler(asker=Person(ConflictError("changed in between"))))
    with pytest.raises(ConflictError):
        await stage.result("delete", ARGUMENTS)
    assert [result.status for result in stage.last_results] == [ResultStatus.CANCELLED]


async def test_a_start_that_cannot_be_stored_means_that_nothing_runs() -> None:
    files = Files()
    stage = Stage(files.tool(), handler=CallHandler(asker=Person(yes())))
    stage.refuse(EffectRecord, ConflictError("changed in between"))
    with pytest.raises(ConflictError):
        await stage.result("delete", ARGUMENTS)
    assert files.deleted == []


@pytest.mark.requirement("D-calls-approval")
async def test_of_several_calls_only_the_refused_one_does_not_run() -> None:
    """A needs nobody, B is approved, C is not; the answers come in another order than the questions."""
    ran: list[str] = []
    questions: dict[str, asyncio.Future[Answer]] = {}
    both = asyncio.Event()

    class Later:
        async def ask(self, question: Question) -> Answer:
            questions[question.key] = asyncio.get_running_loop().create_future()
            if len(questions) == 2:
                both.set()
            return await questions[question.key]

    @tool
    async def a() -> str:
        ran.append("a")
        return "a"

    @tool(approve=True)
    async def risky(name: str) -> str:
        ran.append(name)
        return name

    stage = Stage(a, risky, handler=CallHandler(asker=Later()))
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(stage.turn(ask("a"), ask("risky", '{"name": "b"}'), ask("risky", '{"name": "c"}')))
        await both.wait()
        first, second = sorted(questions)
        questions[second].set_result(no())
        questions[first].set_result(yes())
    assert sorted(ran) == ["a", "b"]
    assert [(result.content, result.status) for result in stage.last_results] == [
        ("a", ResultStatus.OK),
        ("b", ResultStatus.OK),
        ("denied by the user", ResultStatus.DENIED),
    ]


async def test_a_running_tool_asks_under_keys_of_its_call() -> None:
    """The approval has the call's own key, what the tool asks is counted behind it."""

    @tool(approve=True)
    async def book(context: ToolContext) -> str:
        seat = await context.ask("Which seat?", options=("window", "aisle"))
        meal = await context.ask("Which meal?")
        return f"{seat.answer}, {meal.answer}"

    person = Person(yes(), Answer(key="", answer="aisle"), Answer(key="", answer="none"))
    stage = Stage(book, handler=CallHandler(asker=person))
    assert (await stage.result("book")).content == "aisle, none"
    key = f"{stage.state.turns[0].id}:0"
    assert [question.key for question in person.questions] == [key, f"{key}/1", f"{key}/2"]
