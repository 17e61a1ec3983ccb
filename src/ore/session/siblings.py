"""Sessions beside a session: a new one, or one that goes on from a turn of it."""

import secrets
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from ore._aio import finish
from ore.ledger import Store, StoredThread, Thread, Turn, check_id, import_thread
from ore.session.placement import Placement

if TYPE_CHECKING:
    from ore.session.stream import Stream

__all__ = ["fork_session", "fork_thread", "new_session", "store_of"]


def store_of(stream: "Stream") -> Store:
    """The store that a session is in, to read."""
    return stream._core.kit.store


async def new_session(stream: "Stream", metadata: Mapping[str, str] | None = None) -> str:
    """A new session in the same store, for what works inside a message; front ends attach it.

    Returns:
        Its id.

    Raises:
        StoreError: The store failed.
    """
    name = secrets.token_hex(16)
    await store_of(stream).create(name, dict(metadata or {}))
    return name


async def fork_session(stream: "Stream", at: str | None = None) -> str:
    """A new session with the path up to the turn `at`, or all of it; see `Manager.fork`.

    Returns:
        Its id.

    Raises:
        NotFoundError: No such turn.
        StoreError: The store failed.
    """
    kit = stream._core.kit
    return await fork_thread(kit.store, kit.placement, stream.id, at)


async def fork_thread(
    store: Store, placement: Placement, session_id: str, at: str | None = None, *, new_id: str | None = None
) -> str:
    """See `Manager.fork`."""
    stored = await store.load(check_id(session_id))
    thread = Thread(stored.turns, tip=stored.tip)
    if at is not None:
        thread.set_tip(at)
    path = _chained(thread.turns)
    tip = path[-1].id if path else None
    name = new_id if new_id is not None else secrets.token_hex(16)
    forked = StoredThread(id=check_id(name), metadata=stored.metadata, turns=path, tip=tip)
    async with placement.hold(name):  # nobody attaches it half made
        return await finish(import_thread(store, forked))


def _chained(turns: Sequence[Turn]) -> list[Turn]:
    """The same turns, each behind the one before it: what the path passed over is not there any more."""
    chained: list[Turn] = []
    for turn in turns:
        parent = chained[-1].id if chained else None
        chained.append(turn if turn.parent_id == parent else msgspec.structs.replace(turn, parent_id=parent))
    return chained
