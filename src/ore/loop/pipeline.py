"""`Pipeline`: one inference, from a provider's batches to complete artifacts."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any

import msgspec

from ore.artifact import Artifact, Block, Blocks, Restart, ToolCall, clean, display_text
from ore.errors import ProtocolError
from ore.event import CURRENT, EventContext, Lifecycle, TurnRestarted
from ore.ledger import State
from ore.loop.event_bus import EventBus
from ore.models import Spec
from ore.provider import BATCH_LIMIT, Option, Provider, tools_of
from ore.tool import Tool

__all__ = ["Pipeline"]

log = logging.getLogger(__name__)


class Pipeline:
    """Publishes what a provider streams as it comes, and folds it.

    It never touches the ledger: `artifacts` is what there is so far, also
    after an error or a cancellation.

    Args:
        bus: Where fragments and complete artifacts go.
        turn_id: Id of the turn in the making; the blocks' ids begin with it.
    """

    __slots__ = ("_blocks", "_bus", "_context", "_contexts", "_hints", "artifacts", "model", "started")

    def __init__(self, bus: EventBus, turn_id: str) -> None:
        self._bus = bus
        self._context = CURRENT.get()
        self._contexts: dict[str, EventContext] = {}
        self.started = False
        self._hints: Mapping[str, Tool] = {}
        self._blocks = Blocks(turn_id, self._publish, finish=self._finish)
        self.artifacts: Sequence[Artifact] = ()
        self.model: str | None = None
        """Who answers now, when that changed on the way."""

    async def run(self, provider: Provider, view: State, spec: Spec, options: Sequence[Option]) -> None:
        """Stream one answer to its end.

        Raises:
            ProtocolError: The provider answered without a single artifact.
            asyncio.CancelledError: Also when the provider swallowed it.
        """
        tools = tools_of(options)
        self._hints = {tool.name: tool for tool in tools if tool.traits.display_hint is not None}
        task = asyncio.current_task()
        complete = False
        try:
            async with aclosing(provider.invoke(view, spec, *options)) as batches:
                async for batch in batches:
                    for artifact in batch:
                        self._take(artifact)
                    if task is not None and task.cancelling():
                        raise asyncio.CancelledError("cancelled while the provider went on")
                    await self._bus.flow(full=len(batch) >= BATCH_LIMIT)
            if task is not None and task.cancelling():
                raise asyncio.CancelledError("cancelled while the provider ended")
            complete = True
        finally:
            self.artifacts = self._blocks.close() if complete else self._blocks.cut()
        if not self.started:
            raise ProtocolError("expected at least one artifact in the answer, got none", provider=provider.name)

    def _take(self, artifact: Artifact) -> None:
        if not self.started:
            self.started = True
            self._bus.emit(Lifecycle(phase="streaming"))
        if type(artifact) is Restart:
            self._restart(artifact)
        else:
            self._blocks.add(artifact)

    def _restart(self, restart: Restart) -> None:
        self._blocks.restart()
        self._contexts.clear()
        self._context = msgspec.structs.replace(self._context, attempt=restart.attempt)
        self.model = restart.model or self.model
        self._bus.emit(TurnRestarted(attempt=restart.attempt), context=self._context)

    def _publish(self, artifact: Artifact, block: Block | None) -> None:
        if block is None:
            self._bus.emit(artifact, context=self._context)
            return
        context = self._contexts.get(block.id)
        if context is None:
            context = self._contexts[block.id] = msgspec.structs.replace(self._context, block=block.id)
        self._bus.emit(artifact, block=block, context=context)

    def _finish(self, artifact: Artifact) -> Artifact:
        """Put the display hint on a complete call before anyone sees it."""
        if not isinstance(artifact, ToolCall) or artifact.display is not None:
            return artifact
        tool = self._hints.get(artifact.name)
        display = _display(tool, artifact.arguments) if tool else None
        return artifact if display is None else msgspec.structs.replace(artifact, display=display)


def _display(tool: Tool, arguments: str) -> str | None:
    hint: Callable[[Mapping[str, Any]], Any] | None = tool.traits.display_hint
    try:
        values = msgspec.json.decode(clean(arguments).encode() or b"{}")
    except msgspec.DecodeError:
        return None
    if hint is None or not isinstance(values, dict):
        return None
    try:
        return display_text(hint(values))
    except Exception:
        log.exception("the display hint of tool %r failed; its calls are shown plainly", tool.name)
        return None
