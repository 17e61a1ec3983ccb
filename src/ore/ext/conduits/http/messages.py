"""Routes of messages: sent, followed, looked at, withdrawn."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from ore.errors import ConflictError, NotFoundError
from ore.event import UserMessage, content_of
from ore.ext.conduits.http.answer import json_answer, raw_artifacts
from ore.ext.conduits.http.body import MessageBody
from ore.ext.conduits.http.decoding import read_body
from ore.ext.conduits.http.feed import MessageFeed
from ore.ext.conduits.http.front import Front
from ore.ext.conduits.http.live import LiveAnswer
from ore.ext.conduits.http.uploads import content_in
from ore.ledger import is_id
from ore.loop import Subscription
from ore.session import Stream, cursor_of, queue_in

__all__ = ["list_messages", "send_message", "show_message", "withdraw_message"]

FOLLOWED: Final = ("error", "lifecycle", "gap")
"""What a message's stream reads in any case, to know where it ends."""


async def send_message(front: Front, request: Request) -> Response | LiveAnswer:
    """Submit a message, and tell its events, or where to ask for its ending."""
    stream = await front.session(request.path_params["id"])
    body = await read_body(request, MessageBody)
    message = UserMessage(content=content_of(content_in(body.content, front.options.codec)), id=body.id, mode=body.mode)
    if _wants_no_answer(request.headers.getlist("prefer")):
        ticket = stream.submit(message)
        await ticket.accepted()
        place = f"{request.scope.get('root_path', '')}/sessions/{stream.id}/messages/{ticket.id}"
        return json_answer({"id": ticket.id}, 202, {"Location": place, "Preference-Applied": "respond-async"})
    return await _followed(front, stream, message, body.kinds)


async def list_messages(front: Front, request: Request) -> Response:
    """The running one and those that wait, in order."""
    stream = await front.session(request.path_params["id"])
    return json_answer({"messages": [_shown(item) for item in queue_in(stream)]})


async def show_message(front: Front, request: Request) -> Response:
    """Where a message stands, and how it ended."""
    message_id = _named(request)
    stream = await front.session(request.path_params["id"])
    found = await _found(front, stream, message_id)
    if found is None:
        raise NotFoundError(f"no message {message_id!r}")
    return json_answer(found)


async def withdraw_message(front: Front, request: Request) -> Response:
    """Take a message back before it starts."""
    message_id = _named(request)
    stream = await front.session(request.path_params["id"])
    item = _queued(stream, message_id)
    if item is None or item["status"] != "waiting":
        if item is None and await _found(front, stream, message_id) is None:
            raise NotFoundError(f"no message {message_id!r}")
        raise ConflictError(f"message {message_id!r} has begun; interrupt it instead")
    # Sending what waits once more gives the ticket that it has.
    if not await stream.submit(UserMessage(content=item["content"], id=message_id)).withdraw():
        raise ConflictError(f"message {message_id!r} has begun; interrupt it instead")
    return Response(status_code=204)


async def _followed(front: Front, stream: Stream, message: UserMessage, kinds: Sequence[str] | None) -> LiveAnswer:
    """The message's events from its first to its `done`; what goes wrong before that is no stream."""
    pace = front.enter(stream.id)
    cursor = cursor_of(stream)
    # A known id may have events already, from anywhere in the log.
    reader = _reader(stream, kinds, after=cursor if message.id is None else "")
    try:
        ticket = stream.submit(message)
        await ticket.accepted()
    except BaseException:
        reader.close()
        front.leave(stream.id)
        raise
    limits = front.options.limits
    wanted = () if kinds is None or "*" in kinds else (*kinds, "error")
    return LiveAnswer(
        MessageFeed(reader, ticket, wanted, cursor),
        pace,
        heartbeat_s=limits.heartbeat_s,
        stall_s=limits.stall_s,
        left=lambda: front.leave(stream.id),
        headers=((b"ore-message", ticket.id.encode()),),
    )


def _reader(stream: Stream, kinds: Sequence[str] | None, *, after: str) -> Subscription:
    if kinds is None:
        return stream.subscribe(after=after, deltas=False)
    return stream.subscribe(*(() if "*" in kinds else (*kinds, *FOLLOWED)), after=after)


async def _found(front: Front, stream: Stream, message_id: str) -> Mapping[str, Any] | None:
    """What is known of a message: in the queue, in the inbox, or of its ending; in the order in which it moves."""
    item = _queued(stream, message_id)
    if item is not None:
        return {"id": message_id, "status": item["status"]}
    store = front.sessions.store
    waiting = next((one for one in await store.pending(stream.id) if one.id == message_id), None)
    if waiting is not None:
        return {"id": message_id, "status": "running" if waiting.taken else "waiting"}
    ending = await store.ending(stream.id, message_id)
    if ending is None:
        return None
    known = {"outcome": ending.outcome, "turn": ending.turn, "error": ending.error}
    return {"id": message_id, "status": "done"} | {name: value for name, value in known.items() if value is not None}


def _queued(stream: Stream, message_id: str) -> Mapping[str, Any] | None:
    return next((item for item in queue_in(stream) if item["id"] == message_id), None)


def _shown(item: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**item, "content": raw_artifacts(item["content"])}


def _named(request: Request) -> str:
    """The message's id of the path.

    Raises:
        NotFoundError: It matches no pattern.
    """
    message_id: str = request.path_params["mid"]
    if not is_id(message_id):
        raise NotFoundError(f"no message {message_id[:140]!r}")
    return message_id


def _wants_no_answer(preferences: Sequence[str]) -> bool:
    """RFC 7240: `respond-async` among the preferences, whatever else stands there."""
    found = [item.partition(";")[0].strip().lower() for value in preferences for item in value.split(",")]
    return "respond-async" in found
