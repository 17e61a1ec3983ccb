"""What a server asks in the middle of a call is a question to the person."""

import asyncio
from typing import Any

import pytest
from mcp import types

from calls.stage import Person, Stage, arguments, ask
from ore.artifact import ResultStatus
from ore.calls import CallHandler
from ore.errors import ToolError
from ore.event import Answer, Question
from ore.ext.tools.mcp import McpOptions, McpServer
from ore.ext.tools.mcp.elicitation import Form
from tools.mcp.serving import Web, served


def says(answer: Any = None, decision: Any = None) -> Answer:
    return Answer(key="", answer=answer, decision=decision)


def stage(server: McpServer, *answers: Answer) -> tuple[Stage, Person]:
    person = Person(*answers)
    return Stage(*server.tools(), handler=CallHandler(asker=person)), person


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("handshake", ["auto", "legacy"])
async def test_a_question_of_the_server_reaches_the_person_and_the_answer_the_server(
    transport: str, handshake: Any, shared: Web
) -> None:
    """As a question of this call, with what may be answered; an answer that does not fit is asked for again."""
    options = McpOptions(handshake=handshake)
    async with served(options=options) if transport == "stdio" else shared.client(options=options) as server:
        stage_, person = stage(server, says({"row": 99}), says('{"row": 7, "side": "aisle"}'))
        result = await stage_.result("tested__book", arguments(city="Porto"))
        assert (result.content, result.status) == ("Porto: 7 aisle", ResultStatus.OK)
        first, second = person.questions
        assert (first.purpose, first.tool, first.call_key) == ("elicitation", "tested__book", f"{turn_of(stage_)}:0")
        assert (first.key, second.key) == (f"{turn_of(stage_)}:0/1", f"{turn_of(stage_)}:0/2")
        assert first.text == (
            "tested: Which seat?\n"
            "row (integer): Row of the plane\n"
            "side (window | aisle, optional, default 'window'): Side\n"
            "Answer with a JSON object of these fields."
        )
        assert (second.text or "").startswith("That does not fit: row: 99 is greater than the maximum of 30\n")

        stage_, person = stage(server, says("yes"))
        assert (await stage_.result("tested__erase")).content == "erased: True"
        assert (person.questions[0].options, person.questions[0].text) == (
            ("yes", "no"),
            "tested: Really?\nsure (yes | no): Sure",
        )

        stage_, _ = stage(server, says(decision="deny"))
        result = await stage_.result("tested__erase")
        assert (result.is_error, "decline" in result.content) == (True, True)

        stage_, person = stage(server, *[says("maybe")] * 3)
        result = await stage_.result("tested__erase")
        assert (result.is_error, "cancel" in result.content, len(person.questions)) == (True, True, 3)


def turn_of(stage: Stage) -> str:
    return stage.state.turns[-2].id


class Silent:
    """Somebody who does not answer.

    Attributes:
        asked: Set when a question came.
        ended: Whose questions ended without an answer.
    """

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.ended: list[str] = []

    async def ask(self, question: Question) -> Answer:
        self.asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.append(question.tool or "")
        return says()


@pytest.mark.requirement("D-mcp-elicitation")
@pytest.mark.parametrize("handshake", ["auto", "legacy"])
async def test_the_question_ends_with_the_call(handshake: Any, shared: Web) -> None:
    async with shared.client(options=McpOptions(handshake=handshake)) as server:
        person = Silent()
        stage = Stage(*server.tools(), handler=CallHandler(asker=person))
        task = asyncio.create_task(stage.turn(ask("tested__erase")))
        async with asyncio.timeout(10):
            await person.asked.wait()
            task.cancel()
            await asyncio.wait((task,))
        assert stage.last_results[0].status is ResultStatus.CANCELLED
        assert person.ended == ["tested__erase"]


