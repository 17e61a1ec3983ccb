"""`download`: what stands at an address, its redirects followed one by one."""

import errno
import os
import ssl
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final

import aiohttp
from yarl import URL

from ore.errors import ToolError
from ore.ext.tools.fetch.addresses import Addresses
from ore.ext.tools.fetch.inflating import ENCODINGS, Inflating
from ore.ext.tools.fetch.media_types import is_read
from ore.ext.tools.fetch.resolver import CheckedResolver, Lookup, look_up
from ore.ext.tools.fetch.urls import checked, is_address

__all__ = ["LIMIT_BYTES", "REDIRECTS", "Download", "download"]

REDIRECTS: Final = 5
"""Answers that lead elsewhere before it is given up."""

LIMIT_BYTES: Final = 5 << 20
"""What is read of a body, unpacked: 5 MiB."""

CONNECT_S: Final = 10.0

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """What stands at an address.

    Attributes:
        url: Where it was in the end.
        status: HTTP status, with its words.
        media_type: What the server says that it is, in lower case; empty where it does not.
        charset: What the server says that a text is written in.
        data: The body, or its beginning.
        is_cut: Whether the body goes on.
        size_bytes: What the server says that the body has; `None` where it does not.
    """

    url: URL
    status: int
    reason: str
    media_type: str
    charset: str
    data: bytes
    is_cut: bool
    size_bytes: int | None


async def download(text: str, addresses: Addresses, lookup: Lookup = look_up) -> Download:
    """Get what stands at an address.

    Each address on the way is checked by itself. Nothing is sent that names
    anybody: no cookies, no passwords, no proxy of the environment, and not
    where one came from.

    Raises:
        ToolError: It cannot be had; the message says why.
    """
    url = checked(text)
    connector = aiohttp.TCPConnector(
        resolver=CheckedResolver(addresses, lookup), use_dns_cache=False, force_close=True, limit=1
    )
    async with aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        trust_env=False,
        auto_decompress=False,
        timeout=aiohttp.ClientTimeout(total=None, connect=CONNECT_S),
        headers=_headers(),
    ) as session:
        for _ in range(REDIRECTS + 1):
            found = await _asked(session, url, addresses)
            if isinstance(found, Download):
                return found
            url = checked(found, url)
    raise ToolError(f"{text}: expected a page behind at most {REDIRECTS} redirects, got one more")


async def _asked(session: aiohttp.ClientSession, url: URL, addresses: Addresses) -> Download | str:
    """What stands there, or where it leads."""
    host = url.raw_host or ""
    if is_address(host):  # for which no resolver is asked
        addresses.check(host, [host])
    try:
        async with session.get(url, allow_redirects=False) as response:
            if response.status in _REDIRECTS and (location := response.headers.get("Location")):
                return location
            return await _read(response, url)
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise ToolError(f"{url}: {_why(error)}") from None


async def _read(response: aiohttp.ClientResponse, url: URL) -> Download:
    media_type, charset = _type(response)
    body = b""
    is_cut = False
    if is_read(media_type):
        inflating = Inflating(response.headers.get("Content-Encoding", ""), LIMIT_BYTES)
        blocks = []
        async for block in response.content.iter_any():
            blocks.append(inflating.take(block))
            if inflating.is_full:
                break
        body, is_cut = b"".join(blocks), inflating.is_full
    return Download(
        url=url,
        status=response.status,
        reason=response.reason or "",
        media_type=media_type,
        charset=charset,
        data=body,
        is_cut=is_cut,
        size_bytes=response.content_length,
    )


def _type(response: aiohttp.ClientResponse) -> tuple[str, str]:
    if "Content-Type" not in response.headers:
        return "", ""
    return response.content_type.lower(), response.charset or ""


def _headers() -> dict[str, str]:
    return {
        "User-Agent": f"ore-agents/{version('ore-agents')}",
        "Accept": "text/markdown, text/html;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.5",
        "Accept-Encoding": ENCODINGS,
    }


def _why(error: Exception) -> str:
    """What went wrong, in words that hold nothing of what was sent or answered."""
    match error:
        case aiohttp.ClientConnectorDNSError():
            return "the name of the host is not known"
        case aiohttp.ClientConnectorCertificateError() | aiohttp.ClientConnectorSSLError() | ssl.SSLError():
            return "no safe connection: its certificate is not valid for it, or it speaks no TLS"
        case TimeoutError():
            return f"no connection within {CONNECT_S:g} s"
        case aiohttp.ClientConnectorError():
            return f"no connection: {os.strerror(error.os_error.errno or errno.ECONNREFUSED).lower()}"
        case aiohttp.ClientResponseError() | aiohttp.ClientPayloadError():
            return "what answered does not speak HTTP, or broke off"
        case aiohttp.ClientError() | OSError():
            return "the connection broke"
    return "it is no address that can be asked"
