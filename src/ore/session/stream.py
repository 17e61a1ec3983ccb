"""`Stream`: one live session."""

import contextvars
import os
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from ore._aio import finish
from ore.artifact import Artifact
from ore.errors import ConflictError, InputError, OreError, SessionClosedError
from ore.event import CURRENT, Answer, Event, InputEvent, InterruptEvent, Lifecycle, Snapshot, UserMessage
from ore.ledger import EndingRecord, Message, Role, StoredThread, Turn
from ore.ledger import Outcome as Status
from ore.loop import Policy, Subscription
from ore.models import Spec
from ore.session.core import Core, is_untouched, let_go
from ore.session.envelope import envelope_of, outside
from ore.session.history import History
from ore.session.item import Item
from ore.session.kit import Kit
from ore.session.latch import Latch
from ore.session.line import find, is_accepted, put, queue_of, still_waiting
from ore.session.message import new_message
from ore.session.metadata import Metadata
from ore.session.outcome import Interrupted, Outcome, Ticket
from ore.session.stopping import stop
from ore.session.worker import Worker

__all__ = ["Stream", "cursor_of", "look_again", "open_stream", "phase_of", "queue_in", "rests"]


def open_stream(kit: Kit, stored: StoredThread, pending: Sequence[Message] = ()) -> "Stream":
    """A live session of a stored thread; what an earlier process left unfinished goes on.

    Raises:
        Exception: The agent factory failed; nothing was begun.
    """
    stream = Stream(kit, stored)
    for message in pending:
        stream._take_up(message)
    if pending:
        stream._worker.wake()
    return stream


def rests(stream: "Stream") -> bool:
    """Whether a live session has no window and nothing to do, so that its id is all that has to be kept."""
    return is_untouched(stream._core)


def phase_of(stream: "Stream") -> str:
    """Where the work of a live session stands, as its snapshot says; costs nothing of a snapshot."""
    return stream._core.phase


def queue_in(stream: "Stream") -> Sequence[Mapping[str, Any]]:
    """What runs and what waits in a live session, as its snapshot has it; costs nothing of a snapshot."""
    return queue_of(stream._core.running, stream._core.waiting)


def cursor_of(stream: "Stream") -> str:
    """The id of a live session's newest event; costs nothing of a snapshot."""
    return stream._core.bus.fan_out.cursor


def look_again(stream: "Stream") -> None:
    """Let a live session go on with what stands in its inbox."""
    stream._worker.look()


