"""`AiohttpTransport`: the network by aiohttp; nothing else of ore speaks HTTP to vendors."""

import asyncio
import io
import math
from collections.abc import Mapping
from time import monotonic
from typing import Final
from urllib.parse import urlsplit

import aiohttp

from ore.errors import ProviderError
from ore.ext.providers.faults import fault_of, silence, too_large, too_long
from ore.ext.providers.pools import Pool, Pools
from ore.ext.providers.transport import Limits

__all__ = ["AiohttpReply", "AiohttpTransport"]

_LARGE_BYTES: Final = 1 << 20
"""Bodies above this are written in pieces, so that the loop is not held up; aiohttp warns where they are not."""


class AiohttpTransport:
    """One pool of connections for each event loop that uses it.

    A loop that ends closes its own; connections of a loop that was closed
    without being shut down are dropped. Certificates are checked, redirects
    not followed, cookies not kept; proxies come from the environment.

    Args:
        connections: Connections of one loop at once; 0 is no limit. Waiting
            for one counts as connecting.
    """

    def __init__(self, connections: int = 0) -> None:
        self.pools = Pools(connections)

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], limits: Limits) -> "AiohttpReply":
        """Send a request and wait for the head of the answer.

        Raises:
            ConnectionFailedError: There is no connection, or it broke.
            ProviderTimeoutError: A limit was reached.
            ProtocolError: What answered does not speak HTTP.
        """
        deadline = monotonic() + limits.total_s
        pool = await self.pools.here()
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
                fault = too_long(_origin(url), limits)
            else:
                fault = fault_of(error, _origin(url), limits, answering=False)
        else:
            return AiohttpReply(response, pool, url, limits, deadline)
        raise fault  # out here, so that the request does not hang on to it as its context


class AiohttpReply:
    """An answer that is read as it comes.

    aiohttp's own limits cost some ten calls for each block, so they end with
    the head of the answer. From there one timer looks, at most once in the
    seconds that nothing may come, since when its reader has been waiting.
    """

    __slots__ = (
        "_content",
        "_deadline",
        "_headers",
        "_limits",
        "_loop",
        "_pool",
        "_response",
        "_since",
        "_timer",
        "_url",
    )

    def __init__(self, response: aiohttp.ClientResponse, pool: Pool, url: str, limits: Limits, deadline: float) -> None:
        self._pool = pool  # which is closed when nobody holds it
        self._response = response
        self._content = response.content
        self._url = url
        self._limits = limits
        self._deadline = deadline
        self._headers: Mapping[str, str] | None = None
        self._since = math.inf
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        connection = response.connection
        if connection is not None and connection.protocol is not None:  # else the whole answer is here
            connection.protocol.read_timeout = None
            connection.protocol.start_timeout()
            self._timer = self._loop.call_later(min(limits.silence_s, deadline - monotonic()), self._look)

    @property
    def status(self) -> int:
        """HTTP status."""
        return self._response.status

    @property
    def headers(self) -> Mapping[str, str]:
        """With names in lower case."""
        if self._headers is None:
            self._headers = {name.lower(): value for name, value in self._response.headers.items()}
        return self._headers

    def __aiter__(self) -> "AiohttpReply":
        return self

    async def __anext__(self) -> bytes:
        """The next block, as it arrived.

        Raises:
            ConnectionFailedError: The connection broke.
            ProviderTimeoutError: A limit of time was reached.
            ProtocolError: The answer is too large.
        """
        fault: ProviderError
        self._since = monotonic()
        try:
            block = await self._content.readany()
        except ProviderError as error:  # the timer's
            fault = error
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            fault = fault_of(error, _origin(self._url), self._limits, answering=True)
        else:
            self._since = math.inf
            if self._content.total_bytes > self._limits.answer_bytes:
                fault = too_large(_origin(self._url), self._limits)
            elif block:
                return block
            else:
                self.close()
                raise StopAsyncIteration
        self.close()
        raise fault

    def close(self) -> None:
        """Give the connection up, unless the whole body was read."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._response.close()

    def _look(self) -> None:
        """See whether a limit is reached; else look again when the next one may be."""
        now = monotonic()
        if now >= self._deadline:
            self._end(too_long(_origin(self._url), self._limits))
        elif now >= self._since + self._limits.silence_s:
            self._end(silence(_origin(self._url), self._limits))
        else:
            waited_s = max(now - self._since, 0.0)
            self._timer = self._loop.call_later(
                min(self._limits.silence_s - waited_s, self._deadline - now), self._look
            )

    def _end(self, fault: ProviderError) -> None:
        self._content.set_exception(fault)
        self.close()


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
