"""`CallHandler`: runs the tool calls of a turn."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from ore._aio import ended
from ore.artifact import StopReason, ToolCall, ToolResult
from ore.calls.attempt import Attempt, Round
from ore.calls.guard import again, repeated
from ore.calls.host import CallHost
from ore.calls.limits import CallLimits
from ore.calls.rendering import error_result
from ore.calls.runner import CallRunner
from ore.calls.tracing import trace
from ore.errors import LimitError, SessionClosedError, ToolError
from ore.event import CURRENT, Attribute, Emitter, Tracer
from ore.ledger import Draft, EffectRecord, Record, Role, Turn, TurnStatus, call_key
from ore.loop import UNKNOWN
from ore.provider import Option, tools_of
from ore.tool import Asker, Denying

__all__ = ["CallHandler"]

log = logging.getLogger(__name__)

CUT = (
    "not run: the output limit cut the answer, so this call may be incomplete; "
    "call again with shorter arguments, or in several steps"
)
CANCELLED = "cancelled by the user"
FAILED = "cancelled: the result of another call could not be stored"


class CallHandler:
    """Runs the calls of one turn at once and records all results in one turn, in call order.

    Every call gets exactly one result: its own, an error that says why it did
    not run, or that it was cancelled. A tool that raises never ends the
    message; that includes `SystemExit`, while a `KeyboardInterrupt` in an
    async tool ends the process, as anywhere in asyncio. Each finished call is
    a `tool_result` event and an effect record at once, before the others are
    done. A tool that runs alone waits for those before it and lets those
    behind it wait.

    Args:
        asker: Asks for approvals; nobody by default, which denies them.
        limits: Limits.
        deps: What tools find in their context.
        host: The session that they belong to.
        tracer: Makes a span for each call, inside that of its inference.
    """

    def __init__(
        self,
        *,
        asker: Asker | None = None,
        limits: CallLimits | None = None,
        deps: Any = None,
        host: CallHost | None = None,
        tracer: Tracer | None = None,
    ) -> None:
        self._host = host or CallHost()
        self._tracer = tracer
        self._limits = limits or CallLimits()
        self._runner = CallRunner(asker or Denying(), self._limits, deps, self._host.children)
        self._running: dict[str, Attempt] = {}
        self._prepared: str | None = None
        self._unrecorded: Round | None = None

    @property
    def running(self) -> Sequence[str]:
        """Keys of the calls that run right now."""
        return tuple(self._running)

    def stop(self, key: str) -> bool:
        """Stop one call; the others and the message go on. Whether it was running.

        Stopping it again changes nothing: its cleanup is not cut short.
        """
        attempt = self._running.get(key)
        if attempt is None or attempt.task is None:
            return False
        if not attempt.stopped:
            attempt.stopped = True
            attempt.task.cancel()
        return True

    def is_stopped(self, key: str) -> bool:
        """Whether a call that still runs was stopped by itself."""
        attempt = self._running.get(key)
        return attempt is not None and attempt.stopped

    def prepare(self, draft: Draft, options: Sequence[Option]) -> Sequence[Record]:
        """Note with the turn that its calls start, but for those that change nothing or wait for a yes."""
        if ToolCall not in map(type, draft.artifacts) or draft.id is None or _was_cut(draft):
            return ()
        calls = [artifact for artifact in draft.artifacts if type(artifact) is ToolCall]
        self._prepared = draft.id
        tools = {tool.name: tool for tool in tools_of(options)}
        return [
            EffectRecord(key=call_key(draft.id, index), idempotent=tool.traits.idempotent)
            for index, call in enumerate(calls)
            if (tool := tools.get(call.name)) is not None and not tool.traits.read_only and tool.traits.approve is False
        ]

    async def finish(self, turn: Turn, emitter: Emitter) -> None:
        """Run all calls of `turn` and record their results.

        Raises:
            LimitError: The model repeats a call although it was told not to.
            StoreError: A result could not be made durable; the calls that
                still ran are cancelled, and the results are recorded if that
                is possible by now.
            asyncio.CancelledError: The message was cut; finished calls keep
                their results, the others are cancelled.
        """
        if ToolCall in map(type, turn.artifacts):
            await self._work(Round(turn, turn.calls, emitter, noted=self._prepared == turn.id))

    async def resume(self, turn: Turn, emitter: Emitter, effects: Mapping[str, EffectRecord]) -> None:
        """Answer the calls of `turn` that an earlier process left open.

        A finished call has its result. One that was started is run again when
        its tool is idempotent, else its outcome is unknown. The others run.

        Args:
            turn: The last turn of the path.
            emitter: Bound to it.
            effects: What is known of its calls, by their keys.
        """
        round = Round(turn, turn.calls, emitter, noted=False)
        for attempt in round.attempts:
            effect = effects.get(attempt.key)
            if effect is not None and effect.result is not None:
                round.put(attempt, effect.result)
            elif effect is not None and not effect.idempotent:
                round.put(attempt, UNKNOWN.result(attempt.call))
            else:
                attempt.noted = effect is not None
        await self._work(round)

    @property
    def effects(self) -> Mapping[str, EffectRecord]:
        """What the calls came to whose results could not be recorded, by their keys."""
        attempts = self._unrecorded.attempts if self._unrecorded is not None else ()
        return {
            attempt.key: EffectRecord(key=attempt.key, result=attempt.result)
            for attempt in attempts
            if attempt.result is not None
        }

    async def _work(self, round: Round) -> None:
        self._unrecorded = round
        try:
            await self._run_all(round)
        except asyncio.CancelledError:
            if not any(self._host.stays_open(attempt.key) for attempt in round.open):
                round.cancel(self._host.why())
            raise
        except (Exception, BaseExceptionGroup) as failed:
            round.cancel(FAILED)
            raise _cause(failed) from None
        finally:
            if self._running:  # those that were cut before their first line
                for attempt in round.attempts:
                    self._running.pop(attempt.key, None)
            if not round.left:
                await round.emitter.record(Draft(role=Role.TOOL, artifacts=round.results()))
                self._unrecorded = None
        if round.stuck:
            raise LimitError(
                f"tool {round.stuck[0]!r} was called with the same arguments {self._limits.repeats + 2} times in a "
                "row, although the result was the same and the last call was refused"
            )

    async def _run_all(self, round: Round) -> None:
        if self._prepared != round.turn.id and _was_cut(round.turn):
            for attempt in round.open:
                await self._settle(round, attempt, error_result(attempt.call, CUT), None)
            return
        for batch in round.batches():
            gate = asyncio.Semaphore(self._limits.parallel) if len(batch) > self._limits.parallel else None
            for attempt in batch:
                self._running[attempt.key] = attempt
            if len(batch) == 1:
                task = batch[0].task = asyncio.get_running_loop().create_task(self._one(round, batch[0], None))
                await ended(task)
            else:
                async with asyncio.TaskGroup() as group:
                    for attempt in batch:
                        attempt.task = group.create_task(self._one(round, attempt, gate))
            for attempt in batch:
                if attempt.result is None:  # stopped before its first line, or cancelled by its own tool
                    self._running.pop(attempt.key, None)
                    await self._settle(round, attempt, _alone(attempt), None)

    async def _one(self, round: Round, attempt: Attempt, gate: asyncio.Semaphore | None) -> None:
        CURRENT.set(CURRENT.get().inside(attempt.key))
        value: Any = None
        try:
            if gate is None:
                result, value = await self._result(round, attempt)
            else:
                async with gate:
                    result, value = await self._result(round, attempt)
        except asyncio.CancelledError:
            if not _is_alone(attempt):
                raise
            result = _alone(attempt)
        finally:
            self._running.pop(attempt.key, None)
        await self._settle(round, attempt, result, value)

    async def _result(self, round: Round, attempt: Attempt) -> tuple[ToolResult, Any]:
        refusal = self._refusal(round, attempt.call)
        if refusal is not None:
            return error_result(attempt.call, refusal), None
        if attempt.tool is None:
            known = ", ".join(sorted(round.tools)) or "none"
            return error_result(attempt.call, f"tool {attempt.call.name!r} not found; the tools are: {known}"), None
        if self._tracer is None:
            return await self._runner.run(attempt, attempt.tool, round.emitter)
        facts: Mapping[str, Attribute] = {"tool.name": attempt.tool.name, "tool.key": attempt.key}
        with self._tracer.span("tool.execute", **facts) as span:
            result, value = await self._runner.run(attempt, attempt.tool, round.emitter)
            trace(span, result)
            return result, value

    def _refusal(self, round: Round, call: ToolCall) -> str | None:
        """Why the call is not run once more, if it is not."""
        limit = self._limits.repeats
        count, content = repeated(round.emitter.state.turns, call) if limit else (0, None)
        if not count:
            return None
        text = again(call, limit)
        if content == text:
            round.stuck.append(call.name)
        return text if count >= limit or content == text else None

    async def _settle(self, round: Round, attempt: Attempt, result: ToolResult, value: Any) -> None:
        """Make one result seen and durable; the last one becomes durable with the turn.

        What its value changes in the session comes first: a call of which a
        crash leaves the result is not run again, so nobody would change it then.
        """
        round.put(attempt, result)
        is_last = not round.left
        try:
            round.emitter.emit(result, value=value)
        except SessionClosedError:
            log.debug("call %s ended when nobody listened any more; its result is recorded", attempt.key)
        if value is not None:
            await self._runner.contribute(value, round.emitter)
        if not is_last:
            await round.emitter.journal(EffectRecord(key=attempt.key, result=result))


def _is_alone(attempt: Attempt) -> bool:
    """Whether it was this call that was cancelled, by whoever stopped it or by its own tool, not the round."""
    task = attempt.task
    if task is None or not task.cancelling():
        return True
    if attempt.stopped:
        task.uncancel()
    return attempt.stopped


def _alone(attempt: Attempt) -> ToolResult:
    """The result of a call that was cancelled alone."""
    if attempt.stopped:
        return attempt.cancelled(CANCELLED)
    return error_result(attempt.call, "the tool was cancelled from inside: what it waited for was cancelled")


def _cause(failed: BaseException) -> Exception:
    """The one error that says why the round ended."""
    error = failed.exceptions[0] if isinstance(failed, BaseExceptionGroup) else failed
    return error if isinstance(error, Exception) else ToolError(f"a tool raised {type(error).__name__}")


def _was_cut(turn: Turn | Draft) -> bool:
    """Whether the output limit, a person or an error ended the answer early."""
    if turn.status is not TurnStatus.COMPLETE:
        return True
    reasons = [artifact.reason for artifact in turn.artifacts if type(artifact) is StopReason]
    return "length" in reasons
