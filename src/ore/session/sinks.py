"""Sinks: whoever wants the events of all sessions of a manager."""

import asyncio
import logging
from collections.abc import Callable, Sequence

from ore.event import Entry, OnEmit
from ore.loop import Subscription

__all__ = ["Sink", "Sinks"]

log = logging.getLogger(__name__)

Sink = Callable[[str, Entry], None]
"""Called with a session's id and an event, in order within a session, some time
after it happened. One that raises is logged and passed over."""


class Sinks:
    """Hands every session's events to the sinks, from one task that lives while there is something to hand out.

    A slow sink costs nobody anything: it gets larger pieces, and at worst a `gap`.

    Args:
        subscribe: Reads a session's events from now on; `None` when it is gone.
    """

    def __init__(self, subscribe: Callable[[str], Subscription | None]) -> None:
        self._subscribe = subscribe
        self._sinks: list[_Registration] = []
        self._readers: dict[str, Subscription] = {}
        self._ready: dict[str, None] = {}
        self._callbacks: dict[str, list[OnEmit]] = {}
        self._task: asyncio.Task[None] | None = None

    def register(self, sink: Sink, *kinds: str) -> Callable[[], None]:
        """Add a sink for these kinds and `gap`, or for all; returns what removes it, as often as it is called."""
        entry = _Registration(sink, frozenset(kinds))
        self._sinks.append(entry)
        for session_id, callbacks in self._callbacks.items():
            callbacks[:] = [self._pusher(session_id)]

        def remove() -> None:
            if entry in self._sinks:
                self._sinks.remove(entry)
            if not self._sinks:
                self._let_go()

        return remove

    def follow(self, session_id: str) -> None:
        """Begin to read a session, from its next event on."""
        if self._sinks and session_id not in self._readers:
            reader = self._subscribe(session_id)
            if reader is not None:
                self._readers[session_id] = reader

    def callbacks(self, session_id: str) -> Sequence[OnEmit]:
        """What a session's bus calls with each event: nothing while there is no sink."""
        callbacks = self._callbacks[session_id] = [self._pusher(session_id)] if self._sinks else []
        return callbacks

    def _pusher(self, session_id: str) -> OnEmit:
        return lambda entry: self._push(session_id)

    def _push(self, session_id: str) -> None:
        """A session has an event; called before any subscriber has it."""
        self.follow(session_id)
        self._ready[session_id] = None
        self._work()

    def _work(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._hand_out(), name="ore-sinks")

    async def drain(self) -> None:
        """Return once every sink has seen everything so far."""
        while self._task is not None:
            await asyncio.wait((self._task,))

    def leave(self, session_id: str) -> None:
        """A session is gone; its last events are still handed out."""
        self._callbacks.pop(session_id, None)
        if session_id in self._readers:
            self._ready[session_id] = None
            self._work()

    async def _hand_out(self) -> None:
        try:
            while self._ready:
                session_id = next(iter(self._ready))
                del self._ready[session_id]
                reader = self._readers.get(session_id)
                for entry in reader.take() if reader is not None else ():
                    self._tell(session_id, entry)
                if reader is not None and session_id not in self._callbacks:
                    del self._readers[session_id]
                    reader.close()
                await asyncio.sleep(0)
        finally:
            self._task = None

    def _tell(self, session_id: str, entry: Entry) -> None:
        for one in tuple(self._sinks):
            if one.kinds and entry.kind not in one.kinds and entry.kind != "gap":
                continue
            try:
                one.sink(session_id, entry)
            except Exception:
                log.exception("a sink failed; the others and all sessions go on")

    def _let_go(self) -> None:
        for reader in self._readers.values():
            reader.close()
        self._readers.clear()
        self._ready.clear()
        for callbacks in self._callbacks.values():
            callbacks.clear()


class _Registration:
    """One registration; equal to itself only, so that removing it removes no other."""

    __slots__ = ("kinds", "sink")

    def __init__(self, sink: Sink, kinds: frozenset[str]) -> None:
        self.sink = sink
        self.kinds = kinds
