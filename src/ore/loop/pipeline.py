"""`Pipeline`: one inference, from a provider's batches to complete artifacts."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from ore.artifact import Artifact, Block, Blocks, Delta, Notice, Restart, ToolCall, clean, display_text
from ore.errors import OreError, ProtocolError
from ore.event import CURRENT, Lifecycle, TurnRestarted
from ore.ledger import State
from ore.loop.event_bus import EventBus
from ore.models import Spec
from ore.provider import BATCH_LIMIT, Option, Provider, invoked, misfit, tools_of
from ore.tool import Tool

__all__ = ["Pipeline"]

log = logging.getLogger(__name__)

CLOCK_AFTER: Final = 8
"""Artifacts after which a turn that never waits looks whether it is time to let others run."""


class Pipeline:
    """Publishes what a provider streams as it comes, and folds it.

    It never touches the ledger: `artifacts` is what there is so far, also
    after an error or a cancellation.

    Args:
        bus: Where fragments and complete artifacts go.
        turn_id: Id of the turn in the making; the blocks' ids begin with it.
    """

    __slots__ = (
        "_began",
        "_blocks",
        "_bus",
        "_cancels",
        "_ending",
        "_hints",
        "_task",
        "artifacts",
        "context",
        "first_seconds",
        "model",
        "seconds",
        "started",
        "turn_id",
    )

    def __init__(self, bus: EventBus, turn_id: str) -> None:
        self._bus = bus
        self.context = CURRENT.get()
        """The envelope of what it publishes."""
        self._task = asyncio.current_task()
        self._cancels = self._task.cancelling() if self._task is not None else 0
        self._ending = False
        self.turn_id = turn_id
        self.started = False
        """Whether something of the answer arrived; a notice is none of it."""
        self._hints: Mapping[str, Tool] = {}
        self._blocks = Blocks(turn_id, self._publish, publish_run=self._publish_run)
        self.artifacts: Sequence[Artifact] = ()
        self.model: str | None = None
        """Who answers now, when that changed on the way."""
        self._began = 0.0
        self.first_seconds: float | None = None
        """Seconds until something of the answer arrived; `None` when nothing did."""
        self.seconds: float | None = None
        """Seconds until the answer was over, however it ended; `None` when nobody was asked."""

    async def run(self, provider: Provider, view: State, spec: Spec, options: Sequence[Option]) -> None:
        """Stream one answer to its end.

        Raises:
            ProtocolError: The provider answered without a single artifact.
            asyncio.CancelledError: Also when the provider swallowed it, or
                made another error of it.
        """
        tools = tools_of(options)
        if tools:
            self._hints = {tool.name: tool for tool in tools if tool.traits.display_hint is not None}
        self._blocks.finish = self._finish if self._hints else None
        complete = False
        self._began = self._bus.fan_out.begin()
        try:
            await self._stream(provider, view, spec, options)
            if not self.started:
                raise ProtocolError("expected at least one artifact in the answer, got none", provider=provider.name)
            complete = True
        except Exception as error:
            if self._cancelled:
                raise asyncio.CancelledError("cancelled; the provider made an error of it") from error
            if not isinstance(error, OreError):
                error.add_note(f"provider {provider.name!r}: expected a ProviderError of a call that failed")
            raise
        finally:
            self._ending = True
            self.seconds = time.monotonic() - self._began
            self.artifacts = self._blocks.close() if complete else _without_half_calls(self._blocks.cut())
            fault = self._blocks.fault
            self._task = None
            del self._blocks  # they refer back to this: nothing of an answer is left to the collector
        if fault is not None:
            raise ProtocolError(
                f"the fragments of an answer do not fit together: {type(fault).__name__}", provider=provider.name
            ) from fault

    async def _stream(self, provider: Provider, view: State, spec: Spec, options: Sequence[Option]) -> None:
        fan_out, task, cancels, clock = self._bus.fan_out, self._task, self._cancels, time.monotonic
        batches = invoked(provider, view, spec, options)
        since = 0
        try:
            async for batch in batches:
                try:
                    count = len(batch)
                    self._take_all(batch, count)
                except (AttributeError, LookupError, TypeError) as error:
                    raise misfit(provider, batch) or error from None
                if task is not None and task.cancelling() > cancels:
                    raise asyncio.CancelledError("cancelled while the provider went on")
                since += count
                if since < CLOCK_AFTER and fan_out.rest_at_s and not fan_out.brake.on:
                    continue
                since = 0
                if count >= BATCH_LIMIT or fan_out.brake.on or clock() >= fan_out.rest_at_s:
                    await fan_out.flow()
        finally:
            await batches.aclose()
        if task is not None and task.cancelling() > cancels:
            raise asyncio.CancelledError("cancelled while the provider ended")

    @property
    def _cancelled(self) -> bool:
        """Whether somebody cancelled the running task since this was made."""
        return self._task is not None and self._task.cancelling() > self._cancels

    def _take_all(self, batch: Sequence[Artifact], count: int) -> None:
        blocks, place = self._blocks, 0
        while place < count:
            artifact, last, taken = batch[place], blocks.last, 0
            if last is not None and place + 1 < count and type(artifact) is last.kind:
                taken = blocks.add_run(batch, place)
            if not taken:
                if not self.started and type(artifact) is not Notice:
                    self._start(artifact)
                if type(artifact) is Restart:
                    self._restart(artifact)
                else:
                    blocks.add(artifact)
            place += taken or 1

    def _start(self, artifact: Artifact) -> None:
        if type(artifact) is not Restart:
            self.started = True
            self.first_seconds = time.monotonic() - self._began
            self._bus.emit(Lifecycle(phase="streaming"), context=self.context)

    def _restart(self, restart: Restart) -> None:
        self._blocks.restart()
        self.context = msgspec.structs.replace(self.context, attempt=restart.attempt)
        self.model = restart.model or self.model
        self._bus.emit(TurnRestarted(attempt=restart.attempt), context=self.context)

    def _publish(self, artifact: Artifact, block: Block | None) -> None:
        if self._ending and self._bus.closed:  # what was seen is kept, though nobody sees the rest
            return
        if block is None:
            self._bus.emit(artifact, context=self.context)
            return
        note = block.note
        context = msgspec.structs.replace(self.context, block=block.id) if note is None else note.context
        self._bus.emit(artifact, block=block, context=context)

    def _publish_run(self, run: Sequence[Delta], block: Block) -> None:
        self._bus.emit_run(run, block)

    def _finish(self, artifact: Artifact) -> Artifact:
        """Put the display hint on a complete call before anyone sees it."""
        if not isinstance(artifact, ToolCall) or artifact.display is not None:
            return artifact
        tool = self._hints.get(artifact.name)
        display = _display(tool, artifact.arguments) if tool else None
        return artifact if display is None else msgspec.structs.replace(artifact, display=display)


def _without_half_calls(artifacts: Sequence[Artifact]) -> Sequence[Artifact]:
    """What a cut answer keeps: a call is half when its arguments are, also where something closed it before the end."""
    return [one for one in artifacts if not isinstance(one, ToolCall) or _is_whole(one.arguments)]


def _is_whole(arguments: str) -> bool:
    try:
        return isinstance(msgspec.json.decode(clean(arguments).encode() or b"{}"), dict)
    except (msgspec.DecodeError, RecursionError):
        return False


def _display(tool: Tool, arguments: str) -> str | None:
    hint: Callable[[Mapping[str, Any]], Any] | None = tool.traits.display_hint
    try:
        values = msgspec.json.decode(clean(arguments).encode() or b"{}")
    except (msgspec.DecodeError, RecursionError):
        return None
    if hint is None or not isinstance(values, dict):
        return None
    try:
        return display_text(hint(values))
    except Exception:
        log.exception("the display hint of tool %r failed; its calls are shown plainly", tool.name)
        return None
