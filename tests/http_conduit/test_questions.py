"""Questions over HTTP: asked, answered once, from anywhere."""

import asyncio
from typing import Any

import pytest

from http_conduit.conftest import Serve
from http_conduit.scene import Scene
from ore.artifact import TextDelta, ToolCall
from ore.tool import ToolContext, tool

DONE = [TextDelta(content="Done.")]


@tool(approve=True)
async def remove(name: str) -> str:
    """Remove a file."""
    return f"removed {name}"


@tool
async def which(context: ToolContext) -> str:
    """Ask which one."""
    answer = await context.ask("Which?", options=("a", "b"))
    return str(answer.answer)


def calling(name: str, arguments: str = "{}") -> list[ToolCall]:
    return [ToolCall(id="c", name=name, arguments=arguments)]


async def asked(on: Scene, session: str) -> dict[str, Any]:
    """The question, once it is open."""
    while True:
        questions = (await on.client.get(f"/sessions/{session}/questions")).json["questions"]
        if questions:
            question: dict[str, Any] = questions[0]
            return question
        await asyncio.sleep(0)


async def test_a_call_waits_for_approval_and_the_first_answer_wins(serve: Serve) -> None:
    on = await serve(calling("remove", '{"name": "x"}'), DONE, tools=[remove])
    session = await on.session()
    running = asyncio.create_task(on.say(session))
    question = await asked(on, session)
    assert (question["purpose"], question["tool"], question["arguments"]) == ("approval", "remove", '{"name": "x"}')
    assert (await on.client.get("/sessions")).json["sessions"][0]["phase"] == "waiting"
    path = f"/sessions/{session}/questions/{question['key']}"
    answer = await on.client.post(path, {"decision": "approve"})
    assert (answer.status, answer.json["decision"], answer.json["key"]) == (200, "approve", question["key"])
    late = await on.client.post(path, {"decision": "deny"})
    assert (late.status, late.json["code"]) == (409, "conflict")
    lines = (await running).lines
    assert [line["content"] for line in lines if line["kind"] == "tool_result"] == ["removed x"]
    assert [line["kind"] for line in lines if line["kind"] in ("question", "answer")] == ["question", "answer"]


@pytest.mark.parametrize("editable", [True, False])
async def test_every_way_to_a_question_says_whether_its_arguments_may_be_changed(serve: Serve, editable: bool) -> None:
    """A question of an older ore, which says nothing of it, is one whose arguments may not."""

    @tool(approve=True, editable=editable)
    async def remove(name: str) -> str:
        """Remove a file."""
        return f"removed {name}"

    on = await serve(calling("remove", '{"name": "x"}'), DONE, tools=[remove])
    session = await on.session()
    running = asyncio.create_task(on.say(session))
    question = await asked(on, session)
    (shown,) = (await on.client.get(f"/sessions/{session}/snapshot")).json["questions"]
    assert [one.get("editable", False) for one in (question, shown)] == [editable, editable]
    answer = {"decision": "approve", **({"arguments": '{"name": "y"}'} if editable else {})}
    await on.client.post(f"/sessions/{session}/questions/{question['key']}", answer)
    lines = (await running).lines
    assert [one.get("editable", False) for one in lines if one["kind"] == "question"] == [editable]
    assert [one["content"] for one in lines if one["kind"] == "tool_result"] == [f"removed {'y' if editable else 'x'}"]


async def test_a_denial_gives_its_reason_to_the_model(serve: Serve) -> None:
    on = await serve(calling("remove", '{"name": "x"}'), DONE, tools=[remove])
    session = await on.session()
    running = asyncio.create_task(on.say(session))
    question = await asked(on, session)
    await on.client.post(f"/sessions/{session}/questions/{question['key']}", {"decision": "deny", "reason": "keep it"})
    (result,) = [line for line in (await running).lines if line["kind"] == "tool_result"]
    assert result["status"] == "denied" and "keep it" in result["content"]


async def test_a_question_to_the_user_is_answered_also_by_its_quoted_key(serve: Serve) -> None:
    on = await serve(calling("which"), DONE, tools=[which])
    session = await on.session()
    running = asyncio.create_task(on.say(session))
    question = await asked(on, session)
    assert (question["purpose"], question["text"], question["options"]) == ("ask", "Which?", ["a", "b"])
    assert question["key"].endswith("/1")
    path = f"/sessions/{session}/questions/{question['key'].replace('/', '%2F').replace(':', '%3A')}"
    assert (await on.client.post(path, {"answer": "b"})).json["answer"] == "b"
    (result,) = [line for line in (await running).lines if line["kind"] == "tool_result"]
    assert result["content"] == "b"


@pytest.mark.parametrize(
    "body", [{}, {"decision": "maybe"}, {"decision": "approve", "answer": "x"}, {"answer": "yes"}, {"decision": 1}]
)
async def test_what_is_no_answer_to_it_is_refused(serve: Serve, body: Any) -> None:
    on = await serve(calling("remove", '{"name": "x"}'), DONE, tools=[remove])
    session = await on.session()
    running = asyncio.create_task(on.say(session))
    question = await asked(on, session)
    path = f"/sessions/{session}/questions/{question['key']}"
    assert (await on.client.post(path, body)).status == 422
    assert (await on.client.post(path, {"decision": "approve"})).status == 200
    await running


async def test_a_question_that_nobody_asked_is_not_there(serve: Serve) -> None:
    on = await serve()
    session = await on.session()
    answer = await on.client.post(f"/sessions/{session}/questions/x:0", {"decision": "approve"})
    assert (answer.status, answer.json["code"]) == (404, "not_found")
    assert (await on.client.get(f"/sessions/{session}/questions")).json == {"questions": []}