async def test_questions_of_calls_side_by_side_belong_each_to_its_own(shared: Web) -> None:
    """Also with the older protocol, where they come on the stream of their call."""
    async with shared.client(options=McpOptions(handshake="legacy")) as server:
        stage_, person = stage(server, *[says({"row": 1})] * 4)
        await stage_.results(*(ask("tested__book", arguments(city=str(n)), id=str(n)) for n in range(4)))
        assert {question.call_key for question in person.questions} == {f"{turn_of(stage_)}:{n}" for n in range(4)}


def form(**schema: Any) -> Form:
    wanted = {"type": "object", "properties": schema, "required": list(schema)}
    return Form("s", types.ElicitRequestFormParams(message="?", requested_schema=wanted))


@pytest.mark.parametrize(
    ("kind", "answer", "content"),
    [
        ({"type": "string"}, "blue", "blue"),
        ({"type": "string"}, "42", "42"),
        ({"type": "integer"}, "42", 42),
        ({"type": "integer"}, 42, 42),
        ({"type": "number"}, " 1.5 ", 1.5),
        ({"type": "boolean"}, "Yes", True),
        ({"type": "boolean"}, "no", False),
        ({"type": "boolean"}, True, True),
        ({"type": "string", "enum": ["a", "b"]}, "b", "b"),
        ({"type": "string", "oneOf": [{"const": "x", "title": "Ex"}]}, "x", "x"),
        ({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}, "a, b", ["a", "b"]),
        ({"type": "array", "items": {"type": "string"}}, '["a"]', ["a"]),
        ({"type": "string"}, {"value": "whole"}, "whole"),
        ({"type": "string"}, '{"value": "whole"}', "whole"),
    ],
)
def test_what_a_person_types_becomes_what_the_field_wants(kind: Any, answer: Any, content: Any) -> None:
    assert form(value=kind).result(says(answer)) == types.ElicitResult(action="accept", content={"value": content})


@pytest.mark.parametrize(
    ("kind", "answer", "fault"),
    [
        ({"type": "integer"}, "many", "value: 'many' is not of type 'integer'"),
        ({"type": "string", "enum": ["a", "b"]}, "c", "value: 'c' is not one of ['a', 'b']"),
        ({"type": "string", "minLength": 3}, "ab", "value: 'ab' is too short"),
        ({"type": "boolean"}, "perhaps", "value: 'perhaps' is not of type 'boolean'"),
        ({"type": "string"}, {}, "'value' is a required property"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_in_words(kind: Any, answer: Any, fault: str) -> None:
    with pytest.raises(ToolError) as caught:
        form(value=kind).result(says(answer))
    assert str(caught.value) == fault


def test_a_form_of_several_fields_wants_an_object() -> None:
    several = form(a={"type": "string"}, b={"type": "integer"})
    with pytest.raises(ToolError, match="expected a JSON object with the fields a, b"):
        several.result(says("hello"))
    accepted = several.result(says('{"a": "x", "b": 1}'))
    assert accepted.content == {"a": "x", "b": 1}


@pytest.mark.parametrize(
    ("answer", "action"),
    [
        (says("yes"), "accept"),
        (says(decision="approve"), "accept"),
        (says("no"), "decline"),
        (says(decision="deny"), "decline"),
        (says(), "decline"),
    ],
)
def test_a_page_to_visit_is_shown_and_never_opened(answer: Answer, action: str) -> None:
    page = Form(
        "s", types.ElicitRequestURLParams(message="Log in", url="https://example.org/login", elicitation_id="1")
    )
    question = page.question("s__login")
    assert (question.text, question.options) == ("s: Log in\nhttps://example.org/login", ("yes", "no"))
    assert page.result(answer) == types.ElicitResult(action=action)  # type: ignore[arg-type]  # one of its words


def test_a_schema_that_is_none_is_the_servers_fault() -> None:
    with pytest.raises(ToolError, match="the server asks with a schema that is none"):
        form(value={"type": 3}).result(says("x"))
