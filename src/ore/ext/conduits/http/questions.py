"""Routes of questions: what waits for a person."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from ore.errors import InputError
from ore.event import Answer, Question
from ore.ext.conduits.http.answer import json_answer
from ore.ext.conduits.http.body import AnswerBody
from ore.ext.conduits.http.decoding import read_body
from ore.ext.conduits.http.front import Front

__all__ = ["answer_question", "list_questions"]


async def list_questions(front: Front, request: Request) -> Response:
    """The open ones, the oldest first."""
    stream = await front.session(request.path_params["id"])
    return json_answer({"questions": stream.snapshot().questions})


async def answer_question(front: Front, request: Request) -> Response:
    """Answer one; the first answer wins."""
    stream = await front.session(request.path_params["id"])
    key = request.path_params["key"]
    body = await read_body(request, AnswerBody)
    question = next((one for one in stream.snapshot().questions if one.key == key), None)
    answer = _answer(key, body, question)
    return json_answer(await stream.answer(key, answer))


def _answer(key: str, body: AnswerBody, question: Question | None) -> Answer:
    """What the body says, if it is an answer to such a question; for one that is over anything is too late."""
    given = body.answer is not msgspec.UNSET
    if given and body.decision is not None:
        raise InputError("body: expected either decision or answer, got both")
    if not given and body.decision is None:
        raise InputError("body: expected decision or answer, got neither")
    if question is not None and question.purpose == "approval" and body.decision is None:
        raise InputError("body: expected a decision, since the question is one for approval")
    return Answer(
        key=key,
        decision=body.decision,
        answer=body.answer if given else None,
        reason=body.reason,
        arguments=body.arguments,
    )
