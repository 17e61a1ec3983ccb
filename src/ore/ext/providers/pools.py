"""`Pools`: one pool of connections for each event loop."""

import asyncio
import threading
import weakref
from collections.abc import AsyncGenerator, Mapping, Sequence
from inspect import signature
from typing import Final

import aiohttp
from aiohttp.connector import Connection

from ore.ext.providers.asked import Asked
from ore.ext.providers.patient_response import PatientResponse
from ore.ext.providers.proxies import proxy_for
from ore.ext.providers.recorded_request import RecordedRequest
from ore.ext.providers.watch import Watch

__all__ = ["Pool", "Pools"]

_HEADERS: Final = {
    "accept": "text/event-stream, application/x-ndjson, application/json",
    "accept-encoding": "identity",  # a compressor on the way would hold fragments back
    "user-agent": "ore-agents",
}


_LEARNT: Final = 64
"""Requests whose head is held."""

_KEEPS: Final = "traces" in signature(aiohttp.TCPConnector._get).parameters
"""Whether this aiohttp gives out a connection that is open, and waits for none."""


class Pool:
    """The connections of one event loop.

    Attributes:
        loop: The loop.
        watch: Looks at the answers that are awaited in it.
        session: Keeps no cookies, and knows nothing of the environment: with
            `trust_env` aiohttp would send passwords of `~/.netrc`, and cross
            into a thread twice before each request.
    """

    __slots__ = ("__weakref__", "_asked", "_proxies", "loop", "session", "watch")

    def __init__(self, connections: int, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.watch = Watch(loop)
        self.session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=connections),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=_HEADERS,
            request_class=RecordedRequest,
            response_class=PatientResponse,
        )
        self._asked: dict[Sequence[object], Asked] = {}
        self._proxies: dict[str, str | None] = {}

    def proxy(self, url: str) -> str | None:
        """The proxy for an address, looked up once."""
        if url not in self._proxies:
            self._proxies[url] = proxy_for(url)
        return self._proxies[url]

    def learn(self, url: str, headers: Mapping[str, str], response: aiohttp.ClientResponse) -> None:
        """Keep how a request was asked that was answered well."""
        asked = response.asked if isinstance(response, PatientResponse) else None
        if asked is None or response.status != 200 or not _KEEPS:
            return
        if len(self._asked) >= _LEARNT:
            self._asked.clear()
        self._asked[url, *headers.items()] = asked

    def asked(self, url: str, headers: Mapping[str, str]) -> Asked | None:
        """How the same was asked before."""
        return self._asked.get((url, *headers.items()))

    async def kept(self, asked: Asked) -> Connection | None:
        """A connection that is open and idle, which is the caller's now; does not wait."""
        connector = self.session.connector
        return None if connector is None else await connector._get(asked.key, [])


class Pools:
    """Gives each event loop its pool, made on first use and closed with the loop.

    Args:
        connections: Connections of one loop at once; 0 is no limit.
    """

    def __init__(self, connections: int = 0) -> None:
        self._connections = connections
        self._pools: dict[asyncio.AbstractEventLoop, Pool] = {}
        self._lock = threading.Lock()

    def mine(self) -> Pool | None:
        """The pool of the running loop, if there is one."""
        pool = self._pools.get(asyncio.get_running_loop())
        return None if pool is None or pool.session.closed else pool

    async def here(self) -> Pool:
        """The pool of the running loop."""
        loop = asyncio.get_running_loop()
        pool = self.mine()
        if pool is not None:
            return pool
        pool = Pool(self._connections, loop)
        keeper = _keep(pool.session, loop, weakref.ref(self))
        await anext(keeper)
        weakref.finalize(pool, _let_go, keeper).atexit = False
        with self._lock:
            self._pools[loop] = pool
        await self._drop_dead()
        return pool

    def __len__(self) -> int:
        return len(self._pools)

    def forget(self, loop: asyncio.AbstractEventLoop, session: aiohttp.ClientSession) -> None:
        """Give a session out no more."""
        with self._lock:
            pool = self._pools.get(loop)
            if pool is not None and pool.session is session:
                del self._pools[loop]

    async def _drop_dead(self) -> None:
        """Close the pools of loops that were closed without being shut down."""
        with self._lock:
            dead = [loop for loop in self._pools if loop.is_closed()]
            pools = [self._pools.pop(loop) for loop in dead]
        for pool in pools:
            await pool.session.close()


async def _keep(
    session: aiohttp.ClientSession, loop: asyncio.AbstractEventLoop, pools: "weakref.ref[Pools]"
) -> AsyncGenerator[None, None]:
    """Hold a session until its loop ends, or nobody holds the pools any more.

    A loop that ends properly, as in `asyncio.run`, closes the asynchronous
    generators that began in it while it still runs, and one that nobody holds
    is closed by its loop. Nobody else tells, so this one is left open on
    purpose. It does not hold its pool, and is not held by it but by the
    finalizer: the session must not be in a circle of garbage, where it would
    find itself unclosed before anybody could close it.
    """
    try:
        yield
    finally:
        owner = pools()
        if owner is not None:
            owner.forget(loop, session)
        await session.close()


def _let_go(keeper: AsyncGenerator[None, None]) -> None:
    """Called when a pool is gone: the keeper goes as well, which its loop then closes."""
