"""`History`: moving about in a session's tree of turns."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from ore._aio import finish
from ore.artifact import Artifact
from ore.errors import ConflictError, NotFoundError, SessionClosedError
from ore.event import CURRENT, Gap
from ore.ledger import Control, ControlRecord, Draft, Role, State, TipRecord, Turn, call_key, unanswered
from ore.session.core import Core
from ore.session.envelope import outside

__all__ = ["History"]


class History:
    """Adds turns, moves the tip and changes how the path passes a turn, durably.

    Whoever reads events of the session gets a `gap` with the new state where
    the path changed otherwise than by a turn at its end.

    The tip moves only while no message runs, or at the word of an interceptor
    that looks at the message which is about to: no turn of it is there yet.
    Nothing is ever deleted.
    """

    __slots__ = ("_core",)

    def __init__(self, core: Core) -> None:
        self._core = core

    @property
    def state(self) -> State:
        """The live ledger, to read."""
        return self._core.thread

    @property
    def all_turns(self) -> Sequence[Turn]:
        """Every turn of every branch, in the order in which they were recorded."""
        return self._core.thread.all_turns

    async def append(self, role: Role, *artifacts: Artifact) -> Turn:
        """Record a turn that no message brought, without inference; behind the results of calls that run.

        Raises:
            SessionClosedError: The session is closed.
            StoreError: It could not be made durable.
            RuntimeError: A tool of the running turn called it: its own result has to come first.
        """
        core = self._core
        self._check_open()
        token = CURRENT.set(outside(core.id))
        try:
            async with core.bus.subscribe("turn_complete", "lifecycle") as news:
                while open_calls := unanswered(core.thread.turns):
                    path = CURRENT.get().path or ()
                    if any(call_key(one.turn.id, one.index) in path for one in open_calls):
                        raise RuntimeError("a tool cannot add a turn while its own call is open; return a result")
                    if core.running is None:
                        break
                    await anext(news)
            async with self._owned():
                pass  # what another process added is known from here on
            with core.writing():
                return await core.step.record(Draft(role=role, artifacts=artifacts))
        finally:
            CURRENT.reset(token)

    async def refresh(self) -> None:
        """Know what another process added meanwhile; when it did, whoever reads events gets one `gap`.

        Raises:
            SessionOwnedError: It is still at work there.
        """
        async with self._owned():
            pass

    async def load(self, turns: Sequence[Turn]) -> None:
        """Hold these turns from now on, durably: they become a branch of their own and the tip moves there.

        Raises:
            ConflictError: A message runs.
        """
        async with self._resting():
            await self._move(None)
        for turn in turns:
            await self._core.step.record(
                Draft(
                    role=turn.role,
                    artifacts=turn.artifacts,
                    status=turn.status,
                    control=turn.control,
                    model=turn.model,
                    origin=turn.origin,
                )
            )

    async def set_tip(self, turn_id: str | None) -> str | None:
        """Go on from another turn; where that would part a call from its results, from behind them.

        Returns:
            The tip.

        Raises:
            NotFoundError: No such turn.
            ConflictError: A message runs.
        """
        async with self._resting():
            return await self._move(turn_id if turn_id is None else self._core.thread.settled(turn_id))

    async def undo(self) -> str | None:
        """Go back before the last thing the user said.

        Raises:
            NotFoundError: There is nothing to undo.
            ConflictError: A message runs.
        """
        async with self._resting():
            last = next((turn for turn in reversed(self._core.thread.turns) if turn.role is Role.USER), None)
            if last is None:
                raise NotFoundError("nothing to undo: the conversation has no user turn")
            return await self._move(last.parent_id)

    async def redo(self) -> str | None:
        """Go forward along the latest branch, to before the next thing the user said there, or to its end.

        Raises:
            NotFoundError: There is nothing to redo.
            ConflictError: A message runs.
        """
        async with self._resting():
            at, forward = self._core.thread.tip, False
            while (child := self._latest_child(at)) is not None and not (forward and child.role is Role.USER):
                at, forward = child.id, True
            if not forward:
                raise NotFoundError("nothing to redo: no turn follows the tip")
            return await self._move(at)

    async def set_control(self, turn_id: str, control: Control) -> None:
        """Change how the path passes a turn.

        Raises:
            NotFoundError: No such turn.
            ConflictError: A message runs, or it would part a call from its result.
        """
        async with self._resting():
            thread = self._core.thread
            turn = thread.get(turn_id)
            if turn is None:
                raise NotFoundError(f"no turn {turn_id!r} in this session")
            thread.set_control(turn_id, control)  # refuses what it must, before anything is durable
            thread.set_control(turn_id, turn.control)
            record = ControlRecord(turn_id=turn_id, control=control)
            await finish(self._core.journal((record,)), then=lambda _: thread.set_control(turn_id, control))
            self._tell()

    async def _move(self, turn_id: str | None) -> str | None:
        thread = self._core.thread
        record = TipRecord(turn_id=turn_id)
        await finish(self._core.journal((record,)), then=lambda _: thread.set_tip(turn_id))
        self._tell()
        return turn_id

    def _tell(self) -> None:
        """Give everybody who reads events the path as it is now: no event could say how to get there."""
        core = self._core
        core.emit(Gap(snapshot=core.snapshot(core.bus.fan_out.cursor)), outside(core.id))

    @asynccontextmanager
    async def _owned(self) -> AsyncIterator[None]:
        """Own the session first: a turn that another process added since has to be known before one follows it.

        Nothing in the block may go through the step: whoever holds that waits for the owner's journal.
        """
        with self._core.writing():
            async with self._core.journal.owned():
                yield

    @asynccontextmanager
    async def _resting(self) -> AsyncIterator[None]:
        self._check_idle()
        async with self._owned():
            self._check_idle()
            yield

    def _latest_child(self, turn_id: str | None) -> Turn | None:
        return next((turn for turn in reversed(self._core.thread.all_turns) if turn.parent_id == turn_id), None)

    def _check_open(self) -> None:
        if self._core.closed:
            raise SessionClosedError(f"session {self._core.id!r} is closed; attach it again to go on")

    def _check_idle(self) -> None:
        self._check_open()
        running = self._core.running
        if running is None or (running.ends is None and CURRENT.get() == running.envelope):
            return
        raise ConflictError("expected no running message: the tip moves only in between")
