"""Routes of a conversation: its turns, its state, and its branches."""

import hashlib
from collections.abc import Sequence

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from ore.errors import NotFoundError
from ore.event import UserMessage, content_of, snapshot_json
from ore.ext.conduits.http.answer import json_answer
from ore.ext.conduits.http.body import ForkBody, TipBody
from ore.ext.conduits.http.decoding import number_in, read_body
from ore.ext.conduits.http.front import Front
from ore.ext.conduits.http.uploads import content_in
from ore.ledger import Turn, encode_turn

__all__ = ["fork", "list_turns", "move_tip", "show_snapshot"]


async def show_snapshot(front: Front, request: Request) -> Response:
    """The state at this moment; its id is the cursor from which events go on."""
    view = await front.view(request.path_params["id"])
    return json_answer(snapshot_json(view.snapshot))


async def list_turns(front: Front, request: Request) -> Response:
    """The turns of the active path, or of all branches; a part of them, or nothing when nothing changed."""
    view = await front.view(request.path_params["id"])
    limit, after = number_in(request, "limit"), request.query_params.get("after")
    every = request.query_params.get("all", "").lower() in ("1", "true")
    turns = _part(view.all_turns if every else view.snapshot.turns, after, limit)
    body = b"[%b]" % b",".join([encode_turn(turn) for turn in turns])
    tag = f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache, private"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return json_answer(body, headers=headers)


async def fork(front: Front, request: Request) -> Response:
    """A new thread that leaves this one at a turn; with content, what is said there instead."""
    stream = await front.session(request.path_params["id"])
    body = await read_body(request, ForkBody)
    content = None
    if body.content is not msgspec.UNSET:
        content = content_of(content_in(body.content, front.options.codec))
    front.check_room()
    if body.at is None:
        new_id = (await front.sessions.create(stream.metadata.all())).id
    else:
        new_id = await front.sessions.fork(stream.id, None if body.at is msgspec.UNSET else body.at)
    answer = {"id": new_id}
    if content is not None:
        ticket = (await front.sessions.attach(new_id)).submit(UserMessage(content=content))
        await ticket.accepted()
        answer["message"] = ticket.id
    place = f"{request.scope.get('root_path', '')}/sessions/{new_id}"
    return json_answer(answer, 201, {"Location": place})


async def move_tip(front: Front, request: Request) -> Response:
    """Go on from another turn, and tell everybody who watches."""
    stream = await front.session(request.path_params["id"])
    body = await read_body(request, TipBody)
    tip = await stream.history.set_tip(body.turn)
    return json_answer({"turn": tip})


def _part(turns: Sequence[Turn], after: str | None, limit: int | None) -> Sequence[Turn]:
    """The turns behind one of them, at most so many.

    Raises:
        NotFoundError: It is none of them.
    """
    first = 0
    if after is not None:
        places = [place for place, turn in enumerate(turns) if turn.id == after]
        if not places:
            raise NotFoundError(f"after: no turn {after[:140]!r} on the path")
        first = places[0] + 1
    return turns[first:] if limit is None else turns[first : first + max(limit, 1)]
