"""`Worker`: does what waits in one session, one message at a time."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any

from ore._aio import Ready, finish, settled
from ore.errors import OreError, SessionClosedError
from ore.event import Lifecycle
from ore.ledger import EndingRecord, Message, Writer
from ore.session.core import NOBODY, Core
from ore.session.intercept import is_screened
from ore.session.item import Item
from ore.session.line import drop, find, is_overtaken, last_before
from ore.session.message_run import MessageRun, is_cancelled
from ore.session.outcome import ended_before
from ore.session.stopping import submit_stopping

if TYPE_CHECKING:
    from ore.session.stream import Stream

__all__ = ["Worker"]

log = logging.getLogger(__name__)

Submitted = Awaitable[EndingRecord | Message | None]


class Worker:
    """One task that exists only while there is work.

    It owns the session, makes submitted messages durable, and works through
    the inbox in order. An exception of anybody's code fails the message,
    never the worker.
    """

    __slots__ = (
        "_accepting",
        "_apart",
        "_begun",
        "_core",
        "_holds",
        "_instant",
        "_intake",
        "_opened",
        "_stream",
        "_task",
        "_then",
        "_unread",
    )

    def __init__(self, core: Core, stream: "Stream") -> None:
        self._core = core
        self._stream = stream
        self._task: asyncio.Task[None] | None = None
        self._intake: asyncio.Task[None] | None = None
        self._then: Callable[[], object] | None = None
        self._holds = False
        self._unread = False
        self._accepting: asyncio.Lock | None = None
        self._apart: set[asyncio.Task[None]] | None = None
        self._begun: Sequence[tuple[Item, Submitted]] = ()
        self._opened: MessageRun | None = None
        """Of the message that has begun, or was cancelled while it should, and comes next."""
        self._instant = False
        """Whether the store has lately taken messages in without any time."""

    def wake(self) -> None:
        """There is something to do; called whenever something was submitted."""
        if self._task is None:
            if self._core.kit.woke is not None:
                self._core.kit.woke(self._core.id)
            self._task = asyncio.create_task(self._run(), name=f"ore-session-{self._core.id}")
        elif self._holds and self._intake is None and self._core.intake and not self._accept_at_once():
            self._intake = asyncio.create_task(self._accept_apart(), name=f"ore-intake-{self._core.id}")

    def look(self) -> None:
        """There may be messages in the inbox that nobody submitted here."""
        self._unread = True
        self.wake()

    def apart(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something beside the messages; `join` waits for it too."""
        task = asyncio.create_task(work, name=f"ore-apart-{self._core.id}")
        self._apart = self._apart or set()
        self._apart.add(task)
        task.add_done_callback(self._apart.discard)

    def at_rest(self, then: Callable[[], object]) -> bool:
        """Call `then` once the worker rests, at once if it does; not if more is left than giving the session back.

        Whether it was called, or will be.
        """
        core = self._core
        if core.running is not None or core.waiting or self._intake is not None or self._apart:
            return False
        if self._task is None:
            then()
        else:
            self._then = then
        return True

    async def join(self) -> None:
        """Return once there is nothing left to do."""
        while tasks := [one for one in (*(self._apart or ()), self._intake, self._task) if one and not one.done()]:
            for task in tasks:
                await settled(task)

    async def leave(self, drain_s: float) -> None:
        """Stop without ending anything: what runs gets `drain_s`, then is cut; all of it goes on at the next attach."""
        core = self._core
        if self._task is not None and core.running is not None:
            await asyncio.wait((self._task,), timeout=drain_s)
        if core.running is not None:
            core.running.cancel("shutdown")
        await self.join()
        for item in core.waiting:
            item.ticket.leave(
                SessionClosedError(f"session {core.id!r} shuts down; the message goes on at the next attach")
            )
        core.waiting = ()

    async def _run(self) -> None:
        core = self._core
        try:
            while core.intake or ((core.waiting or self._unread) and core.works):
                if not await self._activate() and not core.intake:
                    break  # what waits is being taken out of the queue
        except Exception as error:
            if not isinstance(error, OreError):
                log.exception("session %s: the worker failed", core.id)
            self._give_up(error)
        finally:
            self._task = self._accepting = None
            self._apart = self._apart or None
            if self._then is None:
                core.rest()
            else:
                self._then()

    async def _activate(self) -> int:
        """Own the session, work until the inbox is empty, give it back; how many messages ended."""
        core = self._core
        count = 0
        async with core.kit.placement.hold(core.id):
            self._holds = True
            try:
                writer = await self._take()
                knows = await self._knows_all(writer)
                while core.works:
                    message = None if self._opened is None else self._opening(self._opened.item)
                    message = message or await (self._next_here() if knows else self._next(writer))
                    if message is None and not await self._more():
                        break
                    if message is not None and message.id not in core.gone:
                        count += await self._one(self._item(message), writer)
            finally:
                self._holds = False
                if self._intake is not None:
                    await settled(self._intake)
                again = await core.journal.give_back()
        return count + again

    async def _take(self) -> Writer:
        """Take the session; what was submitted shares the commit, where the store can do that."""
        self._accepting = self._accepting or asyncio.Lock()
        async with self._accepting:
            run = self._beginning()
            begun = self._begin()
            opening = None if run is None or self._instant else run.open()
            try:
                return await self._core.journal.take(opening, None if run is None else run.opened)
            finally:
                self._opened = run if run is not None and run.settle() else None
                for item, work in begun:
                    await self._land(item, work)

    def _beginning(self) -> MessageRun | None:
        """The run of the one message that was just submitted, if it may begin in the commit that takes it in."""
        core = self._core
        if len(core.intake) != 1 or core.waiting != core.intake or self._begun or self._unread:
            return None
        if core.closed or core.started or is_screened(core):
            return None
        item = core.intake[0]
        if item.clearing is not None or item.message.attempts or item.message.taken:
            return None
        return MessageRun(core, self._stream, item)

    async def _knows_all(self, writer: Writer) -> bool:
        """Whether the inbox holds just what waits here: then the store need not be asked what comes next.

        What another owner left there waits here from now on.
        """
        core = self._core
        here = {item.message.id for item in core.waiting if item.ticket.is_accepted}
        if self._unread or writer.waiting is None or not writer.waiting <= here:
            await self._look()
            return False
        return not is_screened(core)

    async def _look(self) -> None:
        core = self._core
        core.gone, self._unread = NOBODY, False
        for message in await core.kit.store.pending(core.id):
            if message.id not in core.gone and find(core, message.id) is None:
                self._stream._take_up(message)

    def _opening(self, item: Item) -> Message | None:
        """What has begun with the taking, if it still waits: whatever is there too comes behind it."""
        return item.message if item in self._core.waiting else None

    async def _next(self, writer: Writer) -> Message | None:
        core = self._core
        core.gone = NOBODY
        core.journal.goes_on()
        message = await core.kit.store.next(writer, mark=is_screened(core))
        item = find(core, message.id) if message is not None else None
        if item is not None:  # it may just be being submitted once more
            item.ticket.accept()
        return message

    async def _next_here(self) -> Message | None:
        core = self._core
        core.gone = NOBODY
        while core.waiting and not core.waiting[0].ticket.is_accepted:
            if not await self._more():
                break
        return core.waiting[0].message if core.waiting else None

    async def _more(self) -> bool:
        """Whether submitted messages became durable meanwhile."""
        if self._intake is not None:
            await settled(self._intake)
            return True
        if self._core.intake:
            await self._accept()
            return True
        return False

    def _accept_at_once(self) -> bool:
        """Accept the one message that comes next, if the store needs no time for that; whether it was looked at."""
        core = self._core
        if not self._instant or core.running is not None or len(core.intake) > 1 or core.waiting[:1] != core.intake:
            return False
        if self._begun or (self._accepting is not None and self._accepting.locked()):
            return False
        item = core.intake[0]
        work = self._submit(item)
        if type(work) is not Ready:  # now it does
            self._instant, self._begun = False, ((item, work),)
            return False
        try:
            self._settle(item, work.result())
        except Exception as error:
            self._refuse(item, error)
        return True

    async def _accept_apart(self) -> None:
        try:
            await self._accept()
        finally:
            self._intake = None

    async def _accept(self) -> None:
        """Make what was submitted durable, in order."""
        core = self._core
        self._accepting = self._accepting or asyncio.Lock()
        async with self._accepting:
            while core.intake or self._begun:
                for item, work in self._begin():
                    await self._land(item, work)

    def _begin(self) -> Sequence[tuple[Item, Submitted]]:
        """Submit what is not durable yet, all at once; what was submitted by now is on its way already."""
        begun, self._begun = self._begun, ()
        on_their_way = [item for item, _ in begun]
        works = [(item, self._submit(item)) for item in self._core.intake if item not in on_their_way]
        self._instant = bool(works) and type(works[-1][1]) is Ready
        return [*begun, *works]

    def _submit(self, item: Item) -> Submitted:
        self._core.journal.goes_on()
        store = self._core.kit.store
        try:
            if item.stops:
                return submit_stopping(store, self._core.id, item.message)
            return store.submit(self._core.id, item.message)
        except Exception as error:
            return Ready(error=error)

    async def _land(self, item: Item, work: Submitted) -> None:
        try:
            known = await work
        except Exception as error:
            if item.ticket.is_accepted:  # it was in the inbox already, where it was found meanwhile
                self._core.intake = [other for other in self._core.intake if other is not item]
            else:
                self._refuse(item, error)
        else:
            self._settle(item, known)

    def _settle(self, item: Item, known: EndingRecord | Message | None) -> None:
        """A message is in the inbox, or was there before."""
        core = self._core
        core.intake = [other for other in core.intake if other is not item]
        if known is not None and isinstance(known, EndingRecord):
            drop(core, item)
            turn = core.thread.get(known.turn) if known.turn else None
            item.ticket.repeat(ended_before(known, turn))
        else:
            item.ticket.accept()
            if item.opens:  # it has begun, so it is told already
                return
            item.message = known or item.message
            if item in core.waiting and (core.running is not None or core.waiting[0] is not item):
                core.emit(Lifecycle(phase="queued"), item.envelope)

    def _item(self, message: Message) -> Item:
        """The message as it was submitted here, or as another process left it."""
        found = find(self._core, message.id) or self._stream._take_up(message)
        found.message = message
        return found

    async def _one(self, item: Item, writer: Writer) -> bool:
        """Work on one message; whether it was not taken out of the queue at the last moment."""
        core = self._core
        if item.clearing is not None and await item.clearing.wait():
            return False
        overtaken = core.waiting[:1] != [item] and is_overtaken(core, item)
        core.waiting = [other for other in core.waiting if other is not item]
        core.running, core.stream = item, self._stream
        self.wake()  # what was submitted meanwhile becomes durable beside it
        run, self._opened = self._opened, None
        if run is None or run.item is not item:
            item.before = last_before(core, item)
            run = MessageRun(core, self._stream, item)
        stopped = writer.stop and item.message.taken
        writer.stop = False
        work = run.stop() if stopped else run.work()
        loop = asyncio.get_running_loop()
        item.task = loop.create_task(work, name=f"ore-message-{item.message.id}", context=item.context)
        if overtaken:
            item.cancel("cancelled")
        if core.closed:  # it was found in the inbox only now
            item.cancel("shutdown" if core.leaving else "closed")
        try:
            await item.task  # a worker that is cancelled cancels it, and waits for it here
        except asyncio.CancelledError:
            if is_cancelled() or (item.why is None and not item.decided):
                raise  # the loop itself ends
        except Exception as error:  # only what a run could not turn into an outcome
            for one in (*item.joined, item):
                one.ticket.leave(error)
            raise
        finally:
            core.running = core.stream = None
            if item.why == "shutdown" and not item.decided:
                await finish(core.kit.store.park(writer))
        return True

    def _refuse(self, item: Item, error: Exception) -> None:
        """Nothing of the message was stored: it is no accepted message, so only its sender hears of it."""
        drop(self._core, item)
        item.ticket.accept(error)
        item.ticket.leave(error)

    def _give_up(self, error: Exception) -> None:
        """Nobody works on what waits here: the store failed, or another process owns the session.

        What is durable stays in the inbox, for that owner or for the next attach.
        """
        core = self._core
        items, core.waiting, core.intake, self._unread = core.waiting, (), (), False
        for item in items:
            self._refuse(item, error)
