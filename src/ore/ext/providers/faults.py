"""`fault_of`: what goes wrong between here and a server, as ore's own errors."""

import os
import re
import ssl
from typing import Final
from urllib.parse import urlsplit

import aiohttp
from aiohttp.http_exceptions import ContentEncodingError, HttpProcessingError

from ore.errors import ConnectionFailedError, ProtocolError, ProviderError, ProviderTimeoutError
from ore.ext.providers.transport import Limits

__all__ = ["fault_of", "proxy_refused", "silence", "too_large", "too_long"]


def fault_of(
    error: Exception, origin: str, limits: Limits, *, answering: bool, proxy: str | None = None
) -> ProviderError:
    """The error to raise instead of aiohttp's, which may hold the request with its headers.

    Args:
        error: What aiohttp raised.
        origin: Scheme, host and port of the server.
        limits: Those of the request.
        answering: Whether the head of the answer had come.
        proxy: The address of the proxy that is asked; of it only host and port are shown.
    """
    encoding = _encoding(error)
    if encoding:
        return ProtocolError(
            f"expected an answer from {_way(origin, proxy)} that can be unpacked, got one in another encoding than its "
            f"header content-encoding names, or in one that is not asked for: {encoding}; does something on the way "
            "change what is sent?"
        )
    if isinstance(error, aiohttp.ClientProxyConnectionError | aiohttp.ClientHttpProxyError):
        return _proxy(error, origin, proxy)
    origin = _way(origin, proxy)
    match error:
        case aiohttp.ClientConnectorError():
            return _unreachable(error, origin)
        case aiohttp.ConnectionTimeoutError():
            return ProviderTimeoutError(
                f"no connection to {origin} within {limits.connect_s:g} s; is the address right, and the network there?"
            )
        case TimeoutError():
            return silence(origin, limits)
        case aiohttp.ClientResponseError() | HttpProcessingError():  # its own parser's words hold what was received
            return ProtocolError(
                f"expected HTTP from {origin}, got something else; does the address begin with the right one of "
                "http:// and https://?"
            )
        case _:
            return _broken(error, origin, answering)


def silence(origin: str, limits: Limits) -> ProviderTimeoutError:
    """Nothing came for too long."""
    return ProviderTimeoutError(f"no byte from {origin} for {limits.silence_s:g} s; --timeout-s allows more")


def too_long(origin: str, limits: Limits) -> ProviderTimeoutError:
    """Something came, but no end."""
    return ProviderTimeoutError(f"the answer of {origin} had not ended after {limits.total_s:g} s in all")


def too_large(origin: str, limits: Limits) -> ProtocolError:
    """More came than any answer has."""
    return ProtocolError(
        f"expected an answer of at most {limits.answer_bytes} bytes from {origin}, got more; is it a model that "
        "answers there?"
    )


def _unreachable(error: aiohttp.ClientConnectorError, origin: str) -> ConnectionFailedError:
    fault = ConnectionFailedError(f"no connection to {origin}: {_why(error)}")
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        fault.retryable = False  # the server will show the same one in a second
    return fault


def _why(error: aiohttp.ClientConnectorError) -> str:
    """What kept the connection from being made, and what may help."""
    match error:
        case aiohttp.ClientConnectorCertificateError():
            said = getattr(error.certificate_error, "verify_message", "") or "not accepted"
            return (
                f"TLS: its certificate is not trusted ({said}); for an authority of your own let SSL_CERT_FILE name "
                "its certificate"
            )
        case aiohttp.ClientSSLError():
            reason = error.os_error.reason if isinstance(error.os_error, ssl.SSLError) else None
            return f"TLS failed ({_plain(reason)}); does the server speak https, or is http:// meant?"
        case aiohttp.ClientConnectorDNSError():
            said = _plain(error.strerror)
            return f"its name cannot be looked up ({said}); is the address right, and the network there?"
        case _:
            return f"{_said(error)}; is the address right, and does the server run?"


def proxy_refused(origin: str, proxy: str | None, status: int) -> ConnectionFailedError:
    """The proxy answered in place of the server; with what it refuses now it is not asked again."""
    fault = ConnectionFailedError(f"no connection to {origin}: {_the(proxy)} answered with status {status}; {_NAMES}")
    fault.retryable = status >= 500 or status in (408, 429)
    return fault


_NAMES: Final = "HTTPS_PROXY, HTTP_PROXY or ALL_PROXY names it, NO_PROXY excepts hosts"

_UNPACKED: Final = re.compile(r"Can not decode content-encoding: ([a-z]{1,20}(?: \([a-z]{1,20}\))?)")
"""What aiohttp says, in words of its own."""


def _encoding(error: BaseException | None) -> str:
    """The encoding of an answer that could not be undone; empty where that is not what went wrong."""
    while error is not None and not isinstance(error, ContentEncodingError):
        error = error.__cause__ or error.__context__
    found = _UNPACKED.search(str(error)) if error is not None else None
    return found[1] if found else ""


def _the(proxy: str | None) -> str:
    """The proxy by its host and port, without a name or a password."""
    try:
        place = urlsplit(proxy or "").netloc.rpartition("@")[2]
    except ValueError:
        place = ""
    return f"the proxy at {place}" if place else "the proxy"


def _way(origin: str, proxy: str | None) -> str:
    return origin if proxy is None else f"{origin} through {_the(proxy)}"


def _proxy(
    error: aiohttp.ClientProxyConnectionError | aiohttp.ClientHttpProxyError, origin: str, proxy: str | None
) -> ProviderError:
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return proxy_refused(origin, proxy, error.status)
    got = f"the proxy at {error.host}:{error.port} gives no connection: {_said(error)}"
    return ConnectionFailedError(f"no connection to {origin}: {got}; {_NAMES}")


def _broken(error: Exception, origin: str, answering: bool) -> ProviderError:
    reason = f" ({_said(error)})" if isinstance(error, OSError) and error.errno else ""
    if answering:
        return ConnectionFailedError(f"the connection to {origin} broke inside the answer{reason}")
    return ConnectionFailedError(f"the connection to {origin} broke before an answer{reason}")


def _said(error: OSError) -> str:
    """What the operating system says; asyncio's own words for it end with the address."""
    return _plain(os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror)


def _plain(text: object) -> str:
    """The words of the operating system, without the source lines that Python's TLS adds."""
    return str(text or "unknown reason").partition(" (_ssl.c")[0].lower()
