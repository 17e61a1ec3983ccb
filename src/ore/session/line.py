"""Who waits in a session, and who comes next."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ore.session.item import Item, Why

if TYPE_CHECKING:
    from ore.session.core import Core

__all__ = ["drop", "find", "is_accepted", "is_overtaken", "last_before", "put", "queue_of", "steering", "still_waiting"]


def queue_of(running: Item | None, waiting: Sequence[Item]) -> Sequence[Mapping[str, Any]]:
    """The running message and those that wait, in order; the running one has position 0."""
    items = [running] if running else []
    return [
        {
            "id": item.message.id,
            "content": item.message.artifacts,
            "status": "running" if item is running else "waiting",
            "position": position,
        }
        for position, item in enumerate([*items, *waiting], start=0 if items else 1)
    ]


def find(core: "Core", message_id: str) -> Item | None:
    """The message of that id that has not ended."""
    running = () if core.running is None else (core.running, *core.running.joined)
    for item in (*running, *core.waiting):
        if item.message.id == message_id:
            return item
    return None


def steering(core: "Core") -> Item | None:
    """The next message that waits to enter the running loop."""
    return next((item for item in core.waiting if item.message.mode == "steer" and item.clearing is None), None)


def is_overtaken(core: "Core", item: Item) -> bool:
    """Whether a message that interrupts came in front of one that was being fetched to begin."""
    waiting = core.waiting
    if item.message.mode == "interrupt":
        return False
    ahead = waiting[: waiting.index(item)] if item in waiting else waiting
    return any(other.message.mode == "interrupt" and other.clearing is None for other in ahead)


def last_before(core: "Core", item: Item) -> str | None:
    """Id of the turn recorded before a message's first one, wherever the tip was then.

    An earlier process may have begun the message.
    """
    first = core.started.get(item.message.id) if core.started else None
    return core.thread.recorded_before(first)


def put(core: "Core", item: Item) -> None:
    """Let a message wait: those that steer or interrupt before all others."""
    waiting, place = core.waiting, len(core.waiting)
    if item.message.mode != "queue":
        place = next((n for n, other in enumerate(waiting) if other.message.mode == "queue"), place)
    core.waiting = [*waiting[:place], item, *waiting[place:]]
    core.intake = [*core.intake, item]


def drop(core: "Core", item: Item) -> None:
    """Let a message wait no more."""
    core.intake = [other for other in core.intake if other is not item]
    core.waiting = [other for other in core.waiting if other is not item]


def still_waiting(core: "Core", items: Sequence[Item], why: Why) -> Sequence[Item]:
    """Those that no other process ended or began meanwhile; one that was begun is cancelled, with its calls."""
    waiting = [item for item in items if item in core.waiting]
    for item in waiting:
        if item.has_begun:
            item.let_go(cleared=False)
            item.cancel(why)
    return [item for item in waiting if not item.has_begun]


async def is_accepted(item: Item) -> bool:
    """Whether a message is durable and has not ended, once that is known."""
    try:
        await item.ticket.accepted()
    except Exception:  # the store refused it: its ticket says so
        item.let_go(cleared=True)
        return False
    return item.ticket.outcome is None
