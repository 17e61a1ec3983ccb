"""Faults on purpose: what an agent does when its model or a tool misbehaves."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, Literal

import msgspec

from ore.artifact import Artifact, StopReason, ToolCall, ToolCallDelta, Usage
from ore.errors import InputError, ProtocolError, ProviderError
from ore.ext.replay.codes import provider_errors
from ore.ledger import State
from ore.models import Spec
from ore.provider import Batch, Option, Provider
from ore.tool import Tool, ToolBody, ToolContext

__all__ = ["Fault", "Faulty", "slow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What goes wrong in one inference.

    Attributes:
        kind: `cut` ends the stream without an end, `bad_json` breaks the
            arguments of its calls, `error` fails with `code`.
        after: Artifacts that still come before `cut` or `error`; all that there are where there are fewer.
        code: Of the error, such as `rate_limit`.
        retry_after_s: What the error asks to wait.

    Raises:
        InputError: No model call fails with this code.
    """

    kind: Literal["cut", "bad_json", "error"]
    after: int = 0
    code: str = "rate_limit"
    retry_after_s: float | None = None

    def __post_init__(self) -> None:
        known = provider_errors()
        if self.kind not in ("cut", "bad_json", "error"):
            raise InputError(f"fault: expected cut, bad_json or error, got {self.kind!r}")
        if self.code not in known:
            raise InputError(f"fault: expected one of {', '.join(sorted(known))}, got {self.code!r}")

    def error(self, provider: str) -> ProviderError:
        """What is raised."""
        if self.kind == "cut":
            return ProtocolError("the answer ended before its end, on purpose", provider=provider)
        kind = provider_errors()[self.code]
        return kind("failed on purpose", provider=provider, retry_after_s=self.retry_after_s)


class Faulty:
    """A provider in whose inferences something goes wrong.

    Args:
        provider: Who answers.
        faults: What goes wrong, by the number of the inference, from 1.
    """

    def __init__(self, provider: Provider, faults: Mapping[int, Fault]) -> None:
        self._provider = provider
        self._faults = dict(faults)
        self._count = 0

    @property
    def name(self) -> str:
        """The name of who answers."""
        return self._provider.name

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        """Stream the answer, as far as it goes well.

        Raises:
            ProviderError: What was asked for.
        """
        self._count += 1
        fault = self._faults.get(self._count)
        left = fault.after if fault is not None and fault.kind != "bad_json" else None
        if fault is not None and left == 0:
            raise fault.error(self.name)
        async with aclosing(self._provider.invoke(state, spec, *options)) as batches:
            async for batch in batches:
                if fault is None:
                    yield batch
                    continue
                shown = [_broken(one) for one in batch] if left is None else _before_the_end(batch)[:left]
                if shown:
                    yield shown
                if left is not None:
                    left -= len(shown)
                    if left <= 0 or len(shown) < len(batch):
                        raise fault.error(self.name)
        if fault is not None and left is not None:  # it ended before so many came
            raise fault.error(self.name)


def slow(tool: Tool, delay_s: float) -> Tool:
    """The tool, but each call takes so much longer; a call ends at its limit of time all the same."""
    return replace(tool, body=_Slow(tool.body, delay_s))


class _Slow:
    def __init__(self, body: ToolBody, delay_s: float) -> None:
        self._body = body
        self._delay_s = delay_s

    @property
    def schema(self) -> Mapping[str, Any]:
        return self._body.schema

    @property
    def blocking(self) -> bool:
        return False

    def parse(self, arguments: str) -> Mapping[str, Any]:
        return self._body.parse(arguments)

    async def call(self, context: ToolContext, arguments: Mapping[str, Any]) -> Any:
        await asyncio.sleep(self._delay_s)
        if self._body.blocking:
            return await asyncio.to_thread(self._body.call, context, arguments)
        return await self._body.call(context, arguments)


def _before_the_end(batch: Batch) -> Batch:
    return [artifact for artifact in batch if not isinstance(artifact, StopReason | Usage)]


def _broken(artifact: Artifact) -> Artifact:
    """A call whose arguments end too early."""
    if isinstance(artifact, ToolCall | ToolCallDelta) and artifact.arguments:
        return msgspec.structs.replace(artifact, arguments=artifact.arguments.rstrip()[:-1] + "\x00")
    return artifact
