"""Guards of what models call."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ore.agent import Tools
from ore.errors import ToolError
from ore.event import Question
from ore.ext.transforms.guardrails.judging import Judged, judge, judge_at_once
from ore.ext.transforms.guardrails.verdict import Guard, Looked, json_text
from ore.ledger import State
from ore.tool import Approve, Tool, ToolBody, ToolContext

__all__ = ["guarded_tools"]


def guarded_tools(inner: Tools, guards: Sequence[Guard]) -> Tools:
    """The same tools, whose calls are looked at before they run.

    A call that is blocked gets an error result that says why. One that is
    rewritten runs with the other arguments. Where a person has to decide, a
    guard that need not be waited for asks as an approval does, before the call
    is begun; it is asked twice, so it has to say the same.
    """
    known: dict[int, tuple[Tool, Tool]] = {}

    def guarded(tool: Tool) -> Tool:
        found = known.get(id(tool))
        if found is None or found[0] is not tool:
            found = known[id(tool)] = (tool, _guarded(tool, guards))
        return found[1]

    def tools(state: State) -> Sequence[Tool]:
        return [guarded(tool) for tool in inner(state)]

    return tools


def _guarded(tool: Tool, guards: Sequence[Guard]) -> Tool:
    approve = tool.traits.approve
    traits = replace(tool.traits, approve=True if approve is True else _Asks(tool.name, guards, approve))
    return replace(tool, body=_Body(tool, guards), traits=traits)


class _Asks:
    """Whether a person has to say yes before a call is begun."""

    def __init__(self, tool: str, guards: Sequence[Guard], before: Approve) -> None:
        self._tool = tool
        self._guards = guards
        self._before = before

    def __call__(self, arguments: Mapping[str, Any]) -> bool:
        if not isinstance(self._before, bool) and self._before(arguments):
            return True
        judged = judge_at_once(self._guards, _looked(self._tool, arguments))
        return judged is not None and _is_asked_before(judged)


class _Body:
    """A tool's body behind guards."""

    def __init__(self, tool: Tool, guards: Sequence[Guard]) -> None:
        self._tool = tool
        self._inner: ToolBody = tool.body
        self._guards = guards

    def __repr__(self) -> str:
        return repr(self._inner)

    @property
    def schema(self) -> Mapping[str, Any]:
        return self._inner.schema

    @property
    def blocking(self) -> bool:
        return self._inner.blocking

    def parse(self, arguments: str) -> Mapping[str, Any]:
        return self._inner.parse(arguments)

    def call(self, context: ToolContext, arguments: Mapping[str, Any]) -> Any:
        if not self._inner.blocking:
            return self._call(context, arguments)
        return self._inner.call(context, context.wait(self._checked(context, arguments)))

    async def _call(self, context: ToolContext, arguments: Mapping[str, Any]) -> Any:
        return await self._inner.call(context, await self._checked(context, arguments))

    async def _checked(self, context: ToolContext, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments to run with.

        Raises:
            ToolError: It may not run.
        """
        looked = _looked(self._tool.name, arguments)
        at_once = judge_at_once(self._guards, looked)
        judged = at_once or await judge(self._guards, looked)
        if judged.blocked is not None:
            raise ToolError(f"blocked by a guardrail: {judged.blocked}")
        if judged.asks is not None and not (at_once is not None and _is_asked_before(at_once)):
            await self._ask(context, judged)
        return arguments if judged.rewritten is None else self._inner.parse(judged.looked.text)

    async def _ask(self, context: ToolContext, judged: Judged) -> None:
        question = Question(
            key="", purpose="approval", tool=self._tool.name, arguments=judged.looked.text, text=judged.asks
        )
        answer = await context.ask_as(question)
        if answer.decision != "approve":
            said = "denied by the user" if answer.decision == "deny" else "not approved"
            raise ToolError(f"{said}: {answer.reason}" if answer.reason else said)


def _looked(tool: str, arguments: Mapping[str, Any]) -> Looked:
    return Looked(where="call", text=json_text(arguments), tool=tool, arguments=dict(arguments))


def _is_asked_before(judged: Judged) -> bool:
    """Whether it is asked as an approval is: then what is shown is what the model called, and what runs."""
    return judged.asks is not None and judged.blocked is None and judged.rewritten is None
