"""`Core`: a session's inside, shared by its front (`Stream`) and its worker."""

from collections.abc import Awaitable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ore._aio import Ready
from ore.agent import AgentSpec
from ore.artifact import Artifact
from ore.calls import CallHandler, CallHost
from ore.event import CURRENT, Event, EventContext, Snapshot, content_of
from ore.ledger import (
    Draft,
    EffectRecord,
    EndingRecord,
    Outcome,
    QuestionRecord,
    Record,
    Role,
    State,
    StoredThread,
    TakenRecord,
    Thread,
    Writer,
)
from ore.loop import EventBus, Step, StepHooks
from ore.models import Spec, merge, spec_from_metadata
from ore.provider import Option, OutputOption, Provider, ToolsOption
from ore.session.children import ChildSessions
from ore.session.intercept import intercepted
from ore.session.item import Item
from ore.session.journal import SessionJournal
from ore.session.kit import Kit
from ore.session.latch import Latch
from ore.session.line import drop, queue_of, steering
from ore.session.outcome import ended_before
from ore.session.questions import Questions

if TYPE_CHECKING:
    from ore.session.stream import Stream

__all__ = ["NOBODY", "Core", "is_untouched", "let_go"]

NOTHING: Final[Mapping[str, Any]] = {}
NOBODY: Final[frozenset[str]] = frozenset()


