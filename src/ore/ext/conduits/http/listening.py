"""Where the server listens."""

import socket
from contextlib import suppress

from ore.errors import InputError
from ore.ext.conduits.http.hosts import is_loopback

__all__ = ["address_of", "bound", "check_host"]

BACKLOG = 2048

DEAD_S = 120
"""Seconds after which a peer that acknowledges nothing counts as gone (Linux, TCP_USER_TIMEOUT)."""


def check_host(host: str, *, has_token: bool) -> None:
    """Refuse what anybody who reaches the machine could drive.

    Raises:
        InputError: It is more than loopback and there is no token, or it is no address.
    """
    _, address = _resolved(host, 0)
    if not has_token and not is_loopback(address[0]):
        raise InputError(
            f"host: {host!r} can be reached by other machines, so a token is needed: add --token or set ORE_TOKEN"
        )


def bound(host: str, port: int, *, has_token: bool) -> socket.socket:
    """A socket that listens there; connections inherit that dead peers are noticed.

    Raises:
        InputError: Nothing can listen there, or a token is missing.
    """
    check_host(host, has_token=has_token)
    family, address = _resolved(host, port)
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        with suppress(AttributeError, OSError):  # not on every system
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, DEAD_S * 1_000)
        made.bind(address)
        made.listen(BACKLOG)
        made.setblocking(False)
    except OSError as error:
        made.close()
        raise InputError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
    return made


def address_of(listener: socket.socket, host: str) -> str:
    """The address of a server, as a URL without a path."""
    port = listener.getsockname()[1]
    return f"http://[{host.strip('[]')}]:{port}" if ":" in host else f"http://{host}:{port}"


def _resolved(host: str, port: int) -> tuple[socket.AddressFamily, tuple[str, int]]:
    if host == "localhost":
        return socket.AF_INET, ("127.0.0.1", port)
    try:
        found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"host: {host!r} is no address of this machine: {why}") from None
    family, _, _, _, address = found[0]
    return family, (str(address[0]), port)
