"""`CallHandler`: runs the tool calls of a turn."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ore.artifact import Artifact, StopReason, ToolCall, ToolResult
from ore.calls.guard import repeated
from ore.calls.limits import CallLimits
from ore.calls.rendering import error_result
from ore.calls.runner import CallRunner, as_cancelled
from ore.errors import LimitError
from ore.event import CURRENT, Emitter
from ore.ledger import Draft, EffectRecord, Record, Role, Turn, TurnStatus, call_key
from ore.loop import UNKNOWN
from ore.provider import Option, tools_of
from ore.tool import Asker, Denying, Tool

__all__ = ["CallHandler"]

CUT = (
    "not run: the output limit cut the answer, so this call may be incomplete; "
    "call again with shorter arguments, or in several steps"
)


class CallHandler:
    """Runs the calls of one turn at once and records all results in one turn, in call order.

    Every call gets exactly one result: its own, an error that says why it did
    not run, or that it was cancelled. A tool that raises never ends the
    message. Each finished call is an effect record and a `tool_result` event
    at once, before the others are done.

    Args:
        asker: Asks for approvals; nobody by default, which denies them.
        limits: Limits.
        deps: What tools find in their context.
        stays_open: Whether a call, by its key, shall have no result when it is
            cancelled, because it waits for a person beyond this process.
    """

    def __init__(
        self,
        *,
        asker: Asker | None = None,
        limits: CallLimits | None = None,
        deps: Any = None,
        stays_open: Callable[[str], bool] | None = None,
    ) -> None:
        self._stays_open = stays_open
        self._limits = limits or CallLimits()
        self._runner = CallRunner(asker or Denying(), self._limits, deps)
        self._running: dict[str, asyncio.Task[None]] = {}
        self._stopped: set[str] = set()

    @property
    def running(self) -> Sequence[str]:
        """Keys of the calls that run right now."""
        return tuple(self._running)

    def stop(self, key: str) -> bool:
        """Stop one call; the others and the message go on. Whether it was running."""
        task = self._running.get(key)
        if task is None:
            return False
        self._stopped.add(key)
        task.cancel()
        return True

    def prepare(self, draft: Draft, options: Sequence[Option]) -> Sequence[Record]:
        """Note with the turn that its calls start, but for those that change nothing or wait for a yes."""
        if draft.id is None or _was_cut(draft):
            return ()
        tools = {tool.name: tool for tool in tools_of(options)}
        calls = [artifact for artifact in draft.artifacts if isinstance(artifact, ToolCall)]
        return [
            EffectRecord(key=call_key(draft.id, index), idempotent=tool.traits.idempotent)
            for index, call in enumerate(calls)
            if (tool := tools.get(call.name)) is not None and not tool.traits.read_only and tool.traits.approve is False
        ]

    async def handle(self, artifact: Artifact, emitter: Emitter) -> None:
        """Nothing: calls run together, when the turn is whole."""

    async def finish(self, turn: Turn, emitter: Emitter) -> None:
        """Run all calls of `turn` and record their results.

        Raises:
            LimitError: The model repeats a call although it was told not to.
            asyncio.CancelledError: The message was cut; finished calls keep
                their results, the others are cancelled.
        """
        calls = turn.calls
        if not calls:
            return
        await self._work(_Round(turn, calls, {tool.name: tool for tool in tools_of(emitter.options)}, emitter))

    async def resume(self, turn: Turn, emitter: Emitter, effects: Mapping[str, EffectRecord]) -> None:
        """Answer the calls of `turn` that an earlier process left open.

        A finished call has its result. One that was started is run again when
        its tool is idempotent, else its outcome is unknown. The others run.

        Args:
            turn: The last turn of the path.
            emitter: Bound to it.
            effects: What is known of its calls, by their keys.
        """
        round = _Round(turn, turn.calls, {tool.name: tool for tool in tools_of(emitter.options)}, emitter)
        for index, call in enumerate(round.calls):
            effect = effects.get(call_key(turn.id, index))
            if effect is not None and effect.result is not None:
                round.put(index, effect.result)
            elif effect is not None and not effect.idempotent:
                round.put(index, UNKNOWN.result(call))
        await self._work(round)

    async def _work(self, round: "_Round") -> None:
        try:
            await self._run_all(round)
        except asyncio.CancelledError:
            if not any(map(self._stays_open or _never, round.missing())):
                round.cancel_rest()
            raise
        finally:
            if round.complete:
                await round.emitter.record(Draft(role=Role.TOOL, artifacts=tuple(round.ordered())))
        if self._limits.repeats and any(round.stuck):
            raise LimitError(
                f"tool {round.stuck[0]!r} was called with the same arguments {self._limits.repeats + 2} times in a "
                "row, although the result was the same and the last call was refused"
            )

    async def _run_all(self, round: "_Round") -> None:
        if _was_cut(round.turn):
            for index, call in enumerate(round.calls):
                round.put(index, error_result(call, CUT))
            return
        open_ones = [index for index in range(len(round.calls)) if not round.has(index)]
        together = [index for index in open_ones if not round.alone(index)]
        if together:
            gate = asyncio.Semaphore(self._limits.parallel) if len(together) > self._limits.parallel else None
            async with asyncio.TaskGroup() as group:
                for index in together:
                    self._start(group, round, index, gate)
        for index in open_ones:
            if round.alone(index):
                async with asyncio.TaskGroup() as group:
                    self._start(group, round, index, None)

    def _start(self, group: asyncio.TaskGroup, round: "_Round", index: int, gate: asyncio.Semaphore | None) -> None:
        key = call_key(round.turn.id, index)
        self._running[key] = group.create_task(self._one(round, index, key, gate))

    async def _one(self, round: "_Round", index: int, key: str, gate: asyncio.Semaphore | None) -> None:
        call = round.calls[index]
        context = CURRENT.get()
        CURRENT.set(context.inside(key))
        value: Any = None
        try:
            if gate is None:
                result, value = await self._result(round, call, key)
            else:
                async with gate:
                    result, value = await self._result(round, call, key)
        except asyncio.CancelledError:
            if key not in self._stopped:
                raise
            result = as_cancelled(call, round.tools.get(call.name))
        finally:
            self._running.pop(key, None)
            self._stopped.discard(key)
        await self._settle(round, index, key, result, value)

    async def _result(self, round: "_Round", call: ToolCall, key: str) -> tuple[ToolResult, Any]:
        tool = round.tools.get(call.name)
        if tool is None:
            known = ", ".join(sorted(round.tools)) or "none"
            return error_result(call, f"tool {call.name!r} not found; the tools are: {known}"), None
        limit = self._limits.repeats
        count = repeated(round.emitter.state.turns, call) if limit else 0
        if limit and count >= limit:
            return error_result(call, _again(call, limit)), None
        if limit and count == 1 and repeated_refusal(round, call, limit):
            round.stuck.append(call.name)
            return error_result(call, _again(call, limit)), None
        return await self._runner.run(call, key, tool, round.emitter)

    async def _settle(self, round: "_Round", index: int, key: str, result: ToolResult, value: Any) -> None:
        """Make one result durable and seen; the last one becomes durable with the turn."""
        round.put(index, result)
        if not round.complete:
            await round.emitter.journal(EffectRecord(key=key, result=result))
        round.emitter.emit(result, value=value)
        if value is not None:
            await self._runner.contribute(value, round.emitter)


class _Round:
    """The calls of one turn and what they came to."""

    __slots__ = ("_results", "calls", "emitter", "stuck", "tools", "turn")

    def __init__(self, turn: Turn, calls: Sequence[ToolCall], tools: Mapping[str, Tool], emitter: Emitter) -> None:
        self.turn = turn
        self.calls = calls
        self.tools = tools
        self.emitter = emitter
        self.stuck: list[str] = []
        self._results: dict[int, ToolResult] = {}

    @property
    def complete(self) -> bool:
        return len(self._results) == len(self.calls)

    def has(self, index: int) -> bool:
        return index in self._results

    def missing(self) -> list[str]:
        return [call_key(self.turn.id, index) for index in range(len(self.calls)) if index not in self._results]

    def alone(self, index: int) -> bool:
        tool = self.tools.get(self.calls[index].name)
        return tool is not None and tool.traits.alone

    def put(self, index: int, result: ToolResult) -> None:
        self._results[index] = result

    def ordered(self) -> list[ToolResult]:
        return [self._results[index] for index in range(len(self.calls))]

    def cancel_rest(self) -> None:
        for index, call in enumerate(self.calls):
            if index not in self._results:
                self.put(index, as_cancelled(call, self.tools.get(call.name)))


def _never(key: str) -> bool:
    return False


def _again(call: ToolCall, limit: int) -> str:
    return (
        f"not run: {call.name!r} was called {limit} times in a row with these arguments and gave the same result; "
        "use that result, or call it with other arguments"
    )


def repeated_refusal(round: _Round, call: ToolCall, limit: int) -> bool:
    """Whether the last identical call was refused already."""
    for turn in reversed(round.emitter.state.turns):
        if turn.role is Role.TOOL:
            refusal = _again(call, limit)
            return any(isinstance(item, ToolResult) and item.content == refusal for item in turn.artifacts)
    return False


def _was_cut(turn: Turn | Draft) -> bool:
    """Whether the output limit, a person or an error ended the answer early."""
    return turn.status is not TurnStatus.COMPLETE or any(
        isinstance(artifact, StopReason) and artifact.reason == "length" for artifact in turn.artifacts
    )
