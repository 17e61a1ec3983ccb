"""Routes of sessions: made, listed, closed, interrupted, one call of them stopped."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ore.errors import ConflictError, InputError, NotFoundError
from ore.ext.conduits.http.answer import json_answer, raw_artifacts
from ore.ext.conduits.http.body import InterruptBody, SessionBody
from ore.ext.conduits.http.decoding import read_body
from ore.ext.conduits.http.front import Front
from ore.ext.conduits.http.metadata import check_facts
from ore.ledger import check_id, is_inner
from ore.session import AGENT_KEY, Stream, phase_of, queue_in

__all__ = ["close_session", "interrupt", "list_sessions", "open_session", "stop_activity"]


async def open_session(front: Front, request: Request) -> Response:
    """Make a session, or make a stored thread active."""
    body = await read_body(request, SessionBody, empty=SessionBody())
    _check_agent(front, body.agent)
    facts = dict(body.metadata or {})
    check_facts(front, facts)
    if body.agent is not None:
        facts[AGENT_KEY] = body.agent
    if body.thread_id is None:
        front.check_room()
        return _opened(request, await front.sessions.create(facts), status=201)
    if body.create:
        made = await _made(front, body.thread_id, facts)
        if made is not None:
            return _opened(request, made, status=201)
    return _opened(request, await _attached(front, body.thread_id, body), status=200)


async def list_sessions(front: Front, request: Request) -> Response:
    """The active ones."""
    return json_answer({"sessions": [_listed(stream) for stream in front.sessions.list()]})


async def close_session(front: Front, request: Request) -> Response:
    """End the running message as cancelled and the waiting ones as closed; the thread stays."""
    stream = await front.session(request.path_params["id"])
    await stream.close()
    return Response(status_code=204)


async def interrupt(front: Front, request: Request) -> Response:
    """Stop what runs, and take out of the queue what waits."""
    stream = await front.session(request.path_params["id"])
    body = await read_body(request, InterruptBody, empty=InterruptBody())
    done = await stream.interrupt(clear=body.clear)
    cleared = [{"id": id, "content": raw_artifacts(content)} for id, content in done.cleared]
    return json_answer({"cancelled": done.cancelled, "cleared": cleared})


async def stop_activity(front: Front, request: Request) -> Response:
    """Stop one tool call, or one agent inside a call; the message goes on."""
    stream = await front.session(request.path_params["id"])
    activity = request.path_params["aid"]
    if not stream.cancel(activity):
        raise NotFoundError(f"no running activity {activity[:140]!r}")
    return Response(status_code=204)


def _listed(stream: Stream) -> Mapping[str, Any]:
    waiting = [item for item in queue_in(stream) if item["status"] == "waiting"]
    return {"id": stream.id, "phase": phase_of(stream), "queued": len(waiting)}


async def _made(front: Front, thread_id: str, facts: Mapping[str, str]) -> Stream | None:
    """A new session of that id; `None` when there is one.

    Raises:
        NotFoundError: Nothing may have that id.
    """
    try:
        check_id(thread_id)
    except InputError as error:
        raise NotFoundError(str(error)) from None
    try:
        await front.session(thread_id)
    except NotFoundError:
        if not is_inner(thread_id):
            with suppress(ConflictError):  # somebody else made it meanwhile
                return await front.sessions.create_with_id(thread_id, facts)
    return None


async def _attached(front: Front, thread_id: str, body: SessionBody) -> Stream:
    stream = await front.session(thread_id)
    if body.agent is not None and body.agent != stream.metadata.get(AGENT_KEY):
        raise ConflictError("agent: a session keeps the agent that it was made with")
    if body.metadata:
        await stream.metadata.change(body.metadata)
    return stream


def _check_agent(front: Front, name: str | None) -> None:
    agents = front.sessions.agents
    if name is not None and name not in agents:
        raise InputError(f"agent: expected one of {', '.join(agents) or 'none'}, got {name[:140]!r}")


def _opened(request: Request, stream: Stream, *, status: int) -> Response:
    place = f"{request.scope.get('root_path', '')}/sessions/{stream.id}"
    answer = {"id": stream.id, "events_url": f"{place}/events"}
    return json_answer(answer, status, headers={"Location": place} if status == 201 else None)
