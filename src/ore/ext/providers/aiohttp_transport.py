"""`AiohttpTransport`: the network by aiohttp; nothing else of ore speaks HTTP to vendors."""

import asyncio
import io
from collections.abc import Mapping
from typing import Final

import aiohttp

from ore.errors import ProviderError
from ore.ext.providers.aiohttp_reply import AiohttpReply, origin
from ore.ext.providers.faults import fault_of, proxy_refused, too_long
from ore.ext.providers.kept import asked_again
from ore.ext.providers.pools import Pool, Pools
from ore.ext.providers.transport import Limits

__all__ = ["AiohttpReply", "AiohttpTransport"]

PROXY_REFUSES: Final = 407
"""The status that only a proxy has: it wants to know who asks."""

_LARGE_BYTES: Final = 1 << 20
"""Bodies above this are written in pieces, so that the loop is not held up; aiohttp warns where they are not."""


class AiohttpTransport:
    """One pool of connections for each event loop that uses it.

    A loop that ends closes its own; connections of a loop that was closed
    without being shut down are dropped. Certificates are checked, redirects
    not followed, cookies not kept; proxies come from the environment. Where
    the same was asked before, and a connection is open, nothing is made anew
    but the body.

    Args:
        connections: Connections of one loop at once; 0 is no limit. Waiting
            for one counts as connecting.
    """

    def __init__(self, connections: int = 0) -> None:
        self.pools = Pools(connections)

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], limits: Limits) -> AiohttpReply:
        """Send a request and wait for the head of the answer.

        Raises:
            ConnectionFailedError: There is no connection, or it broke, or the proxy refuses it.
            ProviderTimeoutError: A limit was reached.
            ProtocolError: What answered does not speak HTTP.
        """
        pool = self.pools.mine() or await self.pools.here()
        reply = await asked_again(pool, url, body, headers, limits)
        if reply is None:
            reply = await self._asked(pool, url, body, headers, limits)
        if reply.status == PROXY_REFUSES and pool.proxy(url) is not None:
            reply.close()
            raise proxy_refused(origin(url), pool.proxy(url), reply.status)
        return reply

    async def _asked(
        self, pool: Pool, url: str, body: bytes, headers: Mapping[str, str], limits: Limits
    ) -> AiohttpReply:
        deadline_s = pool.loop.time() + limits.total_s
        fault: ProviderError
        limit = asyncio.timeout(limits.total_s)
        try:
            async with limit:
                response = await pool.session.post(
                    url,
                    data=body if len(body) <= _LARGE_BYTES else io.BytesIO(body),
                    headers=headers,
                    allow_redirects=False,
                    proxy=pool.proxy(url),
                    timeout=aiohttp.ClientTimeout(total=None, connect=limits.connect_s, sock_read=limits.silence_s),
                )
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            if limit.expired():
                fault = too_long(origin(url), limits)
            else:
                fault = fault_of(error, origin(url), limits, answering=False, proxy=pool.proxy(url))
        else:
            pool.learn(url, headers, response)
            return _reply(response, AiohttpReply(pool, url, limits, deadline_s, _nobody_waits, response.close))
        raise fault  # out here, so that the request does not hang on to it as its context


def _reply(response: aiohttp.ClientResponse, reply: AiohttpReply) -> AiohttpReply:
    connection = response.connection
    if connection is not None and connection.protocol is not None:  # else the whole answer is here
        connection.protocol.read_timeout = None
        connection.protocol.start_timeout()
    reply.begin(response.status, response.headers, response.content)
    return reply


def _nobody_waits(fault: ProviderError) -> None:
    """The head is there."""
