"""`CallRunner`: one tool call, from its arguments to its result."""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from ore.artifact import ResultStatus, ToolCall, ToolResult, has_method
from ore.calls.limits import CallLimits
from ore.calls.rendering import error_result, failure_result, value_result
from ore.calls.threads import Threads
from ore.errors import ToolError
from ore.event import Activity, Emitter, Question
from ore.ledger import EffectRecord, Operation
from ore.tool import Approve, Asker, Tool, ToolContext

__all__ = ["CallRunner"]

log = logging.getLogger(__name__)


class CallRunner:
    """Runs single calls; every failure of a tool becomes a result.

    Args:
        asker: Asks for approvals, and for tools that ask themselves.
        limits: Limits.
        deps: What tools find in their context.
    """

    __slots__ = ("_asker", "_limits", "_threads", "deps")

    def __init__(self, asker: Asker, limits: CallLimits, deps: Any = None) -> None:
        self._asker = asker
        self._limits = limits
        self._threads = Threads(limits.threads)
        self.deps = deps

    async def run(self, call: ToolCall, key: str, tool: Tool, emitter: Emitter) -> tuple[ToolResult, Any]:
        """Run one call.

        Returns:
            The result, and the value that the tool returned, if any.

        Raises:
            asyncio.CancelledError: The caller cancelled it.
        """
        traits = tool.traits
        try:
            arguments = tool.body.parse(call.arguments)
            approve = traits.approve
            if approve is not False and _needed(approve, arguments):
                answer = await self._approved(call, key, tool, emitter)
                if isinstance(answer, ToolResult):
                    return answer, None
                arguments = tool.body.parse(answer)
        except ToolError as error:
            return error_result(call, str(error)), None
        context = ToolContext(key, call, emitter=emitter, asker=self._asker, deps=self.deps)
        try:
            return await self._timed(call, tool, context, arguments)
        finally:
            context.close()
            if context.reported:
                emitter.emit(Activity(id=key, active=False))

    async def contribute(self, value: Any, emitter: Emitter) -> None:
        """Let a value change the session's facts."""
        if has_method(value, "status"):
            status: Mapping[str, str] = value.status()
            await emitter.set_metadata([Operation(op="set", key=k, value=v) for k, v in status.items()])

    async def _approved(self, call: ToolCall, key: str, tool: Tool, emitter: Emitter) -> str | ToolResult:
        """The arguments to run with, or the result that says no."""
        question = Question(key=key, purpose="approval", tool=call.name, call_key=key, arguments=call.arguments)
        answer = await self._asker.ask(question)
        if answer.decision != "approve":
            reason = f": {answer.reason}" if answer.reason else ""
            return error_result(call, f"denied by the user{reason}", ResultStatus.DENIED)
        if not tool.traits.read_only:
            await emitter.journal(EffectRecord(key=key, idempotent=tool.traits.idempotent))
        return answer.arguments if answer.arguments is not None and tool.traits.editable else call.arguments

    async def _timed(
        self, call: ToolCall, tool: Tool, context: ToolContext, arguments: Mapping[str, Any]
    ) -> tuple[ToolResult, Any]:
        limit_s = tool.traits.timeout_s or self._limits.timeout_s
        limit = asyncio.timeout(limit_s)
        try:
            async with limit:
                value = await self._call(tool, context, arguments)
            return value_result(call, value, tool.traits.cut), value
        except TimeoutError as error:
            if not limit.expired():
                return failure_result(call, error, tool.traits.cut), None
            return failure_result(call, ToolError(f"timed out after {limit_s:g} s"), tool.traits.cut), None
        except Exception as error:
            if not isinstance(error, ToolError):
                log.warning("tool %r raised %s", tool.name, type(error).__name__, exc_info=log.isEnabledFor(10))
            return failure_result(call, error, tool.traits.cut), None

    async def _call(self, tool: Tool, context: ToolContext, arguments: Mapping[str, Any]) -> Any:
        body = tool.body
        if body.blocking:
            return await self._threads.run(lambda: body.call(context, arguments), f"ore-tool-{tool.name}")
        return await body.call(context, arguments)


def _needed(approve: Approve, arguments: Mapping[str, Any]) -> bool:
    """Whether a person has to say yes; a predicate that fails means yes."""
    if isinstance(approve, bool):
        return approve
    try:
        return bool(approve(arguments))
    except Exception:
        log.exception("an approve predicate failed; a person is asked")
        return True


def unknown(call: ToolCall) -> ToolResult:
    """The result of a call whose thread would not stop."""
    return error_result(
        call, "cancelled, but the tool could not be stopped; its outcome is unknown", ResultStatus.UNKNOWN
    )


def as_cancelled(call: ToolCall, tool: Tool | None) -> ToolResult:
    """The result of a call that was stopped."""
    if tool is not None and tool.body.blocking:
        return unknown(call)
    return error_result(call, "cancelled by the user", ResultStatus.CANCELLED)
