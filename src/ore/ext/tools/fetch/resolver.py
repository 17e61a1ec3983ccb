"""`CheckedResolver`: names are looked up once, and what was checked is what is asked."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence

from aiohttp.abc import AbstractResolver, ResolveResult

from ore.ext.tools.fetch.addresses import Addresses

__all__ = ["CheckedResolver", "Lookup", "look_up"]

Lookup = Callable[[str, int], Awaitable[Sequence[str]]]
"""Gives the addresses of a name. May raise `OSError`."""


async def look_up(host: str, port: int) -> Sequence[str]:
    """The addresses of a name, as this machine knows them.

    Raises:
        OSError: It has none.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class CheckedResolver(AbstractResolver):
    """Looks a name up for one connection, which goes to the addresses that were checked and to no others.

    A name that stands for another address a moment later, so as to lead past
    the check, finds nobody who asks again.
    """

    def __init__(self, addresses: Addresses, lookup: Lookup) -> None:
        self._addresses = addresses
        self._lookup = lookup

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The addresses.

        Raises:
            ToolError: One of them may not be asked.
            OSError: There is none.
        """
        found = await self._lookup(host, port)
        self._addresses.check(host, found)
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for address in found
        ]

    async def close(self) -> None:
        """Nothing is kept."""
