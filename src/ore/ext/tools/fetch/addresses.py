"""`Addresses`: which addresses may be asked."""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from ore.errors import InputError, ToolError

__all__ = ["Addresses", "why_not"]

Address = IPv4Address | IPv6Address

_ALSO: Final = tuple(map(ip_network, ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32", "fec0::/10")))
"""What Python calls global and is not, or is a cloud's own service: 168.63.129.16 is Azure's on every machine there
("What is IP address 168.63.129.16?", read 2026-11)."""

_GLOBAL6: Final = IPv6Network("2000::/3")
"""All that was given out for the world (IANA, "IPv6 Global Unicast Address Assignments", read 2026-11)."""

_NAT64: Final = IPv6Network("64:ff9b::/96")
"""IPv4 behind a translator (RFC 6052)."""


class Addresses:
    """Public ones, and what somebody said by name.

    Args:
        allow: Hosts, addresses and networks that may be asked though they are
            not public: `"wiki.internal"`, `"127.0.0.1"`, `"10.1.0.0/16"`.

    Raises:
        InputError: One of them is none of these.
    """

    def __init__(self, allow: Sequence[str] = ()) -> None:
        self._hosts: set[str] = set()
        self._networks: list[IPv4Network | IPv6Network] = []
        for item in allow:
            if (network := _network(item)) is not None:
                self._networks.append(network)
            elif "/" in item or ":" in item or not item:
                raise InputError(f"allow: expected a host, an address or a network, got {item!r}")
            else:
                self._hosts.add(_bare(item))

    def check(self, host: str, found: Sequence[str]) -> None:
        """See that all that a name stands for may be asked.

        Args:
            host: The name, or an address itself.
            found: The addresses that it stands for.

        Raises:
            ToolError: One of them may not, or there is none.
        """
        if not found:
            raise ToolError(f"{host}: the name stands for no address")
        if _bare(host) in self._hosts:
            return
        for text in found:
            address = ip_address(text)
            if any(address in network for network in self._networks):
                continue
            if why := why_not(address):
                raise ToolError(
                    f"{host}: expected a public address, got one that is {why}; such addresses are not asked"
                )


def why_not(address: Address) -> str:
    """What keeps an address from being asked; empty for a public one."""
    inner = _embedded(address)
    if inner is not None:
        return why_not(inner)
    for name in ("unspecified", "loopback", "multicast"):
        if getattr(address, f"is_{name}"):
            return name
    if address.is_link_local:
        return "link-local, where clouds keep their metadata"
    if isinstance(address, IPv6Address) and address not in _GLOBAL6:
        return "private or reserved"
    if not address.is_global or address.is_private or address.is_reserved:
        return "private or reserved"
    return "private or reserved" if any(address in network for network in _ALSO) else ""


def _embedded(address: Address) -> IPv4Address | None:
    """The IPv4 address inside of an IPv6 one, which a packet to it may reach."""
    if isinstance(address, IPv4Address):
        return None
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)


def _network(item: str) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(item.strip("[]"), strict=False)
    except ValueError:
        return None


def _bare(host: str) -> str:
    return host.lower().rstrip(".")
