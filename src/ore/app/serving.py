"""`live_sessions`: the sessions of some agents, for front ends; `serve`: those front ends over HTTP."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

from ore._aio import finish
from ore.app.resolve import ConduitSettings, conduit_by_name
from ore.app.shared_stores import use_store
from ore.errors import InputError
from ore.ledger import Store
from ore.session import Answerer, AskPolicy, Manager, Roster, Services
from ore.tool import keep_open

if TYPE_CHECKING:
    from ore.app.agent import Agent

__all__ = ["live_sessions", "serve"]


@asynccontextmanager
async def live_sessions(
    agents: "Sequence[Agent]",
    *,
    store: str | Store | None = None,
    answerer: Answerer | None = None,
    drain_s: float = 0.0,
) -> AsyncIterator[Manager]:
    """Sessions that front ends share; each has one of the agents, the first where nothing else was said.

    What an earlier process left unfinished goes on at once. Questions wait
    until a front end answers them. Leaving the block gives what runs `drain_s`
    seconds, then cuts it; it goes on at the next start, with all that waits.

    Args:
        agents: At least one; their names differ.
        store: Where sessions are kept, as a URL or a `Store`; the first agent's by default.
        answerer: Answers questions before anybody else does.
        drain_s: Seconds that running messages get at the end; a conduit that
            drains by itself leaves nothing to wait for.

    Raises:
        InputError: There is no agent, or two have one name.
        AuthenticationError: The key of one of the models is missing.
        StoreError: The store cannot be used.
    """
    if not agents:
        raise InputError("agents: expected at least one")
    first = agents[0]
    roster = Roster([agent.spec() for agent in agents])
    given = store if store is not None else first._store
    services = Services(
        resolve=first.limits.budget().resolve(first.resolve),
        asking=AskPolicy(answerer=answerer, wait=True),
        tracer=first._tracer,
    )
    used = await use_store(given)
    try:
        manager = Manager(roster, used.store, interceptors=first._interceptors, services=services)
        async with AsyncExitStack() as stack:
            for agent in agents:
                await stack.enter_async_context(keep_open(agent._tools))
            try:
                await manager.recover()
                yield manager
            finally:
                await finish(manager.leave(drain_s))
    finally:
        if used.is_shared:
            await finish(used.give_back())


async def serve(
    agents: "Sequence[Agent]",
    *,
    host: str = "127.0.0.1",
    port: int = 7654,
    token: str | None = None,
    store: str | Store | None = None,
    drain_s: float = 10.0,
    listening: Callable[[str], object] | None = None,
) -> None:
    """Serve agents over HTTP, with a page to talk in, until cancelled or until SIGTERM, behind which it returns.

    Args:
        agents: At least one; their names differ.
        host: Where it listens; more than loopback needs a token.
        port: The port; 0 is a free one.
        token: What requests have to show.
        store: Where sessions are kept, as a URL or a `Store`; the first agent's by default.
        drain_s: Seconds that running messages get at the end; then they are
            cut, and go on at the next start.
        listening: Called with a line that says where, once the server is
            ready; it goes to standard error by default.

    Raises:
        InputError: The extra `http` is not installed, nothing can listen
            there, or a token is missing.
    """
    settings = ConduitSettings(host=host, port=port, token=token, drain_s=drain_s, listening=listening or _say)
    conduit = conduit_by_name("http", settings)
    with _sigterm() as told:
        try:
            async with live_sessions(agents, store=store) as sessions:
                await conduit.serve(sessions)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not told or task is None or task.uncancel():  # somebody else cancelled it
                raise


@contextmanager
def _sigterm() -> Iterator[Sequence[int]]:
    """Let SIGTERM cancel the running task, where signals can be taken over; holds the signals that came."""
    told: list[int] = []
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def end() -> None:
        told.append(signal.SIGTERM)
        if task is not None:
            task.cancel()

    try:
        loop.add_signal_handler(signal.SIGTERM, end)
    except (NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
        yield told
        return
    try:
        yield told
    finally:
        loop.remove_signal_handler(signal.SIGTERM)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
