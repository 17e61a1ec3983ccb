"""`MessageRun`: one message, from its turn in the queue to its one ending."""

import asyncio
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from ore._aio import finish
from ore.agent import OutputType
from ore.artifact import ResultStatus
from ore.cognitive import Check, Pattern, Runtime
from ore.errors import FencedError, LimitError, OreError, SessionClosedError, ToolError, describe
from ore.event import CURRENT, ErrorEvent, Lifecycle, UserMessage, content_of
from ore.ledger import Draft, EndingRecord, Opening, Role, TakenRecord, Turn, TurnStatus, new_turn_id
from ore.ledger import Outcome as Status
from ore.loop import ASIDES, CANCELLED, LOST, Asides, Reason, Reserved, is_reported, mark_reported, results_for
from ore.models import Spec
from ore.provider import Provider
from ore.session.core import Core
from ore.session.intercept import passed_on, taken_in
from ore.session.item import Item
from ore.session.line import last_before, steering
from ore.session.outcome import Outcome
from ore.session.run_clock import RunClock
from ore.tool import ASKER

if TYPE_CHECKING:
    from ore.session.stream import Stream

__all__ = ["ATTEMPTS", "MessageRun", "is_cancelled"]

log = logging.getLogger(__name__)

ATTEMPTS = 4
"""How often a message may be found unfinished; what kills its process each time must not run for ever."""

CLOSED = Reason(status=ResultStatus.CANCELLED, text="cancelled: the session was closed")


