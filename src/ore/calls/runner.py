"""`CallRunner`: one tool call, from its arguments to its result."""

import asyncio
import inspect
import logging
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from ore.artifact import ResultStatus, ToolCall, ToolResult, clean, has_method
from ore.calls.attempt import Attempt
from ore.calls.limits import CallLimits
from ore.calls.rendering import error_result, failure_result, message_of, value_result
from ore.calls.threads import Threads
from ore.errors import InputError, SessionClosedError, StoreError, ToolError
from ore.event import Activity, Answer, Emitter, Question
from ore.ledger import EffectRecord, Operation
from ore.models import check_model_key
from ore.tool import Approve, Asker, Children, Deadline, Tool, ToolContext

__all__ = ["CallRunner"]

log = logging.getLogger(__name__)

_STATELESS: Final = frozenset({bool, dict, float, int, list, str, tuple})
"""What most tools return: it has no say about the session."""


class CallRunner:
    """Runs single calls; every failure of a tool becomes a result.

    Args:
        asker: Asks for approvals, and for tools that ask themselves.
        limits: Limits.
        deps: What tools find in their context.
        children: Runs agents inside calls.
    """

    __slots__ = ("_asker", "_children", "_limits", "_threads", "deps")

    def __init__(self, asker: Asker, limits: CallLimits, deps: Any = None, children: Children | None = None) -> None:
        self._asker = asker
        self._children = children
        self._limits = limits
        self._threads = Threads(limits.threads)
        self.deps = deps

    async def run(self, attempt: Attempt, tool: Tool, emitter: Emitter) -> tuple[ToolResult, Any]:
        """Run one call.

        Returns:
            The result, and the value that the tool returned, if any.

        Raises:
            StoreError: What has to be durable before the tool runs is not.
            asyncio.CancelledError: The caller cancelled it.
        """
        arguments = _read(attempt.call, tool, attempt.call.arguments)
        if tool.traits.approve is not False and not isinstance(arguments, ToolResult):
            arguments = await self._approved(attempt, tool, arguments)
        if isinstance(arguments, ToolResult):
            return arguments, None
        if not (attempt.noted or tool.traits.read_only):
            await emitter.journal(EffectRecord(key=attempt.key, idempotent=tool.traits.idempotent))
        context = ToolContext(
            attempt.key,
            attempt.call,
            emitter=emitter,
            asker=self._asker,
            deps=self.deps,
            children=self._children,
        )
        try:
            return await self._timed(attempt, tool, context, arguments)
        finally:
            context.close()
            if context.reported:
                with suppress(SessionClosedError):
                    emitter.emit(Activity(id=attempt.key, active=False))

    async def contribute(self, value: Any, emitter: Emitter) -> None:
        """Let a value change the session's facts; one that cannot say how is logged and passed over.

        Raises:
            StoreError: The change could not be made durable.
        """
        if type(value) in _STATELESS or not has_method(value, "status"):
            return
        try:
            operations = _operations(value.status())
        except Exception as error:
            _warn(f"the status of a {type(value).__name__} is passed over", error)
            return
        if operations:
            await emitter.set_metadata(operations)

    async def _approved(
        self, attempt: Attempt, tool: Tool, arguments: Mapping[str, Any]
    ) -> Mapping[str, Any] | ToolResult:
        """The arguments to run with, or the result that says no."""
        call, shown = attempt.call, attempt.call.arguments
        if _needed(tool.traits.approve, arguments):
            answer = await self._ask(attempt, tool, shown)
            if refusal := _refusal(answer, call, tool):
                return error_result(call, refusal, ResultStatus.DENIED)
            shown = shown if answer.arguments is None else answer.arguments
        return _read(call, tool, shown)  # once more: what was shown is what runs

    async def _ask(self, attempt: Attempt, tool: Tool, arguments: str) -> Answer:
        key, name, editable = attempt.key, attempt.call.name, tool.traits.editable
        question = Question(
            key=key, purpose="approval", tool=name, call_key=key, arguments=arguments, editable=editable
        )
        try:
            return await self._asker.ask(question)
        except StoreError:
            raise
        except Exception as error:
            _warn(f"nobody could be asked whether tool {name!r} may run", error)
            return Answer(key=key, reason="nobody could be asked")

    async def _timed(
        self, attempt: Attempt, tool: Tool, context: ToolContext, arguments: Mapping[str, Any]
    ) -> tuple[ToolResult, Any]:
        call, cut = attempt.call, tool.traits.cut
        limit_s = tool.traits.timeout_s or self._limits.timeout_s
        context.limit = limit = Deadline(limit_s, attempt.task)
        try:
            with limit:
                value = await self._call(attempt, tool, context, arguments)
            return value_result(call, value, cut), value
        except (asyncio.CancelledError, KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            if isinstance(error, TimeoutError) and limit.expired:
                return _timed_out(attempt, limit_s, tool), None
            if not isinstance(error, ToolError):
                _warn(f"tool {tool.name!r} failed", error)
            return failure_result(call, error, cut), None

    async def _call(self, attempt: Attempt, tool: Tool, context: ToolContext, arguments: Mapping[str, Any]) -> Any:
        body = tool.body
        if not body.blocking:
            return await body.call(context, arguments)
        attempt.in_thread = True
        value = await self._threads.run(partial(body.call, context, arguments), f"ore-tool-{tool.name}")
        attempt.in_thread = False
        return await value if inspect.isawaitable(value) else value


def _read(call: ToolCall, tool: Tool, text: str) -> Mapping[str, Any] | ToolResult:
    """Arguments as the tool takes them, or the result that says what is wrong with them."""
    try:
        return tool.body.parse(text)
    except ToolError as error:
        return error_result(call, str(error))
    except Exception as error:
        _warn(f"tool {tool.name!r} could not read its arguments", error)
        return error_result(call, f"the arguments could not be read: {message_of(error)}")


def _needed(approve: Approve, arguments: Mapping[str, Any]) -> bool:
    """Whether a person has to say yes; a predicate that fails means yes."""
    if isinstance(approve, bool):
        return approve
    try:
        return bool(approve(MappingProxyType(arguments) if isinstance(arguments, dict) else arguments))
    except Exception as error:
        _warn("an approve predicate failed, so a person is asked", error)
        return True


def _refusal(answer: Answer, call: ToolCall, tool: Tool) -> str | None:
    """Why the call may not run, if it may not."""
    if answer.decision != "approve":
        said = "denied by the user" if answer.decision == "deny" else "not approved"
        return f"{said}: {answer.reason}" if answer.reason else said
    if answer.arguments not in (None, call.arguments) and not tool.traits.editable:
        return "denied: the arguments were changed, which this tool does not allow"
    return None


def _timed_out(attempt: Attempt, limit_s: float, tool: Tool) -> ToolResult:
    if attempt.in_thread:
        return attempt.cancelled(f"timed out after {limit_s:g} s")
    return failure_result(attempt.call, ToolError(f"timed out after {limit_s:g} s"), tool.traits.cut)


def _operations(status: Mapping[Any, Any]) -> list[Operation]:
    """The changes that a value asks for.

    Raises:
        InputError: One of them cannot be made.
    """
    for key, text in status.items():
        if not (isinstance(key, str) and isinstance(text, str)):
            raise InputError(f"status: expected texts, got {type(text).__name__} for {key!r}")
        check_model_key(key, text)
    return [Operation(op="set", key=clean(key), value=clean(text)) for key, text in status.items()]


def _warn(what: str, error: BaseException) -> None:
    """Log a failure of foreign code: its kind, and all of it only for whoever debugs, as it may hold content."""
    log.warning("%s: %s", what, type(error).__name__, exc_info=error if log.isEnabledFor(logging.DEBUG) else None)
