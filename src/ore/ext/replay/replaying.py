"""`Replaying`: a transport that plays a cassette."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from ore.errors import InputError, ProtocolError
from ore.ext.providers.transport import Limits, Reply
from ore.ext.replay.broken import Broken
from ore.ext.replay.cassette import Exchange, read_cassette
from ore.ext.replay.codes import error_of
from ore.ext.replay.matching import difference, without_ids
from ore.ext.replay.protocols import ENDINGS

__all__ = ["Replaying"]


class Replaying:
    """Answers each request as it was answered when it was recorded; nothing is sent.

    A request is the same when its path and its JSON are, apart from ids of
    calls, which only have to fit each other, and the session's key for the
    prompt cache. Equal ones are answered in the order in which they were
    recorded, each once. An answer that broke, breaks at the same place with the
    same code.

    Args:
        folder: The cassette.
        block_bytes: How much of an answer comes at a time.
        faults: What goes wrong on purpose, by the number of the request, from 1.
            The recorded answer is still there for who asks again.

    Raises:
        InputError: A file in the folder is no capture.
    """

    def __init__(self, folder: Path, *, block_bytes: int = 1024, faults: Mapping[int, Broken] | None = None) -> None:
        self._folder = folder
        self._left = list(read_cassette(folder))
        self._block_bytes = block_bytes
        self._faults = dict(faults or {})
        self._count = 0

    @property
    def left(self) -> Sequence[Exchange]:
        """What was recorded and not asked for yet."""
        return tuple(self._left)

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], limits: Limits) -> Reply:
        """Answer from the cassette.

        Raises:
            InputError: Nothing like it was recorded, or it was used up; the
                message says where the nearest one differs, and shows no content.
            ProviderError: It failed when it was recorded.
        """
        self._count += 1
        fault = self._faults.get(self._count)
        request = without_ids(msgspec.json.decode(body))
        for exchange in self._left:
            if _path(exchange.url) == _path(url) and without_ids(exchange.request) == request:
                if fault is not None:
                    return _Reply(_broken(exchange, fault), self._block_bytes)
                self._left.remove(exchange)
                if exchange.status is None:
                    raise error_of(exchange.failure)
                return _Reply(exchange, self._block_bytes)
        raise InputError(
            f"cassette {self._folder}: expected a request that was recorded, got one to {_path(url)} that "
            f"{self._nearest(url, request)}; record it again if that is right"
        )

    def _nearest(self, url: str, request: Any) -> str:
        same = [exchange for exchange in self._left if _path(exchange.url) == _path(url)]
        if not same:
            return f"has no counterpart among the {len(self._left)} that are left"
        return f"differs from {same[0].name} at {difference(without_ids(same[0].request), request)}"


class _Reply:
    """A recorded answer."""

    def __init__(self, exchange: Exchange, block_bytes: int) -> None:
        assert exchange.status is not None
        self.status: int = exchange.status
        self.headers: Mapping[str, str] = {name.lower(): value for name, value in exchange.headers.items()}
        self._body = exchange.body
        self._failure = exchange.failure
        self._block_bytes = block_bytes

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        block, self._body = self._body[: self._block_bytes], self._body[self._block_bytes :]
        if block:
            return block
        if self._failure is not None:
            error = error_of(self._failure)
            if not isinstance(error, ProtocolError):  # one of those is made of the body itself
                raise error
        raise StopAsyncIteration

    def close(self) -> None:
        """Nothing is held."""
        self._body, self._failure = b"", None


def _broken(exchange: Exchange, fault: Broken) -> Exchange:
    framing = ENDINGS.get(exchange.protocol or "", "sse")
    is_refused = fault.kind == "status"
    return replace(
        exchange,
        status=fault.status if is_refused else exchange.status or 200,
        headers={"content-type": "application/json", **fault.headers} if is_refused else exchange.headers,
        body=fault.body(exchange.body, framing),
        failure=None,
    )


def _path(url: str) -> str:
    return urlsplit(url).path
