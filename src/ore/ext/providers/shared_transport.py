"""`shared_transport`: the network as all providers of a process reach it."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from ore.ext.providers.transport import Limits, Reply, Transport

__all__ = ["shared_transport"]


@cache
def shared_transport() -> Transport:
    """One transport for everybody, so that connections are shared; aiohttp is imported with the first request."""
    return _OnFirstUse()


class _OnFirstUse:
    def __init__(self) -> None:
        self._made: Transport | None = None

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], limits: Limits) -> Reply:
        if self._made is None:
            self._made = import_module("ore.ext.providers.aiohttp_transport").AiohttpTransport()
        return await self._made.post(url, body, headers, limits)