class Stream:
    """A session: one worker, one queue, one event log, any number of front ends.

    Made by a `Manager`. Every method may be called from any task of the loop
    it was made in, at any time. Closing it leaves the thread in the store.
    """

    __slots__ = ("__weakref__", "_core", "_worker", "history", "metadata")

    def __init__(self, kit: Kit, stored: StoredThread) -> None:
        self._core = Core(kit, stored)
        self._worker = Worker(self._core, self)
        self.metadata = Metadata(self._core)
        self.history = History(self._core)
        self._core.agent = kit.agent(self)

    @property
    def id(self) -> str:
        """The session's id, which is its thread's."""
        return self._core.id

    @property
    def closed(self) -> bool:
        """Whether it takes nothing in any more."""
        return self._core.closed

    @property
    def turns(self) -> Sequence[Turn]:
        """The active path; never changes afterwards."""
        return self._core.thread.turns

    @property
    def spec(self) -> Spec:
        """Which model answers the next inference, and how."""
        return self._core.spec()

    def submit(self, event: InputEvent | str) -> Ticket:
        """Put a message into the queue, in the order of calls, and return at once.

        The caller's context variables travel with it. A message whose id
        waits, runs or has ended here before is not taken twice.

        Raises:
            SessionClosedError: The session is closed.
            InputError: The content or the id cannot be used.
            LimitError: The message is too large, or too many wait.
            ConflictError: Another content waits under this id.
        """
        self._check_open()
        if isinstance(event, str):
            event = UserMessage(content=event)
        elif isinstance(event, InterruptEvent):
            return self._interrupt_ticket(event)
        elif not isinstance(event, UserMessage):
            raise InputError(f"expected a user message or an interrupt, got {getattr(event, 'kind', event)!r}")
        return self._enqueue(new_message(event, self._core.kit.limits, waiting=len(self._core.waiting)))

    async def process(self, event: InputEvent | str) -> Outcome:
        """Submit, and wait for the ending. Being cancelled while waiting stops nothing.

        Raises:
            Exception: What the message failed with.
            SessionClosedError: The session was closed before it began.
        """
        self._check_apart("process")
        outcome = await self.submit(event)
        if outcome.error is not None:
            raise outcome.error
        if outcome.status is Status.CLOSED:
            raise SessionClosedError(f"session {self.id!r} was closed before the message began")
        return outcome

    def cancel(self, activity_id: str | None = None) -> bool:
        """Cancel the running message, or just one tool call of it; what waits goes on.

        At once, and in this process: should it die before the message has
        ended, the next one goes on with it. `Ticket.cancel` and `interrupt`
        outlast that.

        Returns:
            Whether there was something to cancel.

        Raises:
            SessionClosedError: The session is closed.
        """
        self._check_open()
        core = self._core
        if activity_id is not None:
            return core.calls is not None and core.calls.stop(activity_id)
        return core.current is not None and core.current.cancel("cancelled")

    async def interrupt(self, *, clear: bool = True) -> Interrupted:
        """Clear the queue, then cancel what runs; only what was accepted before is touched.

        Args:
            clear: Whether what waits is taken out. Each such message ends with
                outcome `cleared` and its content, before the running one.

        Raises:
            SessionClosedError: The session is closed.
            StoreError: The clearing could not be made durable, and nothing was
                done; or only the note of the interrupt, and it was.
        """
        self._check_open()
        return await finish(self._interrupt(self._core.current, self._pick(self._core.waiting if clear else [])))

    def subscribe(
        self, *kinds: str, after: str | None = None, policy: Policy = "coalesce", deltas: bool = True
    ) -> Subscription:
        """Read events from now on, or behind the event `after`; see `EventBus.subscribe`."""
        return self._core.bus.subscribe(*kinds, after=after, policy=policy, deltas=deltas)

    def snapshot(self) -> Snapshot:
        """Turns, facts, phase, queue and open blocks at this moment; its id is the cursor to go on from."""
        return self._core.snapshot(self._core.bus.fan_out.cursor)

    def snapshot_and_subscribe(
        self, *kinds: str, policy: Policy = "coalesce", deltas: bool = True
    ) -> tuple[Snapshot, Subscription]:
        """The state, and every event after it: no gap and no double between them."""
        return self.snapshot(), self.subscribe(*kinds, policy=policy, deltas=deltas)

    def emit(self, event: Event | Artifact) -> None:
        """Publish an event of one's own, also while a message runs.

        Raises:
            SessionClosedError: The session is closed.
        """
        self._check_open()
        self._core.bus.emit(event, context=outside(self._core.id))

    async def append_turn(self, role: Role, *artifacts: Artifact) -> Turn:
        """Record a turn that no message brought, durably, without inference; see `History.append`."""
        return await self.history.append(role, *artifacts)

    async def answer(self, key: str, answer: Answer) -> Answer:
        """Answer an open question, as any front end may; durable on return, and the first answer wins.

        Raises:
            NotFoundError: There is no such question.
            ConflictError: It has its answer, or is over.
            SessionClosedError: The session is closed.
        """
        self._check_open()
        with self._core.writing():
            return await self._core.questions.answer(key, answer)

    async def idle(self) -> None:
        """Return once nothing runs and nothing waits.

        Raises:
            RuntimeError: The running message itself called it.
        """
        self._check_apart("idle")
        await self._worker.join()

    async def close(self) -> None:
        """End the running message as cancelled and the waiting ones as closed; closing twice is fine.

        Raises:
            RuntimeError: The running message itself called it.
        """
        self._check_apart("close")
        core = self._core
        if core.shut is None:
            core.closed, core.shut = True, Latch()
            if core.writes or not self._worker.at_rest(self._shut):
                await finish(self._close())
            else:
                await core.shut.outlast()
        await core.shut.wait()

    async def leave(self, drain_s: float = 0.0) -> None:
        """Close without ending anything, because the process stops.

        What runs gets `drain_s` seconds, then it is cut and what was seen of
        it kept; it and everything that waits go on at the next attach.
        """
        self._check_apart("leave")
        core = self._core
        if core.shut is None:
            core.closed, core.leaving, core.shut = True, True, Latch()
            if core.writes or not self._worker.at_rest(self._shut):
                try:
                    await finish(self._worker.leave(drain_s))
                    await finish(core.quiet())
                finally:
                    self._shut()
            else:
                await core.shut.outlast()
        await core.shut.wait()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _take_up(self, message: Message) -> Item:
        """Let a message wait that stands in the inbox already."""
        item = self._item(message, self._core.kit.context())
        item.ticket.accept()
        self._core.waiting = [*self._core.waiting, item]
        return item

    def _check_open(self) -> None:
        if self._core.closed:
            raise SessionClosedError(f"session {self.id!r} is closed; attach it again to go on")

    def _enqueue(self, message: Message) -> Ticket:
        core = self._core
        known = find(core, message.id)
        if known is not None:
            if known.message.artifacts != message.artifacts:
                raise ConflictError(f"message {message.id!r} was submitted before with another content")
            return known.ticket
        item = self._item(message, contextvars.copy_context())
        put(core, item)
        current = core.current if message.mode == "interrupt" else None
        if current is not None:
            item.stops = current.cancel("cancelled")
        self._worker.wake()
        return item.ticket

    async def _interrupt(self, running: Item | None, items: Sequence[Item]) -> Interrupted:
        cleared = await self._clear(items, Status.CLEARED)
        cancelled = await stop(self._core.kit.store, self.id, running)
        return Interrupted(
            cancelled=running.message.id if running and cancelled else None,
            cleared=tuple((item.message.id, item.message.artifacts) for item in cleared),
        )

    def _interrupt_ticket(self, event: InterruptEvent) -> Ticket:
        ticket = Ticket(os.urandom(8).hex())
        work = self._interrupt(self._core.current, self._pick(self._core.waiting if event.clear else []))

        async def interrupt() -> None:
            try:
                await work
                outcome = Outcome(status=Status.DONE)
            except Exception as error:
                outcome = Outcome(status=Status.FAILED, error=error)
            ticket.resolve(outcome)

        self._worker.apart(interrupt())
        return ticket

    def _item(self, message: Message, context: contextvars.Context) -> Item:
        ticket = Ticket(message.id, self._withdraw, self._cancel)
        return Item(message, ticket, envelope_of(self._core.id, message), context)

    async def _cancel(self, ticket: Ticket) -> bool:
        current = self._core.current
        if current is not None and current.ticket is ticket:
            return await finish(stop(self._core.kit.store, self.id, current))
        return await self._withdraw(ticket)

    async def _withdraw(self, ticket: Ticket) -> bool:
        items = [item for item in self._core.waiting if item.ticket is ticket]
        return bool(await finish(self._clear(self._pick(items), Status.CLEARED)))

    def _pick(self, items: Sequence[Item]) -> Sequence[Item]:
        """Those that have not begun, which from now on they will not."""
        picked = [item for item in items if item.clearing is None and not item.has_begun]
        for item in picked:
            item.clearing = Latch()
        return picked

    async def _clear(self, items: Sequence[Item], status: Status) -> Sequence[Item]:
        """End messages that have not begun, durably, then tell everybody."""
        core = self._core
        try:
            items = [item for item in items if await is_accepted(item)]
            if items:
                with core.writing():
                    async with core.journal.owned():
                        items = still_waiting(core, items, "closed" if status is Status.CLOSED else "cancelled")
                        endings = [EndingRecord(message=item.message.id, outcome=status) for item in items]
                        await core.journal(endings)
                self._worker.wake()
        except BaseException:
            for item in items:
                item.let_go(cleared=False)
            self._worker.wake()
            raise
        core.waiting = [item for item in core.waiting if item not in items]
        core.gone |= {item.message.id for item in items}
        for item in items:
            content = item.message.artifacts if status is Status.CLEARED else None
            core.emit(Lifecycle(phase="done", outcome=status, content=content), item.envelope)
            item.ticket.resolve(Outcome(status=status))
            item.let_go(cleared=True)
        return items

    async def _close(self) -> None:
        core = self._core
        for item in (*(() if core.running is None else (core.running,)), *core.waiting):
            item.cancel("closed")  # what has begun; the others are taken out
        try:
            await self._clear(self._pick(core.waiting), Status.CLOSED)
            for item in list(core.waiting):  # somebody else was taking it out already
                if item.clearing is not None:
                    await item.clearing.wait()
        except OreError as error:  # they stay in the inbox, for whoever owns the session
            for item in core.waiting:
                item.ticket.leave(error)
            core.waiting = ()
        finally:
            if core.waiting or core.intake:
                self._worker.wake()
            await self._worker.join()
            await core.quiet()
            self._shut()

    def _check_apart(self, what: str) -> None:
        here, running = CURRENT.get(), self._core.running
        if running is not None and here.message == running.message.id and here.thread_id == self.id:
            raise RuntimeError(f"{what}: a message cannot wait for its own session; use cancel() or submit()")

    def _shut(self) -> None:
        self._core.bus.close()
        let_go(self._core)
        if self._core.shut is not None:
            self._core.shut.set(None)
        if self._core.kit.forget is not None:
            self._core.kit.forget(self.id)
