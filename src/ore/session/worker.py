"""`Worker`: does what waits in one session, one message at a time."""

import asyncio
import contextvars
import logging
from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from ore._aio import finish
from ore.artifact import ResultStatus
from ore.cognitive import Check, Runtime
from ore.errors import FencedError, LimitError, OreError, ToolError, describe
from ore.event import CURRENT, ErrorEvent, Lifecycle, UserMessage, content_of
from ore.ledger import Draft, EndingRecord, Message, Role, TakenRecord, Turn
from ore.ledger import Outcome as Status
from ore.loop import CANCELLED, LOST, Reason, is_reported, mark_reported, results_for
from ore.session.core import Core
from ore.session.intercept import intercepted
from ore.session.item import Item
from ore.session.outcome import Outcome, Ticket

if TYPE_CHECKING:
    from ore.session.stream import Stream

__all__ = ["Worker"]

log = logging.getLogger(__name__)

CLOSED = Reason(status=ResultStatus.CANCELLED, text="cancelled: the session was closed")


class Worker:
    """One task that exists only while there is work.

    It makes submitted messages durable, takes the session, and works through
    the inbox in order. An exception of anybody's code fails the message,
    never the worker.
    """

    __slots__ = ("_apart", "_core", "_intake", "_stream", "_task")

    def __init__(self, core: Core, stream: "Stream") -> None:
        self._core = core
        self._stream = stream
        self._task: asyncio.Task[None] | None = None
        self._intake: asyncio.Task[None] | None = None
        self._apart: set[asyncio.Task[None]] = set()

    def wake(self) -> None:
        """There is something to do; called whenever something was submitted."""
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name=f"ore-session-{self._core.id}")
        elif self._core.running is not None and self._intake is None and self._core.intake:
            self._intake = asyncio.create_task(self._accept_apart(), name=f"ore-intake-{self._core.id}")

    def apart(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something beside the messages; `join` waits for it too."""
        task = asyncio.create_task(work, name=f"ore-apart-{self._core.id}")
        self._apart.add(task)
        task.add_done_callback(self._apart.discard)

    async def join(self) -> None:
        """Return once there is nothing left to do, or the worker was cancelled."""
        while tasks := [task for task in (*self._apart, self._intake, self._task) if task is not None]:
            await asyncio.wait(tasks)

    async def _run(self) -> None:
        core = self._core
        try:
            while core.intake or core.waiting:
                if not await self._activate() and not core.intake:
                    break  # what waits is being taken out of the queue
        except Exception as error:
            if not isinstance(error, OreError):
                log.exception("session %s: the worker failed", core.id)
            self._give_up(error)
        finally:
            self._task = None
            core.rest()

    async def _activate(self) -> int:
        """Take the session, work until the inbox is empty, give it back; how many messages ended."""
        core = self._core
        count = 0
        await self._accept()
        writer = await core.journal.take()
        try:
            while True:
                message = await core.kit.store.next(writer, mark=bool(core.kit.interceptors))
                if message is None and not await self._more():
                    break
                if message is not None:
                    count += await self._one(self._item(message))
        finally:
            await core.journal.give_back()
        return count

    async def _more(self) -> bool:
        """Whether submitted messages became durable meanwhile."""
        if self._intake is not None:
            await asyncio.wait((self._intake,))
            return True
        if self._core.intake:
            await self._accept()
            return True
        return False

    async def _accept_apart(self) -> None:
        try:
            await self._accept()
        finally:
            self._intake = None

    async def _accept(self) -> None:
        """Make what was submitted durable, in order."""
        core = self._core
        while core.intake:
            item = core.intake[0]
            try:
                known = await core.kit.store.submit(core.id, item.message)
            except Exception as error:
                self._drop(item)
                self._fail(item, error)
                continue
            if item in core.intake:
                core.intake.remove(item)
            if isinstance(known, EndingRecord):
                self._drop(item)
                item.ticket.resolve(Outcome(status=known.outcome, turn=self._turn(known.turn)))
            else:
                item.ticket.accept()

    def _item(self, message: Message) -> Item:
        """The message as it was submitted here, or as an earlier process left it."""
        core = self._core
        found = core.find(message.id)
        if found is None:
            found = Item(message, Ticket(message.id), core.envelope(message), contextvars.Context())
        found.message = message
        return found

    async def _one(self, item: Item) -> bool:
        """Work on one message; whether it was not taken out of the queue at the last moment."""
        core = self._core
        if item.clearing is not None and await item.clearing.wait():
            return False
        if item in core.waiting:
            core.waiting.remove(item)
        core.running = item
        item.tip = core.thread.tip
        try:
            async with asyncio.TaskGroup() as group:
                item.task = group.create_task(self._message(item), context=item.context)
        except BaseExceptionGroup as group_error:  # only what _message could not turn into an outcome
            raise group_error.exceptions[0] from None
        finally:
            core.running = None
        return True

    async def _message(self, item: Item) -> None:
        """Work on a message, in its sender's context, to its one ending."""
        CURRENT.set(item.envelope)
        try:
            turn = await self._limited(item)
            outcome = Outcome(status=Status.DONE, turn=turn)
        except asyncio.CancelledError:
            if item.why is None:  # the whole process stops: the message goes on at the next attach
                raise
            if item.why == "limit":
                error = LimitError(f"expected an answer within {self._core.the_agent().limits.run_s:g} s of work")
                outcome = Outcome(status=Status.FAILED, error=error)
            else:
                outcome = Outcome(status=Status.DONE if item.decided else Status.CANCELLED)
            await self._end(item, outcome)
            raise
        except Exception as error:
            if item.decided:
                log.exception("a handler failed after message %s had ended", item.message.id)
                outcome = Outcome(status=Status.DONE)
            else:
                outcome = Outcome(status=Status.FAILED, error=error)
        await self._end(item, outcome)

    async def _limited(self, item: Item) -> Turn | None:
        limit_s = self._core.the_agent().limits.run_s
        if limit_s is None:
            return await self._process(item)
        handle = asyncio.get_running_loop().call_later(limit_s, item.cancel, "limit")
        try:
            return await self._process(item)
        finally:
            handle.cancel()

    async def _process(self, item: Item) -> Turn | None:
        core = self._core
        if item.message.id in core.started:
            await self._resume()
        else:
            message = await self._intercept(item)
            if message is None:
                return None
            draft = Draft(role=Role.USER, artifacts=content_of(message.content))
            marked = () if item.message.taken else (TakenRecord(message=item.message.id),)
            await core.step.record(draft, *marked)
        provider, spec = core.provider()
        agent = core.the_agent()
        pattern = agent.pattern()
        check = self._check()
        item.ends = lambda draft: pattern.ends(draft) and (check is None or check(draft) is None)
        return await pattern.run(
            Runtime(
                step=core.step,
                state=core.thread,
                provider=provider,
                spec=spec,
                limits=agent.limits,
                check=check,
                waits=core.steers,
            )
        )

    async def _intercept(self, item: Item) -> UserMessage | None:
        core = self._core
        message = UserMessage(content=item.message.artifacts, id=item.message.id)
        for interceptor in core.kit.interceptors:
            found = await interceptor.intercept(self._stream, message)
            for notice in found.notices:
                core.emit(notice, item.envelope)
            if found.message is None:
                return None
            message = intercepted(found.message)
        return message

    async def _resume(self) -> None:
        """Answer the calls that an earlier process left open, as far as its records say."""
        core = self._core
        await core.step.answer_all(core.thread, results_for(core.thread.turns, LOST, core.effects))
        core.effects, core.started = {}, {}

    def _check(self) -> Check | None:
        output = self._core.the_agent().output
        if output is None:
            return None

        def check(turn: Turn | Draft) -> str | None:
            try:
                output.parse("".join(a.for_model() for a in turn.artifacts if a.kind == "text"))
            except ToolError as error:
                return str(error)
            return None

        return check

    async def _end(self, item: Item, outcome: Outcome) -> None:
        """Make the ending durable, tell everybody, resolve the ticket.

        From its first line on nobody cancels the message any more.
        """
        core = self._core
        decided, item.decided = item.decided, True
        if not decided:
            try:
                await self._close_calls(item)
                last = next((turn for turn in reversed(self._turns(item)) if turn.role is Role.ASSISTANT), None)
                outcome = msgspec.structs.replace(outcome, turn=outcome.turn or last)
                await finish(core.journal((self._record(item, outcome),)))
            except Exception as error:
                outcome = msgspec.structs.replace(outcome, status=Status.FAILED, error=outcome.error or error)
        outcome = msgspec.structs.replace(outcome, turns=self._turns(item))
        self._tell(item, outcome)
        item.ticket.resolve(outcome)
        if isinstance(outcome.error, FencedError):
            raise outcome.error

    async def _close_calls(self, item: Item) -> None:
        reason = CLOSED if item.why == "closed" else CANCELLED if item.why else LOST
        results = results_for(self._core.thread.turns, reason)
        if results:
            await self._core.step.answer_all(self._core.thread, results)

    def _record(self, item: Item, outcome: Outcome) -> EndingRecord:
        return EndingRecord(
            message=item.message.id,
            outcome=outcome.status,
            turn=outcome.turn.id if outcome.turn else None,
            error=describe(outcome.error) if outcome.error else None,
        )

    def _tell(self, item: Item, outcome: Outcome) -> None:
        core = self._core
        if outcome.status is Status.CANCELLED:
            core.emit(Lifecycle(phase="cancelled"), item.envelope)
        elif outcome.error is not None and not is_reported(outcome.error):
            mark_reported(outcome.error)
            core.emit(ErrorEvent.of(describe(outcome.error)), item.envelope)
        core.emit(Lifecycle(phase="done", outcome=outcome.status), item.envelope)

    def _turns(self, item: Item) -> Sequence[Turn]:
        """The turns that came since the message began."""
        found: list[Turn] = []
        for turn in reversed(self._core.thread.all_turns):
            if turn.id == item.tip:
                break
            found.append(turn)
        found.reverse()
        return found

    def _turn(self, turn_id: str | None) -> Turn | None:
        return self._core.thread.get(turn_id) if turn_id else None

    def _drop(self, item: Item) -> None:
        core = self._core
        core.intake = [other for other in core.intake if other is not item]
        core.waiting = [other for other in core.waiting if other is not item]

    def _fail(self, item: Item, error: Exception) -> None:
        item.ticket.accept(error)
        outcome = Outcome(status=Status.FAILED, error=error)
        self._tell(item, outcome)
        item.ticket.resolve(outcome)

    def _give_up(self, error: Exception) -> None:
        """The store failed: what waits here has no worker; it goes on at the next attach."""
        core = self._core
        items, core.waiting, core.intake = core.waiting, [], []
        for item in items:
            self._fail(item, error)
