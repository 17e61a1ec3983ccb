"""`HttpConduit`: the HTTP front end as a conduit, with a server of its own."""

import asyncio
import logging
import socket
from collections.abc import Callable
from dataclasses import replace
from typing import Final, Protocol
from urllib.parse import quote

from ore._aio import finish
from ore.ext.conduits.http.app import app_of
from ore.ext.conduits.http.front import Front
from ore.ext.conduits.http.hosts import is_loopback
from ore.ext.conduits.http.listening import address_of, bound, check_host
from ore.ext.conduits.http.options import HttpOptions
from ore.ext.conduits.http.web_server import serving
from ore.session import Descriptor, Manager

__all__ = ["HttpConduit", "Listening", "Settings", "make"]

log = logging.getLogger("ore.http")

Listening = Callable[[str], object]
"""Called once with a line that says where the server listens."""

DESCRIPTOR: Final = Descriptor(
    name="http",
    description="HTTP with streams, and a web page",
    capabilities=frozenset(
        {
            *("event-source", "show-status", "render-delta", "render-turn", "render-markdown", "render-image"),
            *("accept-text", "accept-image", "accept-voice", "accept-file", "request-user-confirmation"),
        }
    ),
)


class HttpConduit:
    """Serves sessions over HTTP until cancelled; then what runs has `drain_s` seconds.

    Args:
        host: Where it listens.
        port: The port; 0 is a free one.
        options: What is let in. A token is needed where `host` is more than loopback.
        drain_s: Seconds that running messages get at the end; then they are
            cut, and with all that waits they go on at the next start.
        listening: Called when the server is ready.

    Raises:
        InputError: `host` is no address, or a token is missing.
    """

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 7654,
        options: HttpOptions | None = None,
        drain_s: float = 10.0,
        listening: Listening | None = None,
    ) -> None:
        self._host = host
        self._port = port
        self._options = options or HttpOptions()
        check_host(host, has_token=self._options.token is not None)
        self._drain_s = drain_s
        self._listening = listening or log.info

    @property
    def descriptor(self) -> Descriptor:
        """What it is."""
        return DESCRIPTOR

    async def serve(self, sessions: Manager) -> None:
        """Serve until cancelled.

        Raises:
            InputError: Nothing can listen there, a token is missing, or a host
                or an origin of the options is none.
        """
        front = Front(sessions, _opened(self._options, self._host))
        app = app_of(front)
        listener = bound(self._host, self._port, has_token=self._options.token is not None)
        async with serving(app, listener):
            self._listening(self._line(address_of(listener, self._host)))
            try:
                await asyncio.get_running_loop().create_future()  # until cancelled
            finally:
                front.draining = True
                await finish(sessions.leave(self._drain_s))

    def _line(self, address: str) -> str:
        token = self._options.token
        if token is None:
            return f"listening on {address}"
        return f"listening on {address} (open {address}/?token={quote(token, safe='')})"


class Settings(Protocol):
    """What `make` needs to know."""

    @property
    def host(self) -> str:
        """Where it listens."""
        ...

    @property
    def port(self) -> int:
        """The port."""
        ...

    @property
    def token(self) -> str | None:
        """What requests have to show."""
        ...

    @property
    def drain_s(self) -> float:
        """Seconds for running messages at the end."""
        ...

    @property
    def listening(self) -> Listening | None:
        """Called when it is ready."""
        ...


def make(settings: Settings) -> HttpConduit:
    """The conduit of some settings."""
    return HttpConduit(
        host=settings.host,
        port=settings.port,
        options=HttpOptions(token=settings.token),
        drain_s=settings.drain_s,
        listening=settings.listening,
    )


def _opened(options: HttpOptions, host: str) -> HttpOptions:
    """The options with the names that a server has which is bound to more than loopback."""
    if is_loopback(host):
        return options
    name = socket.gethostname()
    return replace(options, hosts=(*options.hosts, host, name, f"{name}.local"), any_address=True)