class MessageRun:
    """Works on one message, in its sender's context."""

    __slots__ = ("_agent", "_answering", "_core", "_has_opened", "_opened", "_pattern", "_stream", "_turn_id", "item")

    def __init__(self, core: Core, stream: "Stream", item: Item) -> None:
        self._core = core
        self._agent = core.the_agent()
        self._stream = stream
        self.item = item
        # Drawn before anything is asked of the store: it lets other threads run, and the store's shall find all of it.
        self._turn_id = new_turn_id()
        self._answering: tuple[Provider, Spec] | None = None
        self._pattern: Pattern | None = None
        self._opened: Reserved | None = None
        self._has_opened = False

    def open(self) -> Opening | None:
        """Place its first turn, so that one commit accepts the message and begins it; `None` where that cannot be.

        From then on it counts as begun, until `settle`.
        """
        core, item = self._core, self.item
        try:
            self._answering, self._pattern = core.provider(), self._agent.pattern()
            self._opened = item.context.run(self._reserve)
        except Exception:  # its run meets it again, and says so
            return None
        if self._opened is None:
            return None
        opening = core.journal.opening(item.message, self._opened.records)
        if opening is None:
            self.settle()
            return None
        item.before, item.opens = last_before(core, item), True
        return opening

    def opened(self) -> None:
        """Its first turn is durable, and so is the message, whatever becomes of having sent it."""
        self._has_opened = True
        self.item.ticket.accept()
        if self._opened is not None:
            self.item.context.run(self._opened.land)

    def settle(self) -> bool:
        """Nobody is opening it any more; whether it comes next, else it begins as any other does."""
        item = self.item
        if self._opened is not None:
            self._opened.release()
        if self._has_opened:
            item.message = msgspec.structs.replace(item.message, taken=True)
        else:
            self._opened = None
            item.opens = item.why is not None  # who cancelled it meanwhile was told that it is cancelled
        return item.opens

    def _reserve(self) -> Reserved | None:
        message = self.item.message
        CURRENT.set(self.item.envelope)
        return self._core.step.reserve(
            Draft(id=self._turn_id, role=Role.USER, artifacts=message.artifacts), TakenRecord(message=message.id)
        )

    async def work(self) -> None:
        """Work on the message to its ending; a shutdown leaves it without one."""
        item = self.item
        item.begun = True
        CURRENT.set(item.envelope)
        core, questions, agent = self._core, self._core.questions, self._agent
        ASKER.set(questions)
        ASIDES.set(Asides(core.kit.services.tracer, agent.count))
        questions.run_clock = clock = self._clock(agent.limits.run_s)
        try:
            if item.why is not None:
                self._rejoin()
                raise asyncio.CancelledError
            outcome = Outcome(status=Status.DONE, turn=await self._process())
        except asyncio.CancelledError:
            if not await self._cut():
                self._leave()
            raise
        except Exception as error:
            outcome = self._failed(error)
        finally:
            questions.run_clock = None
            if clock is not None:
                clock.stop()
        await self._end(outcome)

    def _clock(self, limit_s: float | None) -> RunClock | None:
        """Counts the time of work, where that is limited."""
        if limit_s is None:
            return None
        clock = RunClock(limit_s, lambda: self.item.cancel("limit"))
        clock.start()
        return clock

    async def stop(self) -> None:
        """End the message as cancelled, because an interrupt was noted before its process died."""
        CURRENT.set(self.item.envelope)
        self._rejoin()
        self.item.why = "cancelled"
        await self._end(Outcome(status=Status.CANCELLED))

    async def _cut(self) -> bool:
        """End a message that was cancelled; whether it is at its end."""
        item = self.item
        if item.decided:
            await self._end(Outcome(status=Status.DONE))
        elif item.why == "limit":
            limit_s = self._agent.limits.run_s or 0.0
            await self._end(Outcome(status=Status.FAILED, error=LimitError(f"worked for more than {limit_s:g} s")))
        elif item.why in ("cancelled", "closed"):
            await self._end(Outcome(status=Status.CANCELLED))
        elif item.why is None and not is_cancelled():
            error = OreError("something that the message waited for was cancelled, but not the message itself")
            await self._end(Outcome(status=Status.FAILED, error=error))
        else:  # a shutdown, or the loop itself ends
            return False
        return True

    def _leave(self) -> None:
        error = SessionClosedError("this process stops; the message goes on at the next attach")
        for item in (*self.item.joined, self.item):
            item.ticket.leave(error)

    def _failed(self, error: Exception) -> Outcome:
        if not self.item.decided:
            return Outcome(status=Status.FAILED, error=error)
        log.exception("a handler failed after message %s had ended", self.item.message.id)
        return Outcome(status=Status.DONE)

    async def _process(self) -> Turn | None:
        core, item = self._core, self.item
        known = self._rejoin()
        if item.message.attempts >= ATTEMPTS:
            raise LimitError(f"the message was found unfinished {ATTEMPTS} times: whatever runs it ends its process")
        answering = self._answering or core.provider()
        agent, tracer = self._agent, core.kit.services.tracer
        pattern = self._pattern or agent.pattern()
        message: UserMessage | None = None
        if known:
            last = await self._resume(pattern)
            if last is not None:
                return last
        else:
            message = await passed_on(core, self._stream, item)
            if message is None:
                return None
        if tracer is None:
            return await self._answer(pattern, answering, message)
        with tracer.span("agent.run", **{"agent.name": agent.name, "agent.pattern": pattern.name}):
            return await self._answer(pattern, answering, message)

    async def _answer(
        self, pattern: Pattern, answering: tuple[Provider, Spec], message: UserMessage | None
    ) -> Turn | None:
        """Take the message in, unless an earlier process did, and have it answered."""
        core, item = self._core, self.item
        if self._opened is not None:
            await core.step.observe(self._opened.turn)
        elif message is not None:
            message = await taken_in(core, item, message)
            if message is None:
                return None
            content = message.content
            marked = () if item.message.taken else (TakenRecord(message=item.message.id),)
            artifacts = content if type(content) is tuple else content_of(content)
            draft = Draft(id=self._turn_id, role=Role.USER, artifacts=artifacts)
            step = core.step
            await step.observe(await step.record(draft, *marked))
        agent = self._agent
        check = _check(agent.output)
        item.ends = lambda draft: pattern.ends(draft) and (check is None or check(draft) is None)
        runtime = Runtime(
            step=core.step,
            state=core.thread,
            provider=answering[0],
            spec=answering[1],
            limits=agent.limits,
            check=check,
            waits=lambda: bool(core.waiting) and not item.decided and steering(core) is not None,
        )
        return await pattern.run(runtime)

    def _rejoin(self) -> bool:
        """Gather the messages that had joined this one in an earlier process; whether that one had begun it."""
        core, item = self._core, self.item
        started = core.started
        if not started:
            return False
        for other in [one for one in core.waiting if one.message.id in started]:
            core.waiting = [one for one in core.waiting if one is not other]
            item.joined.append(other)
        gathered = {one.message.id for one in (item, *item.joined)}
        core.started = {name: turn for name, turn in started.items() if name not in gathered}
        return item.message.id in started

    async def _resume(self, pattern: Pattern) -> Turn | None:
        """Answer what an earlier process left open; the last turn when that was the answer already."""
        core = self._core
        await core.step.resume(core.thread, core.effects)
        core.effects = {}
        over = core.questions.over()
        if over:  # a question from inside a tool died with it
            await finish(core.journal(over), then=lambda _: core.questions.end(over))
        last = core.thread.turns[-1] if core.thread.turns else None
        whole = last is not None and last.role is Role.ASSISTANT and last.status is TurnStatus.COMPLETE
        return last if whole and last is not None and pattern.ends(last) else None

    async def _end(self, outcome: Outcome) -> None:
        """Make the ending durable, tell everybody, resolve the tickets.

        From its first line on nobody cancels the message any more.

        Raises:
            StoreError: The ending is not durable: the message has none, and
                goes on at the next attach.
        """
        core, item = self._core, self.item
        decided, item.decided = item.decided, True
        lost: Exception | None = None
        if not decided:
            try:
                await self._close_calls()
                last = next((turn for turn in reversed(self._turns()) if turn.role is Role.ASSISTANT), None)
                outcome = msgspec.structs.replace(outcome, turn=outcome.turn or last)
                over = core.questions.over()
                await finish(core.journal([*over, *self._endings(outcome)]), then=lambda _: core.questions.end(over))
            except Exception as error:
                lost = error
        core.running = None
        if lost is None:
            self._tell(msgspec.structs.replace(outcome, turns=self._turns()))
            return
        core.journal.doubt()
        for one in (*item.joined, item):  # it stays in the inbox: whoever goes on with it tells its ending
            told = outcome.error or lost
            if not isinstance(lost, FencedError) and not is_reported(told, one.message.id):
                mark_reported(told, one.message.id)
                core.emit(ErrorEvent.of(describe(told)), one.envelope)
            one.ticket.leave(lost)
        raise lost

    async def _close_calls(self) -> None:
        core, item = self._core, self.item
        reason = CLOSED if item.why == "closed" else CANCELLED if item.why else LOST
        effects = {**core.effects, **(core.calls.effects if core.calls is not None else {})}
        results = results_for(core.thread.turns, reason, effects)
        if results:
            await core.step.answer_all(core.thread, results)

    def _endings(self, outcome: Outcome) -> Sequence[EndingRecord]:
        return [
            EndingRecord(
                message=item.message.id,
                outcome=outcome.status,
                turn=outcome.turn.id if outcome.turn else None,
                error=describe(outcome.error) if outcome.error else None,
            )
            for item in (*self.item.joined, self.item)
        ]

    def _tell(self, outcome: Outcome) -> None:
        """Its last events, and those of the messages that joined it just before."""
        core, running = self._core, self.item
        error = outcome.error
        for item in (*running.joined, running):
            if error is not None and not is_reported(error, item.message.id):
                mark_reported(error, item.message.id)
                core.emit(ErrorEvent.of(describe(error)), item.envelope)
            if outcome.status is Status.CANCELLED:
                core.emit(Lifecycle(phase="cancelled"), item.envelope)
            core.emit(Lifecycle(phase="done", outcome=outcome.status), item.envelope)
            item.ticket.resolve(outcome)

    def _turns(self) -> Sequence[Turn]:
        """The turns that came since the message began."""
        return self._core.thread.turns_behind(self.item.before)


def _check(output: OutputType | None) -> Check | None:
    """Looks whether what would be the answer fits its type, if it has one."""
    if output is None:
        return None

    def check(turn: Turn | Draft) -> str | None:
        try:
            output.parse("".join(a.for_model() for a in turn.artifacts if a.kind == "text"))
        except ToolError as error:
            return str(error)
        return None

    return check


def is_cancelled() -> bool:
    """Whether somebody asked the current task to stop."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
