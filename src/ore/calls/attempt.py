"""`Round` and `Attempt`: the calls of one turn on the way to their results."""

import asyncio
from collections.abc import Mapping, Sequence

from ore.artifact import ResultStatus, ToolCall, ToolResult
from ore.calls.rendering import error_result
from ore.event import Emitter
from ore.ledger import Turn, call_key
from ore.provider import tools_of
from ore.tool import Tool

__all__ = ["Attempt", "Round"]


class Attempt:
    """One call on its way.

    Attributes:
        tool: Its tool; `None` when there is none of that name.
        noted: Whether its start is recorded.
        in_thread: Whether a thread of its own works on it, which nobody can stop.
        stopped: Whether somebody stopped this one call.
        task: What runs it.
        result: What it came to.
    """

    __slots__ = ("call", "in_thread", "key", "noted", "result", "stopped", "task", "tool")

    def __init__(self, call: ToolCall, key: str, tool: Tool | None, *, noted: bool) -> None:
        self.call = call
        self.key = key
        self.tool = tool
        self.noted = noted and tool is not None and tool.traits.approve is False
        self.in_thread = False
        self.stopped = False
        self.task: asyncio.Task[None] | None = None
        self.result: ToolResult | None = None

    def cancelled(self, why: str) -> ToolResult:
        """The result of a call that was cut: nobody knows what a thread still does."""
        if self.in_thread:
            text = f"{why}, but the tool could not be stopped; its outcome is unknown"
            return error_result(self.call, text, ResultStatus.UNKNOWN)
        return error_result(self.call, why, ResultStatus.CANCELLED)


class Round:
    """The calls of one turn, in the order in which the model made them.

    Args:
        noted: Whether the starts that the turn itself implies are recorded.

    Attributes:
        left: How many calls have no result yet.
        stuck: Names of tools whose calls go on although they were refused.
    """

    __slots__ = ("attempts", "emitter", "left", "stuck", "tools", "turn")

    def __init__(self, turn: Turn, calls: Sequence[ToolCall], emitter: Emitter, *, noted: bool) -> None:
        self.turn = turn
        self.emitter = emitter
        self.tools: Mapping[str, Tool] = {tool.name: tool for tool in tools_of(emitter.options)}
        self.attempts = [
            Attempt(call, call_key(turn.id, index), self.tools.get(call.name), noted=noted)
            for index, call in enumerate(calls)
        ]
        self.left = len(calls)
        self.stuck: list[str] = []

    @property
    def open(self) -> Sequence[Attempt]:
        """The calls without a result."""
        return [attempt for attempt in self.attempts if attempt.result is None]

    def put(self, attempt: Attempt, result: ToolResult) -> None:
        """A call has its result."""
        attempt.result = result
        self.left -= 1

    def results(self) -> tuple[ToolResult, ...]:
        """What there is, in call order."""
        return tuple([attempt.result for attempt in self.attempts if attempt.result is not None])

    def batches(self) -> Sequence[Sequence[Attempt]]:
        """The open calls in groups that run at once; one that runs alone is a group of its own."""
        if len(self.attempts) == 1 and self.left:
            return [self.attempts]
        groups: list[list[Attempt]] = []
        together = False
        for attempt in self.open:
            alone = attempt.tool is not None and attempt.tool.traits.alone
            if together and not alone:
                groups[-1].append(attempt)
            else:
                groups.append([attempt])
            together = not alone
        return groups

    def cancel(self, why: str) -> None:
        """Give every open call a result that says so."""
        for attempt in self.open:
            self.put(attempt, attempt.cancelled(why))
