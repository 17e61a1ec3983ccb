"""Routes of stored threads, active or not."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ore.errors import InputError, NotFoundError
from ore.ext.conduits.http.answer import json_answer
from ore.ext.conduits.http.decoding import number_in
from ore.ext.conduits.http.front import Front
from ore.ext.conduits.http.problem import Problem
from ore.ledger import Summary, delete_thread

__all__ = ["delete_stored", "list_threads"]

LIMIT = 20
LARGEST = 100


async def list_threads(front: Front, request: Request) -> Response:
    """A page of them, the most recently written first."""
    wanted = number_in(request, "limit")
    limit = min(max(LIMIT if wanted is None else wanted, 1), LARGEST)
    query = request.query_params
    try:
        page = await front.sessions.list_threads(query=query.get("q", ""), cursor=query.get("cursor"), limit=limit)
    except InputError as error:
        raise Problem(400, error.code, f"cursor: {error}") from None
    answer: dict[str, Any] = {"threads": [_shown(summary) for summary in page.threads]}
    if page.next_cursor is not None:
        answer["next_cursor"] = page.next_cursor
    return json_answer(answer)


async def delete_stored(front: Front, request: Request) -> Response:
    """Remove a thread with everything that belongs to it; a session that is active is closed first."""
    thread_id = request.path_params["id"]
    async with front.alone(thread_id):
        await _close_active(front, thread_id)
        if not await delete_thread(front.sessions.store, thread_id):
            raise NotFoundError(f"no session {thread_id!r}")
        await _close_active(front, thread_id)  # somebody may have asked for it meanwhile
    return Response(status_code=204)


async def _close_active(front: Front, thread_id: str) -> None:
    active = next((stream for stream in front.sessions.list() if stream.id == thread_id), None)
    if active is not None:
        await active.close()


def _shown(summary: Summary) -> dict[str, Any]:
    facts = {"title": summary.title, "preview": summary.preview, "last_at": summary.last_at}
    return {"id": summary.id} | {name: value for name, value in facts.items() if value is not None}
