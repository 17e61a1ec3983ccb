"""`ChildSessions`: agents inside the calls of a session, each in a session of its own."""

import contextvars
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ore._aio import finish
from ore.artifact import Artifact
from ore.errors import LimitError, NotFoundError, describe
from ore.event import (
    CURRENT,
    Activity,
    Answer,
    Content,
    Entry,
    EventContext,
    OnEmit,
    Question,
    TurnRestarted,
    UserMessage,
    content_of,
)
from ore.ledger import INNER, PARENT_KEY, Message, StoredThread, is_id
from ore.session.questions import AskPolicy
from ore.tool import Ask, ChildOutcome

if TYPE_CHECKING:
    from ore.session.core import Core
    from ore.session.kit import Kit

__all__ = ["MAX_DEPTH", "ChildSessions", "child_id"]

MAX_DEPTH: Final = 8
"""Agents inside agents: one that calls itself for ever ends here."""

MESSAGE_ID: Final = "call"
"""A child has one message, under the same id in every process."""


class ChildSessions:
    """Runs agents inside the calls of one session; see `Children`.

    A child is a session like any other, stored beside its parent's under an id
    made from the call's key. Its events are told in the parent's, inside the
    call: what it says, thinks, calls and gets, but not its turns, which are in
    its own thread, nor its phases, since the parent's message goes on.
    """

    __slots__ = ("_core",)

    def __init__(self, core: "Core") -> None:
        self._core = core

    async def run(self, key: str, agent: Any, content: Content, ask: Ask) -> ChildOutcome:
        """See `Children.run`."""
        here, core = CURRENT.get(), self._core
        if len(here.path or ()) > MAX_DEPTH:
            raise LimitError(f"expected at most {MAX_DEPTH} agents inside each other, got one more")
        name = child_id(key)
        stored, pending = await self._found(name)
        kit = self._kit(agent, _asker(ask, here), _teller(core, here))
        assert kit.open is not None
        child = kit.open(kit, stored, pending)
        try:
            outcome = await child.submit(UserMessage(content=content_of(content), id=MESSAGE_ID))
        finally:
            await finish(child.leave(0.0) if self._is_left() else child.close())
        return ChildOutcome(
            session_id=name,
            status=outcome.status.value,
            turns=outcome.turns,
            answer=outcome.turn,
            error=describe(outcome.error) if outcome.error is not None else None,
        )

    async def _found(self, name: str) -> tuple[StoredThread, Sequence[Message]]:
        """The child's thread, with what an earlier process left in its inbox; made when it is not there."""
        store = self._core.kit.store
        try:
            return await store.load(name), await store.pending(name)
        except NotFoundError:
            await store.create(name, {PARENT_KEY: self._core.id})
            return await store.load(name), ()

    def _kit(self, agent: Any, ask: Callable[[Question], Any], tell: OnEmit) -> "Kit":
        kit = self._core.kit
        return replace(
            kit,
            agent=lambda stream: agent,
            services=replace(kit.services, asking=AskPolicy(answerer=ask)),
            interceptors=(),
            on_emit=lambda session_id: (tell,),
            woke=None,
            rested=None,
            forget=None,
            context=contextvars.copy_context,
        )

    def _is_left(self) -> bool:
        """Whether the parent's message is being left for the next process."""
        running = self._core.running
        if running is None or running.why == "shutdown":
            return running is not None
        return running.why is None and running.task is not None and running.task.cancelling() > 0


def child_id(key: str) -> str:
    """The id of the session of an agent inside the call `key`."""
    name = INNER + key.replace(":", ".").replace("/", ".")
    return name if is_id(name) else INNER + hashlib.sha256(key.encode()).hexdigest()


def _asker(ask: Ask, here: EventContext) -> Callable[[Question], Any]:
    """Asks in the parent's session, inside the call."""

    async def answerer(question: Question) -> Answer:
        path = CURRENT.get().path
        token = CURRENT.set(msgspec.structs.replace(here, path=path))
        try:
            return await ask(question)
        finally:
            CURRENT.reset(token)

    return answerer


def _teller(core: "Core", here: EventContext) -> OnEmit:
    """Tells a child's events in its parent's session, where they happened."""

    def tell(entry: Entry) -> None:
        event, there = entry.event, entry.context
        if isinstance(event, Artifact | Activity | TurnRestarted):
            context = msgspec.structs.replace(here, path=there.path, block=there.block, attempt=there.attempt)
            core.emit(event, context)

    return tell
