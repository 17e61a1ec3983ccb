"""Sessions that are forked and deleted."""

from argparse import Namespace
from typing import NoReturn

from ore.app.nearest import guess
from ore.cli.failures import run
from ore.cli.opened import opened, print_id
from ore.cli.status import DONE, Status
from ore.errors import NotFoundError
from ore.ledger import StoredThread, delete_thread
from ore.session import LocalPlacement, Manager, Stream

__all__ = ["delete_session", "fork_session"]


def fork_session(options: Namespace) -> Status:
    """Make a new session of another one's path, and print its id.

    Raises:
        NotFoundError: There is no such session, or no such turn in it.
        OreError: The store cannot be used.
    """
    return run(_fork(options))


def delete_session(options: Namespace) -> Status:
    """Remove a session with everything in it.

    Raises:
        NotFoundError: There is none of that id.
        SessionOwnedError: Another live process owns it.
        OreError: The store cannot be used.
    """
    return run(_delete(options))


async def _fork(options: Namespace) -> Status:
    async with opened(options) as store:
        if options.at is not None:
            _check_turn(options.at, await store.load(options.id))
        made = await Manager(_no_agent, store).fork(options.id, options.at)
    return print_id(made, options)


def _check_turn(turn_id: str, stored: StoredThread) -> None:
    """See whether there is such a turn.

    Raises:
        NotFoundError: There is none; the message names the nearest.
    """
    ids = [turn.id for turn in stored.turns]
    if turn_id not in ids:
        where = f"`ore sessions show {stored.id} --json` has the ids of its turns"
        raise NotFoundError(f"no turn {turn_id!r} in session {stored.id!r}{guess(turn_id, ids)}; {where}")


async def _delete(options: Namespace) -> Status:
    async with opened(options) as store, LocalPlacement(store.lock_folder).hold(options.id):
        if not await delete_thread(store, options.id):
            raise NotFoundError(f"no session {options.id!r}")
    return print_id(options.id, options) if options.json else DONE


def _no_agent(stream: Stream) -> NoReturn:
    raise AssertionError("a fork is not attached")