class Core:
    """The parts of one session; nothing here is public.

    Attributes:
        thread: The ledger; the same object for as long as the session lives.
        waiting: Messages that have not begun, in order.
        intake: Those of them that are not durable yet.
        gone: Messages taken out of the queue since the store was last asked for the next one.
        running: The message that runs.
        stream: The session's front, while a message runs.
        epoch: The first half of event ids: at least that of the next owner.
        closed: Nothing is taken in any more.
        shut: Made when it closes, and set when nothing goes on any more either.
        leaving: The process shuts down: what runs is cut and goes on elsewhere.
        effects: What the store knew of calls when the session was loaded.
        started: The last turn of unfinished messages at that time.
        writes: How many things outside any message are being written.
    """

    __slots__ = (
        "_asked",
        "_bus",
        "_number",
        "_questions",
        "_quiet",
        "_step",
        "agent",
        "calls",
        "closed",
        "effects",
        "epoch",
        "gone",
        "id",
        "intake",
        "journal",
        "kit",
        "leaving",
        "running",
        "shut",
        "started",
        "stream",
        "thread",
        "waiting",
        "writes",
    )

    def __init__(self, kit: Kit, stored: StoredThread) -> None:
        self.stream: Stream | None = None
        self.kit = kit
        self.id = stored.id
        self.epoch = stored.epoch + 1
        self.thread = Thread(stored.turns, tip=stored.tip, meta=stored.metadata)
        self.journal = SessionJournal(self, stored.sequence)
        self.agent: AgentSpec | None = None
        self.effects: Mapping[str, EffectRecord] = stored.effects or NOTHING
        self.started: Mapping[str, str] = stored.started or NOTHING
        self.waiting: Sequence[Item] = ()
        self.intake: Sequence[Item] = ()
        self.gone = NOBODY
        self.running: Item | None = None
        self.closed = False
        self.leaving = False
        self.shut: Latch[None] | None = None
        self._asked: Mapping[str, QuestionRecord] = stored.questions or NOTHING
        self._questions: Questions | None = None
        self._number = 0
        self.writes = 0
        self._quiet: Latch[None] | None = None
        self.calls: CallHandler | None = None
        self._bus: EventBus | None = None
        self._step: Step | None = None

    @property
    def bus(self) -> EventBus:
        """The events; made on first use."""
        if self._bus is None:
            on_emit = self.kit.on_emit
            self._bus = EventBus(
                on_emit=on_emit(self.id) if on_emit else (),
                window_bytes=self.kit.limits.window_bytes,
                snapshot=self.snapshot,
                epoch=self.epoch,
                on_expire=self.trim,
                idle_s=self.kit.limits.window_s,
            )
            self._bus.fan_out.last = self._bus.fan_out.floor = self._number  # where a window that went had come to
        return self._bus

    @property
    def step(self) -> Step:
        """The loop; made on first use, with the agent's parts."""
        if self._step is None:
            self._step = self._make_step()
        return self._step

    @property
    def questions(self) -> Questions:
        """What waits for people; made on first use."""
        if self._questions is None:
            services = self.kit.services
            self._questions = Questions(services.asking, self.journal, self.emit, services.clock)
            self._questions.load(self._asked)
            self._questions.keep_open = self._stays_open
            self._asked = NOTHING
        return self._questions

    @property
    def phase(self) -> str:
        """`idle`, `queued`, `submitted`, `streaming`, `tools`, `waiting` or `closing`."""
        if self.closed:
            return "closing"
        if self.running is None:
            return "queued" if self.waiting else "idle"
        if self.questions.waited_for:
            return "waiting"
        if self.calls is not None and self.calls.running:
            return "tools"
        return "queued" if self.running.ends is None else self.step.phase

    def the_agent(self) -> AgentSpec:
        """The agent; a session without one is not in use yet."""
        if self.agent is None:
            raise RuntimeError("expected an agent: the session is still being made")
        return self.agent

    def spec(self) -> Spec:
        """How the next inference is asked: the agent's spec, then the session's facts."""
        spec, meta = self.the_agent().spec, self.thread.meta
        return merge(spec, spec_from_metadata(meta.all())) if meta else spec

    def provider(self) -> tuple[Provider, Spec]:
        """Who answers the next message, and how."""
        spec = self.spec()
        agent = self.the_agent()
        if spec.name is None or spec.name == agent.spec.name or self.kit.services.resolve is None:
            return agent.provider, spec
        provider, name = self.kit.services.resolve(spec.name)
        return provider, msgspec.structs.replace(spec, name=name)

    def emit(self, event: Event | Artifact, context: EventContext) -> None:
        """Publish, unless nobody can be listening any more."""
        bus = self.bus
        if not bus.fan_out.closed:
            bus.emit(event, context=context)

    def snapshot(self, cursor: str) -> Snapshot:
        """The session at this moment."""
        told = self.bus.fan_out.unrecorded()
        return Snapshot(
            id=cursor,
            turns=self.thread.turns,
            metadata=self.thread.meta.all(),
            phase=self.phase,
            queue=queue_of(self.running, self.waiting),
            questions=self.questions.open,
            blocks=(*told.blocks, *self.bus.fan_out.blocks),
            activities=told.activities,
        )

    @property
    def current(self) -> Item | None:
        """The message that runs, or that has begun and comes next."""
        return self.running or next((item for item in self.waiting if item.has_begun), None)

    @property
    def works(self) -> bool:
        """Whether the worker shall go on: a closed session still ends what had begun, unless the process stops."""
        if self.intake or not self.closed:
            return True
        return any(item.opens or (item.message.taken and not self.leaving) for item in self.waiting)

    def rest(self) -> None:
        """Nothing is left to do."""
        if self._bus is not None:
            self._bus.fan_out.rest()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Something outside any message is being written; the session ends only after it."""
        self.writes += 1
        try:
            yield
        finally:
            self.writes -= 1
            if not self.writes and self._quiet is not None:
                self._quiet.set(None)

    def quiet(self) -> Awaitable[None]:
        """Return once nothing is being written outside any message."""
        return self._until_quiet() if self.writes else Ready()

    async def _until_quiet(self) -> None:
        while self.writes:
            self._quiet = Latch()
            await self._quiet.wait()

    def trim(self) -> None:
        """Nobody has looked for a while: let go of what can be made again."""
        if self.running is None:
            self._step = self.calls = None
            self.thread.trim()
            self.journal.trim()
            if self._bus is not None:  # nobody reads it and its window went: only where its ids stand is kept
                self._number = self._bus.fan_out.last
                self._bus = None
            if self._questions is not None and not self._questions.known:
                self._questions = None
            if self.kit.rested is not None:
                self.kit.rested(self.id)

    async def steer(self, state: State) -> None:
        """Let the messages that steer enter the running loop; they end with the message that runs."""
        while self.waiting and self.running is not None and not self.running.decided:
            item = steering(self)
            if item is None:
                return
            await self._join(self.running, item)

    async def _join(self, running: Item, item: Item) -> None:
        token = CURRENT.set(item.envelope)
        try:
            await item.ticket.accepted()  # it still waits meanwhile, and may be taken out
            if item.clearing is not None or item not in self.waiting:
                return
            self.waiting = [other for other in self.waiting if other is not item]
            running.joined.append(item)
            message = await intercepted(self, self.stream, item)
            if message is not None:
                draft = Draft(role=Role.USER, artifacts=content_of(message.content))
                await self.step.observe(await self.step.record(draft, TakenRecord(message=item.message.id)))
        finally:
            CURRENT.reset(token)

    def _stays_open(self, call_key: str | None) -> bool:
        """Whether the question of a call that is cut waits for the next process; not if just this call was stopped."""
        return self._parks() and not (call_key and self.calls is not None and self.calls.is_stopped(call_key))

    def _parks(self) -> bool:
        """Whether the running message is being left for the next process."""
        return self.running is not None and self.running.why in (None, "shutdown")

    def _why(self) -> str:
        """What the calls of a message that is cut are told."""
        reasons = {"closed": "cancelled: the session was closed", "limit": "cancelled: the message took too long"}
        return reasons.get((self.running and self.running.why) or "", "cancelled by the user")

    def _make_step(self) -> Step:
        agent = self.the_agent()
        self.calls = CallHandler(
            asker=self.questions,
            limits=agent.call_limits,
            deps=agent.deps,
            host=CallHost(stays_open=lambda key: self._parks(), why=self._why, children=ChildSessions(self)),
            tracer=self.kit.services.tracer,
        )
        options: list[Option] = list(agent.options)
        if agent.tools is not None:
            options.append(ToolsOption(agent.tools))
        if agent.output is not None:
            options.append(OutputOption(agent.output.name, agent.output.schema()))
        hooks = StepHooks(
            before=(self.steer,),
            transforms=agent.transforms,
            handlers=(self.calls, *agent.handlers, _Ending(self)),
            tracer=self.kit.services.tracer,
        )
        return Step(self.thread, bus=self.bus, journal=self.journal, hooks=hooks, options=options)

    async def _catch_up(self) -> None:
        """Another owner was here: know what began there, and let go of messages that ended there."""
        pending = {message.id: message for message in await self.kit.store.pending(self.id)}
        for item in [one for one in self.waiting if one.ticket.is_accepted]:
            if item.message.id in pending:
                item.message = pending[item.message.id]
                continue
            drop(self, item)
            ended = await self.kit.store.submit(self.id, item.message)
            if isinstance(ended, EndingRecord):
                turn = self.thread.get(ended.turn) if ended.turn else None
                item.ticket.repeat(ended_before(ended, turn))

    def is_last(self, records: Sequence[Record]) -> bool:
        """Whether the running message ends with these records and none waits behind it."""
        running = self.running
        if running is None or self.waiting or self.intake:
            return False
        return any(type(one) is EndingRecord and one.message == running.message.id for one in records)

    def decided(self, ending: EndingRecord) -> None:
        """An ending is durable."""
        if self.running is not None and self.running.message.id == ending.message:
            self.running.decided = True
            self.running.done = ending.outcome is Outcome.DONE

    async def taken(self, writer: Writer, *, foreign: bool) -> None:
        """A new epoch; when somebody else wrote since, read the thread anew."""
        if foreign:
            stored = await self.kit.store.load(self.id)
            self.thread.replace_all(stored.turns, tip=stored.tip)
            self.thread.meta.replace_all(stored.metadata)
            self.effects, self.started = stored.effects, stored.started
            if stored.questions:
                self.questions.load(stored.questions)
            await self._catch_up()
        self.epoch = writer.epoch
        if self._bus is not None:
            fan_out = self._bus.fan_out
            if foreign:
                fan_out.renew(writer.epoch)
            fan_out.epoch = writer.epoch


def let_go(core: Core) -> None:
    """It is closed: what only a message needs goes now, not when the collector finds the circle."""
    if core.running is None:
        core._step = core.calls = None


def is_untouched(core: Core) -> bool:
    """Whether a session has no window and nothing to do."""
    return core._bus is None and core.running is None and not core.waiting


class _Ending:
    """Puts a message's ending into the same append as its last turn."""

    __slots__ = ("_core",)

    def __init__(self, core: Core) -> None:
        self._core = core

    def prepare(self, draft: Draft, options: Sequence[Option]) -> Sequence[Record]:
        core = self._core
        item = core.running
        if item is None or item.ends is None or (core.waiting and steering(core)) or not item.ends(draft):
            return ()
        return [
            EndingRecord(message=one.message.id, outcome=Outcome.DONE, turn=draft.id) for one in (*item.joined, item)
        ]
