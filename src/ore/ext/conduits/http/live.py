"""`LiveAnswer`: an answer that goes on for as long as there is something to tell."""

import asyncio
from collections.abc import Callable
from typing import Final

from starlette.types import Receive, Scope, Send

from ore.ext.conduits.http.feed import Feed
from ore.ext.conduits.http.pace import Pace

__all__ = ["LiveAnswer"]

HEADERS: Final = (
    (b"cache-control", b"no-cache, no-store"),
    (b"x-accel-buffering", b"no"),  # some proxies hold answers back otherwise
)


class LiveAnswer:
    """Sends what a feed gives, a piece for each wake-up.

    A reader that takes nothing makes nobody wait but its own feed, whose next
    piece then holds more. One that is gone, or takes nothing for `stall_s`, is
    let go of. Whatever happens to it, nothing happens to the session.

    Args:
        feed: What is sent; closed at the end.
        pace: What the readers of the session keep pace with.
        heartbeat_s: Seconds of silence until a sign of life, where the feed has one.
        stall_s: Seconds after which a reader that takes nothing is let go of.
        left: Called once, at the end.
        headers: More headers.
    """

    def __init__(
        self,
        feed: Feed,
        pace: Pace,
        *,
        heartbeat_s: float,
        stall_s: float,
        left: Callable[[], None],
        headers: tuple[tuple[bytes, bytes], ...] = (),
    ) -> None:
        self.status_code = 200
        self._feed = feed
        self._pace = pace
        self._heartbeat_s = heartbeat_s
        self._stall_s = stall_s
        self._left = left
        self._headers = (*HEADERS, (b"content-type", feed.media_type.encode()), *headers)
        self._writer: asyncio.Task[None] | None = None
        self._beat: asyncio.Future[None] | None = None
        self._pinging: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._wrote_at = 0.0
        self._sending_since: float | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, as any response of Starlette's does."""
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": [*self._headers]})
            if scope["method"] == "HEAD" or await self._told_all(receive, send):
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._feed.close()
            self._left()

    async def _told_all(self, receive: Receive, send: Send) -> bool:
        """Send everything; whether the reader was there to the end."""
        loop = asyncio.get_running_loop()
        self._wrote_at = loop.time()
        async with asyncio.TaskGroup() as group:
            self._writer = group.create_task(self._write(send))
            beside = [group.create_task(self._until_gone(receive)), group.create_task(self._feed.watch())]
            self._timer = loop.call_later(self._heartbeat_s, self._look, group, send)
            try:
                await asyncio.wait((self._writer,))
            finally:
                self._timer.cancel()
                for task in beside if self._pinging is None else (*beside, self._pinging):
                    task.cancel()
        return not self._writer.cancelled()

    async def _write(self, send: Send) -> None:
        loop = asyncio.get_running_loop()
        feed, pace = self._feed, self._pace
        while (piece := await feed.next()) is not None:
            if piece:
                self._sending_since = loop.time()
                try:
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
                except OSError:  # how some servers say that nobody is there any more
                    return
                self._sending_since, self._wrote_at = None, loop.time()
                if pace.readers > 1:
                    self._beat = pace.beat()
                    await self._beat

    async def _until_gone(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._feed.close()
        if self._beat is not None and not self._beat.done():
            self._beat.set_result(None)

    def _look(self, group: asyncio.TaskGroup, send: Send) -> None:
        """Send a sign of life after silence, and let go of a reader that takes nothing."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        if self._sending_since is not None and now - self._sending_since >= self._stall_s:
            assert self._writer is not None
            self._writer.cancel()
            return
        is_silent = now - self._wrote_at >= self._heartbeat_s and self._sending_since is None
        if is_silent and self._feed.ping and (self._pinging is None or self._pinging.done()):
            self._wrote_at = now
            self._pinging = group.create_task(self._ping(send))
        due_s = self._wrote_at + self._heartbeat_s - now if self._sending_since is None else self._heartbeat_s
        self._timer = loop.call_later(max(due_s, self._heartbeat_s / 16), self._look, group, send)

    async def _ping(self, send: Send) -> None:
        await send({"type": "http.response.body", "body": self._feed.ping, "more_body": True})
