"""`Step`: exactly one inference turn, observable and lossless."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ore.artifact import Artifact, Reasoning, Text, ToolResult
from ore.errors import describe
from ore.event import Emitter, ErrorEvent, Event, Lifecycle, Span, Tracer, current_context
from ore.ledger import (
    Control,
    Draft,
    EffectRecord,
    Journal,
    Operation,
    Record,
    Role,
    State,
    Turn,
    TurnStatus,
    new_turn_id,
    unanswered,
)
from ore.loop.event_bus import EventBus
from ore.loop.handler import Finisher, Handler, Preparer, Resumer
from ore.loop.hooks import Before, Transform
from ore.loop.pipeline import Pipeline
from ore.loop.recorder import Recorder, Reserved
from ore.loop.repair import CANCELLED, LOST, results_for
from ore.loop.reporting import mark_reported
from ore.loop.subscription import Policy, Subscription
from ore.loop.tracing import asked, told
from ore.loop.turn_emitter import TurnEmitter
from ore.models import Spec, merge
from ore.provider import Option, Provider, ToolsOption, ViewOption, WithTools

__all__ = ["Step", "StepHooks"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepHooks:
    """What runs around an inference, each kind in order.

    Attributes:
        before: Called when an inference is about to begin.
        transforms: Change what the provider sees.
        handlers: See what came of it.
        tracer: Makes spans.
    """

    before: Sequence[Before] = ()
    transforms: Sequence[Transform] = ()
    handlers: Sequence[Handler | Preparer | Finisher] = ()
    tracer: Tracer | None = None


class Step:
    """One inference at a time over a ledger.

    Args:
        state: The ledger that it is bound to; any other is refused. `None`
            takes whatever each call brings.
        bus: Where events go; its own without one.
        journal: Makes records durable; without one nothing is written.
        hooks: What runs around an inference.
        options: Options for every inference, before those of a call.
        spec: What holds where a call has no opinion.
    """

    def __init__(
        self,
        state: State | None = None,
        *,
        bus: EventBus | None = None,
        journal: Journal | None = None,
        hooks: StepHooks | None = None,
        options: Sequence[Option] = (),
        spec: Spec | None = None,
    ) -> None:
        hooks = hooks or StepHooks()
        self.bus = bus or EventBus()
        self._recorder = Recorder(self.bus, state, journal)
        self._before = tuple(hooks.before)
        self._transforms = tuple(hooks.transforms)
        self._handlers = tuple(hooks.handlers)
        self._handling = tuple([handler for handler in self._handlers if hasattr(handler, "handle")])
        self._preparers = tuple([handler for handler in self._handlers if hasattr(handler, "prepare")])
        self._finishers = tuple([handler for handler in self._handlers if hasattr(handler, "finish")])
        self._options = tuple(options)
        self._spec = spec
        self._tracer = hooks.tracer
        self._pipeline: Pipeline | None = None

    @property
    def phase(self) -> str:
        """`streaming` once the running inference has answered, else `submitted`."""
        return "streaming" if self._pipeline is not None and self._pipeline.started else "submitted"

    async def turn(self, state: State, spec: Spec, provider: Provider, *options: Option) -> Turn:
        """Ask `provider` once and return the turn that was recorded.

        Calls without a result get one first. An answer that is cut keeps what
        was seen of it, as an `interrupted` or `failed` turn.

        Raises:
            ProviderError: The call failed; one `error` event said so.
            StoreError: The turn could not be made durable.
            asyncio.CancelledError: It was cut; what was seen is recorded.
        """
        base = self._recorder.check(state)
        merged = merge(self._spec, spec) if self._spec else spec
        if self._tracer is None:
            return await self._turn(state, base, merged, provider, options, None)
        with self._tracer.span("loop.turn", **asked(provider.name, merged)) as span:
            return await self._turn(state, base, merged, provider, options, span)

    async def resume(self, state: State, effects: Mapping[str, EffectRecord]) -> None:
        """Answer the calls that an earlier process left open in the last turn, as far as its records say.

        Args:
            state: The ledger.
            effects: What is known of the calls, by their keys.

        Raises:
            StoreError: The results could not be made durable.
        """
        left = unanswered(state.base.turns)
        if not left:
            return
        emitter = TurnEmitter(self._recorder, state.base, _resolved(self._options, _view(self._transforms, state)))
        for handler in self._handlers:
            if isinstance(handler, Resumer):
                await handler.resume(left[0].turn, emitter, effects)
        await self.answer_all(state, results_for(state.base.turns, LOST, effects))

    async def submit(self, state: State, role: Role, *artifacts: Artifact) -> Turn:
        """Record a turn without inference, and run the handlers over it.

        Raises:
            StoreError: The turn could not be made durable.
            Exception: A handler failed; the turn stands.
        """
        base = self._recorder.check(state)
        if role in (Role.USER, Role.ASSISTANT):
            await self._repair(base)
        turn = await self.record(Draft(role=role, artifacts=artifacts), into=state)
        options = _resolved(self._options, state) if turn.calls else self._options
        await self._handle(turn, TurnEmitter(self._recorder, base, options))
        return turn

    async def observe(self, turn: Turn) -> None:
        """Run the handlers over a turn that `record` added.

        Raises:
            Exception: A handler failed; the turn stands.
        """
        await self._handle(turn, TurnEmitter(self._recorder, self._recorder.check(None), self._options))

    async def record(self, draft: Draft, *records: Record, into: State | None = None) -> Turn:
        """Add a turn to the ledger: the one way into history.

        It gets its id, its parent and its time; the journal makes it durable
        with `records` in the same append; then, at once, it stands in the
        ledger, callbacks have seen it, and `turn_complete` is in the log. A
        cancellation is raised only after that.

        Args:
            draft: The turn.
            records: More facts for the same append.
            into: The ledger; a bound Step needs none.

        Raises:
            StoreError: The journal failed; the turn is nowhere.
        """
        return await self._recorder.record(draft, records, base=self._recorder.check(into))

    def reserve(self, draft: Draft, *records: Record) -> Reserved | None:
        """Give a turn its place, for whoever makes it durable in another way than the journal.

        Args:
            draft: The turn.
            records: More facts that go with it.

        Returns:
            `None` while another turn is being recorded.

        Raises:
            InputError: The ledger would refuse it.
        """
        return self._recorder.reserve(draft, records, base=self._recorder.check(None))

    async def set_metadata(self, operations: Sequence[Operation], *, into: State | None = None) -> None:
        """Change facts of the conversation, durably, and tell everybody in one `properties` event.

        Raises:
            StoreError: The journal failed; nothing changed.
        """
        await self._recorder.set_metadata(operations, into=into)

    def emit(self, event: Event | Artifact, *, value: Any = None) -> None:
        """Publish an event; never waits.

        A `turn_complete` whose turn is not in the ledger yet is appended
        there, without durability: with a journal that is refused.

        Raises:
            SessionClosedError: The bus is closed.
            RuntimeError: A journal is set; use `record`.
        """
        self._recorder.emit(event, value=value)

    def subscribe(
        self, *kinds: str, after: str | None = None, policy: Policy = "coalesce", deltas: bool = True
    ) -> Subscription:
        """Read events; see `EventBus.subscribe`."""
        return self.bus.subscribe(*kinds, after=after, policy=policy, deltas=deltas)

    def close(self) -> None:
        """End every subscription behind its last event; closing twice is fine."""
        self.bus.close()

    async def answer_all(self, state: State, results: Sequence[ToolResult]) -> None:
        """Record the results of the open calls of the last turn, in call order."""
        if results:
            await self.record(Draft(role=Role.TOOL, artifacts=tuple(results)), into=state)

    async def _turn(
        self, state: State, base: State, spec: Spec, provider: Provider, options: Sequence[Option], span: Span | None
    ) -> Turn:
        self._pipeline = pipeline = Pipeline(self.bus, new_turn_id())
        if base.tip != self._recorder.whole:
            await self._repair(base)
        for hook in self._before:
            await hook(base)
        self.bus.emit(Lifecycle(phase="submitted"), context=pipeline.context)
        try:
            turn, emitter = await self._infer(pipeline, (state, base), spec, provider, (*self._options, *options))
        finally:
            if span is not None:
                told(span, pipeline)
        await self._handle(turn, emitter)
        return turn

    async def _repair(self, base: State) -> None:
        results = results_for(base.turns, LOST)
        if results:
            await self.answer_all(base, results)

    async def _infer(
        self, pipeline: Pipeline, over: tuple[State, State], spec: Spec, provider: Provider, options: Sequence[Option]
    ) -> tuple[Turn, Emitter]:
        """Ask, and record what came of it; `over` is what is asked about and the ledger under it."""
        state, base = over
        failure: Exception | asyncio.CancelledError | None = None
        resolved: Sequence[Option] = ()
        model = f"{provider.name}:{spec.name}" if spec.name else provider.name
        records: tuple[Record, ...] = ()
        try:
            view = _view(self._transforms, state) if self._transforms else state
            resolved = _resolved(options, view)
            if self._transforms:
                resolved = (*resolved, ViewOption(partial(_view, self._transforms, state)))
            await pipeline.run(provider, view, spec, resolved)
            draft = _draft(pipeline, None, model)
            for preparer in self._preparers:
                records += tuple(preparer.prepare(draft, resolved))
        except (Exception, asyncio.CancelledError) as error:
            failure = error
            draft = _draft(pipeline, failure, model)
        try:
            if failure is None or draft.artifacts:
                turn = await self._recorder.record(draft, records, base=base)
        except (Exception, asyncio.CancelledError) as error:
            failure = _graver(error, failure)
        if failure is not None:
            await self._cut(base, failure)
            raise failure
        return turn, TurnEmitter(self._recorder, base, resolved)

    async def _cut(self, base: State, failure: Exception | asyncio.CancelledError) -> None:
        """Answer what calls there were, and say once why it ended."""
        cancelled = isinstance(failure, asyncio.CancelledError)
        try:
            await self.answer_all(base, results_for(base.turns, CANCELLED if cancelled else LOST))
        except Exception:
            log.exception("the calls of a turn that was cut got no results; the next turn gives them some")
        if not cancelled and not self.bus.closed:
            self.bus.emit(ErrorEvent.of(describe(failure)))
            mark_reported(failure, current_context().message)

    async def _handle(self, turn: Turn, emitter: Emitter) -> None:
        if self._handling:
            for artifact in turn.artifacts:
                for handler in self._handling:
                    await handler.handle(artifact, emitter)
        for finisher in self._finishers:
            await finisher.finish(turn, emitter)


def _view(transforms: Sequence[Transform], state: State) -> State:
    """What a provider gets to see."""
    for transform in transforms:
        state = transform(state)
    return state


def _resolved(options: Sequence[Option], view: State) -> tuple[Option, ...]:
    """Options with the tools of this turn, looked up once."""
    if ToolsOption not in map(type, options):
        return tuple(options)
    return tuple([WithTools(tuple(item.resolve(view))) if type(item) is ToolsOption else item for item in options])


def _graver(error: Exception | asyncio.CancelledError, failure: BaseException | None) -> Any:
    """What a turn ends with that already failed, or not, and then could not be recorded."""
    if isinstance(failure, asyncio.CancelledError) and not isinstance(error, asyncio.CancelledError):
        log.error("a cancelled turn could not be recorded", exc_info=error)
        return failure
    error.__cause__ = error.__cause__ or failure
    return error


def _draft(pipeline: Pipeline, failure: BaseException | None, model: str | None) -> Draft:
    artifacts = tuple(pipeline.artifacts)
    status = TurnStatus.COMPLETE
    if failure is not None:
        cancelled = isinstance(failure, asyncio.CancelledError)
        status = TurnStatus.INTERRUPTED if cancelled else TurnStatus.FAILED
    return Draft(
        id=pipeline.turn_id,
        role=Role.ASSISTANT,
        artifacts=artifacts,
        status=status,
        control=Control.CONTINUE if _sendable(artifacts) else Control.SKIP,
        model=pipeline.model or model,
    )


def _sendable(artifacts: Sequence[Artifact]) -> bool:
    """Whether a model can get something of it; accounts and notices do not count."""
    for artifact in artifacts:
        if isinstance(artifact, Text | Reasoning):
            if artifact.provider_data is not None or (artifact.content and not isinstance(artifact, Reasoning)):
                return True
        elif artifact.sendable:
            return True
    return False
