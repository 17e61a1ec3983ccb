"""`AiohttpReply`: an answer that aiohttp reads."""

from collections.abc import Callable, Mapping
from math import inf
from urllib.parse import urlsplit

import aiohttp

from ore.errors import ProviderError
from ore.ext.providers.faults import fault_of, silence, too_large, too_long
from ore.ext.providers.lean_reader import lean
from ore.ext.providers.pools import Pool
from ore.ext.providers.transport import Limits

__all__ = ["AiohttpReply", "origin"]


class AiohttpReply:
    """An answer that is read as it comes.

    aiohttp's own limits cost some ten calls for each block, so they end with
    the head of the answer. The pool's watch looks instead, at most once in the
    seconds that nothing may come, since when its reader has been waiting.

    Args:
        pool: Whose connection it uses; a pool is closed when nobody holds it.
        deadline_s: When it has to have ended, by the loop's clock.
        fail: Raises an error in whoever waits for the head, or for more.
        close: Gives the connection up, unless all was read.

    Attributes:
        fault: The limit that was reached.
        status: HTTP status; 0 until the head is there.
    """

    __slots__ = (
        "__weakref__",
        "_close",
        "_content",
        "_deadline_s",
        "_fail",
        "_found",
        "_headers",
        "_limits",
        "_loop",
        "_pool",
        "_since_s",
        "_url",
        "fault",
        "status",
    )

    def __init__(
        self,
        pool: Pool,
        url: str,
        limits: Limits,
        deadline_s: float,
        fail: Callable[[ProviderError], None],
        close: Callable[[], None],
    ) -> None:
        self._pool = pool
        self._url = url
        self._limits = limits
        self._deadline_s = deadline_s
        self._fail = fail
        self._close = close
        self._loop = pool.loop
        self._content: aiohttp.StreamReader | None = None
        self._found: Mapping[str, str] = {}
        self._headers: Mapping[str, str] | None = None
        self._since_s = inf
        self.fault: ProviderError | None = None
        self.status = 0

    def wait(self) -> None:
        """Whoever reads waits for the head from now on."""
        self._since_s = now_s = self._loop.time()
        self._pool.watch.add(self, min(now_s + self._limits.silence_s, self._deadline_s))

    def begin(self, status: int, headers: Mapping[str, str], content: aiohttp.StreamReader) -> None:
        """The head is there."""
        self.status = status
        self._found = headers
        self._content = lean(content, headers)
        self._fail = content.set_exception
        self._since_s = inf
        if not content.is_eof():
            self._pool.watch.add(self, min(self._loop.time() + self._limits.silence_s, self._deadline_s))

    @property
    def headers(self) -> Mapping[str, str]:
        """With names in lower case."""
        if self._headers is None:
            self._headers = {name.lower(): value for name, value in self._found.items()}
        return self._headers

    @property
    def has_ended(self) -> bool:
        """Whether nothing more comes, and all that came was read."""
        return self._content is not None and self._content.at_eof() and self._content.exception() is None

    def __aiter__(self) -> "AiohttpReply":
        return self

    async def __anext__(self) -> bytes:
        """The next block, as it arrived.

        Raises:
            ConnectionFailedError: The connection broke.
            ProviderTimeoutError: A limit of time was reached.
            ProtocolError: The answer is too large.
        """
        fault: ProviderError
        content = self._content
        assert content is not None, "expected the head of the answer to be there"
        self._since_s = self._loop.time()
        try:
            block = await content.readany()
        except ProviderError as error:  # the one below
            fault = error
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            fault = fault_of(error, origin(self._url), self._limits, answering=True, proxy=self._pool.proxy(self._url))
        else:
            self._since_s = inf
            if content.total_bytes > self._limits.answer_bytes:
                fault = too_large(origin(self._url), self._limits)
            elif block:
                return block
            else:
                self.close()
                raise StopAsyncIteration
        self.close()
        raise fault

    def close(self) -> None:
        """Give the connection up, unless the whole body was read."""
        self._pool.watch.drop(self)
        self._close()

    def look(self, now_s: float) -> float | None:
        """See whether a limit is reached; see `Watched`."""
        since_s = min(self._since_s, now_s)
        if now_s >= self._deadline_s:
            self.fault = too_long(origin(self._url), self._limits)
        elif now_s >= since_s + self._limits.silence_s:
            self.fault = silence(origin(self._url), self._limits)
        else:
            return min(since_s + self._limits.silence_s, self._deadline_s)
        self._fail(self.fault)
        self.close()
        return None


def origin(url: str) -> str:
    """Scheme, host and port."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
