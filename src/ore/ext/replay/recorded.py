"""`Recorded`: a stored conversation as a model, and its results as tools."""

from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from ore.artifact import ToolCall, ToolResult
from ore.errors import ProtocolError, ToolError
from ore.ledger import Role, State, Turn
from ore.models import Spec
from ore.provider import BATCH_LIMIT, Batch, Option
from ore.tool import Tool, ToolBody, ToolContext, Traits

__all__ = ["Recorded", "recorded_tool"]


class Recorded:
    """A provider that answers as it was answered: each inference takes the next assistant turn.

    Args:
        turns: The conversation.
    """

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._answers = [turn for turn in turns if turn.role is Role.ASSISTANT]
        self._next = 0

    @property
    def name(self) -> str:
        """`recorded`."""
        return "recorded"

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        """Play the next answer.

        Raises:
            ProtocolError: There is none left.
        """
        if self._next >= len(self._answers):
            raise ProtocolError(
                f"the conversation has {len(self._answers)} answers, and another one was asked for", provider=self.name
            )
        artifacts = self._answers[self._next].artifacts
        self._next += 1
        for start in range(0, len(artifacts), BATCH_LIMIT):
            yield artifacts[start : start + BATCH_LIMIT]


class _Results:
    """What calls came to; equal calls in the order in which they were made."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._of: dict[tuple[str, str], list[ToolResult]] = {}
        self._used: Counter[tuple[str, str]] = Counter()
        for place, turn in enumerate(turns):
            results = [one for one in turns[place + 1].artifacts] if turn.calls and place + 1 < len(turns) else []
            for call, result in zip(turn.calls, results, strict=False):
                if isinstance(result, ToolResult):
                    self._of.setdefault(_key(call.name, call.arguments), []).append(result)

    def next(self, call: ToolCall) -> ToolResult:
        """What this call came to.

        Raises:
            ToolError: No such call was made, or not so often.
        """
        key = _key(call.name, call.arguments)
        results, used = self._of.get(key, []), self._used[key]
        if used >= len(results):
            raise ToolError(f"nothing was recorded for this call of {call.name!r}")
        self._used[key] += 1
        return results[used]


def recorded_tool(tool: Tool, results: "_Results") -> Tool:
    """The tool with the same face, which gives what was recorded and does nothing."""
    traits = Traits(alone=tool.traits.alone, read_only=True, display_hint=tool.traits.display_hint)
    return replace(tool, body=_Body(tool.body, results), traits=traits)


def results_of(turns: Sequence[Turn]) -> _Results:
    """What the calls of a conversation came to."""
    return _Results(turns)


class _Body:
    def __init__(self, body: ToolBody, results: _Results) -> None:
        self._body = body
        self._results = results

    @property
    def schema(self) -> Mapping[str, Any]:
        return self._body.schema

    @property
    def blocking(self) -> bool:
        return False

    def parse(self, arguments: str) -> Mapping[str, Any]:
        return {}

    async def call(self, context: ToolContext, arguments: Mapping[str, Any]) -> Any:
        result = self._results.next(context.call)
        if result.is_error:
            raise ToolError("it failed when it was recorded", result=_Said(result.content))
        return _Said(result.content)


class _Said:
    """A result as it was, byte for byte."""

    def __init__(self, content: str) -> None:
        self._content = content

    def for_model(self) -> str:
        return self._content


def _key(name: str, arguments: str) -> tuple[str, str]:
    try:
        return name, msgspec.json.encode(msgspec.json.decode(arguments or "{}"), order="deterministic").decode()
    except (msgspec.DecodeError, UnicodeError):
        return name, arguments
