"""`shared_transport`: the network as all providers of a process reach it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module

from ore.ext.providers.transport import Limits, Reply, Transport

__all__ = ["replaced_transport", "shared_transport"]


@cache
def shared_transport() -> Transport:
    """One transport for everybody, so that connections are shared; aiohttp is imported with the first request."""
    return _OnFirstUse()


@contextmanager
def replaced_transport(replacement: Transport) -> Iterator[Transport]:
    """Have everybody, providers made before as well, use another network while the block lasts; for tests.

    Yields:
        The one that is replaced, which still works.
    """
    shared = shared_transport()
    assert isinstance(shared, _OnFirstUse)
    before, shared.replacement = shared.replacement, replacement
    try:
        yield _Real(shared)
    finally:
        shared.replacement = before


class _OnFirstUse:
    def __init__(self) -> None:
        self._made: Transport | None = None
        self.replacement: Transport | None = None

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], limits: Limits) -> Reply:
        return await (self.replacement or self.real()).post(url, body, headers, limits)

    def real(self) -> Transport:
        if self._made is None:
            made: Transport = import_module("ore.ext.providers.aiohttp_transport").AiohttpTransport()
            self._made = made
        return self._made


class _Real:
    """The network itself, whatever stands in its place."""

    def __init__(self, shared: _OnFirstUse) -> None:
        self._shared = shared

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], limits: Limits) -> Reply:
        return await self._shared.real().post(url, body, headers, limits)
