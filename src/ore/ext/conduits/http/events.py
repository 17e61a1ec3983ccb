"""The route of a session's events."""

from starlette.requests import Request

from ore.ext.conduits.http.feed import EventFeed
from ore.ext.conduits.http.front import Front
from ore.ext.conduits.http.live import LiveAnswer

__all__ = ["follow_events"]


async def follow_events(front: Front, request: Request) -> LiveAnswer:
    """Everything that happens, from now on or behind an event; a browser that comes back says behind which."""
    stream = await front.session(request.path_params["id"])
    query = request.query_params
    kinds = [kind for kind in query.get("kinds", "").split(",") if kind]
    after = request.headers.get("last-event-id") or query.get("after") or None
    pace = front.enter(stream.id)
    wanted = () if "*" in kinds else kinds
    reader = stream.subscribe(*wanted, after=after, deltas=bool(kinds))
    limits = front.options.limits
    return LiveAnswer(
        EventFeed(reader, front.frames),
        pace,
        heartbeat_s=limits.heartbeat_s,
        stall_s=limits.stall_s,
        left=lambda: front.leave(stream.id),
    )
