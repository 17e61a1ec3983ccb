"""`Replaying`: a transport that plays a cassette."""

from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from ore.errors import InputError, ProtocolError
from ore.ext.providers.transport import Limits, Reply
from ore.ext.replay.cassette import Exchange, read_cassette
from ore.ext.replay.codes import error_of

__all__ = ["Replaying"]

_CALL_IDS: Final = frozenset({"id", "tool_use_id", "tool_call_id", "call_id"})


class Replaying:
    """Answers each request as it was answered when it was recorded; nothing is sent.

    A request is the same when its path and its JSON are, apart from ids of
    calls, which only have to fit each other, and the session's key for the
    prompt cache. Equal ones are answered in the order in which they were recorded, each once. An answer
    that broke, breaks at the same place with the same code.

    Args:
        folder: The cassette.
        block_bytes: How much of an answer comes at a time.

    Raises:
        InputError: A file in the folder is no capture.
    """

    def __init__(self, folder: Path, *, block_bytes: int = 1024) -> None:
        self._folder = folder
        self._left = list(read_cassette(folder))
        self._block_bytes = block_bytes

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
        request = without_ids(msgspec.json.decode(body))
        for exchange in self._left:
            if _path(exchange.url) == _path(url) and without_ids(exchange.request) == request:
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


def without_ids(request: Any) -> Any:
    """A request with ids of calls replaced by the order in which they first come."""
    known: dict[str, str] = {}

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: known.setdefault(item, f"#{len(known) + 1}")
                if key in _CALL_IDS and isinstance(item, str)
                else walk(item)
                for key, item in value.items()
                if key != "prompt_cache_key"
            }
        return [walk(item) for item in value] if isinstance(value, list) else value

    return walk(request)


def difference(one: Any, other: Any, place: str = "") -> str:
    """Where two JSON values first differ, as a path; their values are not shown."""
    if type(one) is type(other) and isinstance(one, dict):
        for key in [*one, *(key for key in other if key not in one)]:
            if key not in one or key not in other:
                return f"{place}/{key} ({'missing' if key not in other else 'new'})"
            if one[key] != other[key]:
                return difference(one[key], other[key], f"{place}/{key}")
    if type(one) is type(other) and isinstance(one, list):
        for index, (left, right) in enumerate(zip(one, other, strict=False)):
            if left != right:
                return difference(left, right, f"{place}/{index}")
        return f"{place} ({len(one)} items, now {len(other)})"
    return place or "/"


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


def _path(url: str) -> str:
    return urlsplit(url).path
