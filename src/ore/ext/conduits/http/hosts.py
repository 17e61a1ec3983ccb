"""`Hosts`: under which names the server is reached, and which pages may use it."""

import ipaddress
from collections.abc import Sequence
from urllib.parse import urlsplit

from ore.errors import InputError

__all__ = ["Hosts", "is_loopback"]

_PORTS = {"http": 80, "https": 443}


def is_loopback(host: str) -> bool:
    """Whether nobody but this machine reaches a server that is bound to `host`."""
    if host.lower().rstrip(".") == "localhost":
        return True
    address = _address(host.strip("[]"))
    return address is not None and address.is_loopback


class Hosts:
    """Looks at `Host` and `Origin`.

    A page of anybody's can make its own name mean this machine, and then drive
    a server that trusts whoever reaches it; the browser still says that name.

    Args:
        names: Names beside those of loopback, with a port or for any.
        origins: Pages elsewhere that may use it.
        any_address: Whether a host that is an address passes: no name is made to mean one.

    Raises:
        InputError: A name or an origin is none, and would let nobody in, or the wrong ones.
    """

    def __init__(self, names: Sequence[str], origins: Sequence[str], *, any_address: bool) -> None:
        self._names = {_checked_name(name) for name in names}
        self._origins = {_checked_origin(origin) for origin in origins}
        self._any_address = any_address

    def lets(self, host: str) -> bool:
        """Whether requests may come for this host."""
        name, _ = _split(host)
        if not name:
            return False
        if is_loopback(name) or name in self._names or host.lower() in self._names:
            return True
        return self._any_address and _address(name.strip("[]")) is not None

    def is_named(self, origin: str) -> bool:
        """Whether it is a page elsewhere that may use it."""
        return bool(self._origins) and _origin(origin) in self._origins

    def is_own(self, origin: str, host: str) -> bool:
        """Whether a page came from the very host that the request goes to."""
        parts = _origin(origin)
        if parts is None:
            return False
        scheme, name, port = parts
        wanted, given = _split(host)
        return name == wanted and port == (given or _PORTS.get(scheme))


def _checked_name(name: str) -> str:
    if not name or not _split(name)[0] or set(name) & set("/*,@?# "):
        raise InputError(f"host: expected a name such as ore.example.org, without http:// before it, got {name!r}")
    return name.lower()


def _checked_origin(origin: str) -> tuple[str, str, int | None]:
    found = _origin(origin)
    if found is None or found[0] not in _PORTS or "*" in origin:
        expected = "the address of a page's server, such as https://example.org"
        raise InputError(f"origin: expected {expected}, got {origin!r}")
    return found


def _split(host: str) -> tuple[str, int | None]:
    """Name, in lower case and without a last dot, and port."""
    name, colon, port = host.lower().rpartition(":")
    if not colon or (name.count(":") and not name.endswith("]")):
        name, port = host.lower(), ""
    if port and not (port.isascii() and port.isdigit() and len(port) < 6):
        return "", None
    return name.rstrip("."), int(port) if port else None


def _origin(origin: str) -> tuple[str, str, int | None] | None:
    """Scheme, name and port; `None` for what is no origin, such as `null`."""
    try:
        parts = urlsplit(origin.strip().lower())
        port = parts.port
    except ValueError:
        return None
    if not parts.scheme or not parts.hostname or parts.path not in ("", "/"):
        return None
    name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return parts.scheme, name.rstrip("."), port or _PORTS.get(parts.scheme)


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None
