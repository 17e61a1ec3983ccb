"""The model asks the person, and gets the answer, or why there is none."""

import msgspec
import pytest

from app.script import answer, call
from ore import Agent, Answer, Question
from ore.artifact import ToolResult
from ore.ext.tools.ask_user import ask_user
from ore.testing import ScriptedProvider

ASKED = '{"question": "Which day?", "options": ["Friday", "Sunday"]}'


async def asked(arguments: str, given: Answer | None) -> tuple[ToolResult, list[Question]]:
    questions: list[Question] = []

    def decide(question: Question) -> Answer:
        questions.append(question)
        assert given is not None
        return msgspec.structs.replace(given, key=question.key)

    agent = Agent(ScriptedProvider(call("ask_user", arguments), answer("ok")), tools=[ask_user])
    result = await agent.run("hi", on_question=decide if given is not None else None)
    told = result.turns[2].artifacts[0]
    assert isinstance(told, ToolResult)
    return told, questions


@pytest.mark.parametrize(
    ("said", "content"), [("Friday", "Friday"), (["Friday"], '["Friday"]'), (7, "7"), (False, "false"), ("", "")]
)
async def test_what_the_person_says_is_the_result(said: object, content: str) -> None:
    told, [question] = await asked(ASKED, Answer(key="", answer=said))
    assert (told.content, told.is_error) == (content, False)
    assert (question.purpose, question.text, question.options) == ("ask", "Which day?", ("Friday", "Sunday"))


async def test_where_nobody_is_there_the_model_hears_so() -> None:
    told, _ = await asked(ASKED, None)
    assert told.is_error and "nobody is there" in told.content


async def test_a_question_without_words_is_not_asked() -> None:
    told, questions = await asked('{"question": " "}', Answer(key="", answer="x"))
    assert told.is_error and questions == []
