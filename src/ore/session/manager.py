"""`Manager`: finds, makes and keeps live sessions."""

import asyncio
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self
from weakref import WeakValueDictionary

from ore._aio import finish
from ore.agent import AgentSpec
from ore.errors import ConflictError, NotFoundError
from ore.ledger import MemoryStore, Page, Store, StoredThread, check_id, is_inner
from ore.loop import Subscription
from ore.session.interceptor import Interceptor
from ore.session.kit import AgentFactory, Kit
from ore.session.limits import SessionLimits
from ore.session.placement import LocalPlacement, Placement
from ore.session.roster import Roster
from ore.session.services import Services
from ore.session.siblings import fork_thread
from ore.session.sinks import Sink, Sinks
from ore.session.stream import Stream, look_again, open_stream, rests

__all__ = ["Defaults", "Manager"]

log = logging.getLogger(__name__)

Defaults = Callable[[Stream], Mapping[str, str]]
"""Facts that a session gets where it has none, when it is made or attached."""


class Manager:
    """Sessions by id, over one store.

    Args:
        agent: The agent of every session, or what makes one for each.
        store: Where threads are; in memory by default.
        limits: On what sessions take in.
        interceptors: Asked for each message, in order.
        defaults: Facts for sessions that lack them.
        services: What sessions may call on.
    """

    def __init__(
        self,
        agent: AgentSpec | AgentFactory,
        store: Store | None = None,
        *,
        limits: SessionLimits | None = None,
        interceptors: Sequence[Interceptor] = (),
        defaults: Defaults | None = None,
        services: Services | None = None,
    ) -> None:
        factory = Roster([agent]) if isinstance(agent, AgentSpec) else agent
        self.agents: Mapping[str, AgentSpec] = factory.agents if isinstance(factory, Roster) else {}
        """The agents by name, the first of them the default; empty when a factory of one's own makes them."""
        self.store: Store = store if store is not None else MemoryStore()
        self._sinks = Sinks(self._subscribe)
        services = services or Services()
        owners = self.store.owners if isinstance(self.store, MemoryStore) else None
        self.placement: Placement = services.placement or LocalPlacement(self.store.lock_folder, owners=owners)
        """Who owns a session; hold one to keep other processes from it."""
        self.tracer = services.tracer
        """Makes spans, also for what front ends do themselves; `None` when nothing is traced."""
        self.interceptors = tuple(interceptors)
        """Asked for each message, in order; front ends show the commands that are among them."""
        self.resolve = services.resolve
        """Finds the provider of a model's name; `None` where sessions cannot change model."""
        self._kit = Kit(
            store=self.store,
            agent=factory,
            placement=self.placement,
            limits=limits or SessionLimits(),
            services=services,
            interceptors=self.interceptors,
            on_emit=self._sinks.callbacks,
            woke=self._found,
            rested=self._rested,
            forget=self._forget,
            open=open_stream,
        )
        self._defaults = defaults
        self._streams: dict[str, Stream] = {}
        self._idle: WeakValueDictionary[str, Stream] = WeakValueDictionary()
        self._sweeper: asyncio.TimerHandle | None = None
        self._opening: dict[str, asyncio.Task[Stream]] = {}

    async def create(self, metadata: Mapping[str, str] | None = None) -> Stream:
        """A new session under an id of 32 hexadecimal characters."""
        return await self._make(os.urandom(16).hex(), dict(metadata or {}))

    async def create_with_id(self, session_id: str, metadata: Mapping[str, str] | None = None) -> Stream:
        """A new session under an id of one's own.

        Raises:
            ConflictError: A thread of that id exists.
            InputError: The id may not name a thread.
        """
        return await self._make(check_id(session_id), dict(metadata or {}))

    async def attach(self, session_id: str) -> Stream:
        """The live session of a thread; loaded when it is not active. At the same time many get the same one.

        Raises:
            NotFoundError: There is no such thread.
            CorruptError: It cannot be read.
        """
        check_id(session_id)
        while True:
            stream = self._found(session_id)
            if stream is not None:
                return stream
            closing = self._streams.get(session_id)
            if closing is not None:
                await closing.close()
                self._streams.pop(session_id, None)
            opening = self._opening.get(session_id)
            if opening is None:
                opening = self._opening[session_id] = asyncio.create_task(self._open(session_id))
                opening.add_done_callback(lambda task: self._opened(session_id, task))
            await asyncio.wait((opening,))
            if not opening.cancelled():
                return opening.result()

    async def open(self, session_id: str | None = None) -> Stream:
        """The session of that id, created when there is none; a new one without an id."""
        if session_id is None:
            return await self.create()
        while True:
            try:
                return await self.attach(session_id)
            except NotFoundError:
                with suppress(ConflictError):  # somebody else made it meanwhile
                    return await self.create_with_id(session_id)

    def get(self, session_id: str) -> Stream:
        """An active session.

        Raises:
            NotFoundError: It is not active; `attach` it.
        """
        stream = self._found(session_id)
        if stream is None:
            raise NotFoundError(f"no active session {session_id!r}; attach it first")
        return stream

    async def get_by(self, key: str, value: str) -> str | None:
        """Id of a thread that has this fact, whether it is active or not."""
        return await self.store.get_by(key, value)

    async def get_thread(self, session_id: str) -> StoredThread:
        """A thread as it is stored, without attaching it."""
        return await self.store.load(session_id)

    def list(self) -> Sequence[Stream]:
        """The active sessions, in the order in which they became active."""
        return tuple(self._streams.values())

    async def list_threads(self, *, query: str = "", cursor: str | None = None, limit: int = 20) -> Page:
        """Stored threads, most recently written first."""
        return await self.store.list(query=query, cursor=cursor, limit=limit)

    async def fork(self, session_id: str, at: str | None = None, *, new_id: str | None = None) -> str:
        """A new thread with the path of another up to the turn `at`, or all of it; the other stays as it is.

        Where `at` would part a call from its results, they come along.

        Returns:
            The new thread's id.

        Raises:
            NotFoundError: No such thread or turn.
            ConflictError: `new_id` exists.
        """
        return await fork_thread(self.store, self._kit.placement, session_id, at, new_id=new_id)

    async def activate(self, session_id: str) -> None:
        """Do what waits in a session; free when nothing does, and safe when called twice.

        Cancelled, it leaves what is unfinished in the inbox.
        """
        stream = await self.attach(session_id)
        if await self.store.pending(session_id):
            look_again(stream)
        try:
            await stream.idle()
        except asyncio.CancelledError:
            await finish(stream.leave())
            raise

    async def recover(self) -> Sequence[Stream]:
        """Attach every stored session that has unfinished messages, and let them go on.

        One that cannot be read, or whose agent cannot be made, is logged and
        keeps none of the others.
        """
        found: list[Stream] = []
        for session_id in await self.store.unfinished():
            if is_inner(session_id):  # it goes on when the call does that it belongs to
                continue
            try:
                stream = await self.attach(session_id)
                look_again(stream)
            except Exception:
                log.exception("session %s: its unfinished messages cannot go on", session_id)
            else:
                found.append(stream)
        return found

    async def close(self, session_id: str) -> None:
        """Close an active session; its thread stays.

        Raises:
            NotFoundError: It is not active.
        """
        await self.get(session_id).close()

    async def close_all(self) -> None:
        """Close every active session and let sinks see the last events."""
        for stream in tuple(self._streams.values()):
            await stream.close()
        await self._sinks.drain()

    async def leave(self, drain_s: float = 10.0) -> None:
        """Stop without ending anything, because the process stops; the store stays open.

        Running messages get `drain_s` seconds together, then they are cut;
        they and all that wait go on at the next attach.
        """
        streams = tuple(self._streams.values())
        if len(streams) == 1:
            await streams[0].leave(drain_s)
        elif streams:
            async with asyncio.TaskGroup() as group:
                for stream in streams:
                    group.create_task(stream.leave(drain_s))
        await self._sinks.drain()

    async def aclose(self) -> None:
        """Close every active session, then the store."""
        await self.close_all()
        await self.store.aclose()

    def register_sink(self, sink: Sink, *kinds: str) -> Callable[[], None]:
        """Have `sink` see the events of all sessions, present and future; returns what removes it.

        With kinds it gets those, and every `gap`, whose snapshot stands for what was lost.
        """
        remove = self._sinks.register(sink, *kinds)
        for session_id in self._streams:
            self._sinks.follow(session_id)
        return remove

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _make(self, session_id: str, metadata: Mapping[str, str]) -> Stream:
        await self.store.create(session_id, metadata)
        stored = StoredThread(id=session_id, metadata=metadata, turns=(), epoch=1)
        try:
            return await self._enter(session_id, open_stream(self._kit, stored))
        except BaseException:
            await finish(self.store.delete(session_id))
            raise

    async def _open(self, session_id: str) -> Stream:
        stored = await self.store.load(session_id)
        return await self._enter(session_id, open_stream(self._kit, stored, await self.store.pending(session_id)))

    def _opened(self, session_id: str, task: "asyncio.Task[Stream]") -> None:
        self._opening.pop(session_id, None)
        if not task.cancelled():
            task.exception()  # whoever attaches raises it

    async def _enter(self, session_id: str, stream: Stream) -> Stream:
        """Register a session, with the facts that it lacks; or nothing, when that fails."""
        self._streams[session_id] = stream
        self._sinks.follow(session_id)
        if self._sweeper is None:
            self._sweeper = asyncio.get_running_loop().call_later(self._kit.limits.window_s, self._sweep)
        if self._defaults is not None:
            try:
                await self._default(stream, self._defaults)
            except BaseException:
                await finish(stream.leave())
                raise
        return stream

    async def _default(self, stream: Stream, defaults: Defaults) -> None:
        known = stream.metadata.all()
        missing = {key: value for key, value in defaults(stream).items() if key not in known}
        if missing:
            await stream.metadata.change(missing)

    def _subscribe(self, session_id: str) -> Subscription | None:
        stream = self._streams.get(session_id)
        return stream.subscribe() if stream is not None and not stream.closed else None

    def _sweep(self) -> None:
        """Let go of sessions that were attached and never used."""
        self._sweeper = None
        for session_id in [id for id, stream in self._streams.items() if rests(stream)]:
            self._rested(session_id)
        if self._streams:
            self._sweeper = asyncio.get_running_loop().call_later(self._kit.limits.window_s, self._sweep)

    def _found(self, session_id: str) -> Stream | None:
        """The live session of that id; one that was at rest is active again."""
        stream = self._streams.get(session_id) or self._idle.get(session_id)
        if stream is None or stream.closed:
            return None
        self._streams[session_id] = stream
        return stream

    def _rested(self, session_id: str) -> None:
        """Keep no more than the id of a session that nobody uses; whoever still holds it shares it."""
        stream = self._streams.pop(session_id, None)
        if stream is not None:
            self._idle[session_id] = stream

    def _forget(self, session_id: str) -> None:
        self._idle.pop(session_id, None)
        stream = self._streams.get(session_id)
        if stream is not None and stream.closed:
            del self._streams[session_id]
        if not self._streams and self._sweeper is not None:
            self._sweeper.cancel()
            self._sweeper = None
        self._sinks.leave(session_id)
