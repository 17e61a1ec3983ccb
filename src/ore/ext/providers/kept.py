"""`asked_again`: a request like one before it, over a connection that is open.

aiohttp makes each request from its parts: some four hundred calls, most of
them for what is the same each time. Here the bytes of its own first request
are sent again with another body; the connection, and what parses the answer,
are aiohttp's.
"""

from collections.abc import Mapping
from typing import Final

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError

from ore.errors import ProviderError
from ore.ext.providers.aiohttp_reply import AiohttpReply, origin
from ore.ext.providers.faults import fault_of
from ore.ext.providers.pools import Pool
from ore.ext.providers.transport import Limits

__all__ = ["asked_again"]

_WRITTEN_BYTES: Final = 1 << 16
"""What is written at once; a longer body goes out as the other side takes it."""


async def asked_again(
    pool: Pool, url: str, body: bytes, headers: Mapping[str, str], limits: Limits
) -> AiohttpReply | None:
    """Send a request and wait for the head of the answer; `None` where it has to be made anew.

    Raises:
        ConnectionFailedError: The connection broke.
        ProviderTimeoutError: A limit was reached.
        ProtocolError: What answered does not speak HTTP.
    """
    asked = pool.asked(url, headers) if len(body) <= _WRITTEN_BYTES else None
    connection = await pool.kept(asked) if asked is not None else None
    if asked is None or connection is None:
        return None
    protocol = connection.protocol
    assert protocol is not None and protocol.transport is not None, "expected a connection that is open"
    deadline_s = pool.loop.time() + limits.total_s
    reply = AiohttpReply(pool, url, limits, deadline_s, protocol.set_exception, connection.close)
    fault: ProviderError
    try:
        protocol.set_response_params(read_until_eof=True)
        protocol.transport.write(b"%b%d\r\n\r\n%b" % (asked.head, len(body), body))
        message, payload = await _head(protocol, reply)
        payload.on_eof(connection.release)
        reply.begin(message.code, message.headers, payload)
        return reply
    except (ProviderError, aiohttp.EofStream) as error:  # the limit's, or it was reached beside a head that is none
        fault = reply.fault or fault_of(error, origin(url), limits, answering=False, proxy=pool.proxy(url))
    except (aiohttp.ClientError, HttpProcessingError, OSError, TimeoutError) as error:
        fault = fault_of(error, origin(url), limits, answering=False, proxy=pool.proxy(url))
    except BaseException:
        reply.close()
        raise
    reply.close()
    raise fault


async def _head(
    protocol: ResponseHandler, reply: AiohttpReply
) -> tuple[aiohttp.http.RawResponseMessage, aiohttp.StreamReader]:
    """The head of the answer; those that come before it are none, but they are no silence either."""
    while True:
        reply.wait()
        message, payload = await protocol.read()
        if not 100 <= message.code < 200 or message.code == 101:
            return message, payload
