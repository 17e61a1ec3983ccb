"""`ToolContext`: what a running tool may know and do."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

import msgspec

from ore.artifact import Artifact, ToolCall
from ore.errors import ToolError
from ore.event import Activity, Answer, Content, Emitter, Event, Question
from ore.ledger import Meta, State
from ore.tool.asker import Asker
from ore.tool.child import ChildOutcome, Children
from ore.tool.deadline import Deadline

__all__ = ["ToolContext"]

T = TypeVar("T")


class ToolContext:
    """Given to a tool whose first parameter is annotated with this class.

    It may be used from the tool's own thread. After the call ended, at its
    timeout for example, what it emits is dropped.

    Attributes:
        key: The call's key, unique for ever: good as an idempotency key.
        call: The call as the model made it.
        deps: What the agent was run with.
        reported: Whether the tool said how it gets on.
        limit: The time limit of the call, which stands still while a person is asked.
    """

    __slots__ = (
        "_asker",
        "_asking",
        "_children",
        "_delegated",
        "_emitter",
        "_left_s",
        "_loop",
        "_open",
        "_questions",
        "_thread",
        "_waits",
        "call",
        "deps",
        "key",
        "limit",
        "reported",
    )

    def __init__(
        self,
        key: str,
        call: ToolCall,
        *,
        emitter: Emitter,
        asker: Asker,
        deps: Any = None,
        children: Children | None = None,
    ) -> None:
        self.key = key
        self.call = call
        self.deps = deps
        self._emitter = emitter
        self._asker = asker
        self._children = children
        self._delegated = 0
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._open = True
        self._questions = 0
        self._waits: list[Future[Any]] = []
        self.reported = False
        self._asking = 0
        self._left_s: float | None = None
        self.limit: Deadline | None = None

    @property
    def cancelled(self) -> bool:
        """Whether the call is over; a `def` tool that runs long looks here and stops."""
        return not self._open

    @property
    def state(self) -> State:
        """The conversation, to read."""
        return self._emitter.state

    @property
    def meta(self) -> Meta:
        """The conversation's facts, to read."""
        return self._emitter.state.meta

    def emit(self, event: Event | Artifact) -> None:
        """Publish, in order and before the call's result; from any thread."""
        if threading.get_ident() == self._thread:
            self._publish(event)
        else:
            self._loop.call_soon_threadsafe(self._publish, event)

    def progress(self, description: str) -> None:
        """Say what the tool is doing right now."""
        self.reported = True
        self.emit(Activity(id=self.key, active=True, description=description))

    async def ask(self, text: str, *, options: tuple[str, ...] | None = None) -> Answer:
        """Ask the person who watches, and wait for the answer."""
        self._questions += 1
        key = f"{self.key}/{self._questions}"
        question = Question(key=key, purpose="ask", tool=self.call.name, call_key=self.key, text=text, options=options)
        return await self._ask(question)

    async def ask_as(self, question: Question) -> Answer:
        """Ask with a question of one's own making, such as an elicitation; its key is set here."""
        self._questions += 1
        key = f"{self.key}/{self._questions}"
        return await self._ask(msgspec.structs.replace(question, key=key, call_key=self.key))

    async def delegate(self, agent: Any, content: Content) -> ChildOutcome:
        """Have another agent work inside this call.

        Its events come inside this call's, what it asks is asked here, and
        cancelling the call cancels it. A tool that is run again after a crash,
        because it is idempotent, finds its agents where they were, as long as
        it asks them in the same order.

        Args:
            agent: An `AgentSpec`, such as `Agent.spec()` makes.
            content: What it is asked.

        Raises:
            ToolError: The call does not belong to a session.
            LimitError: Agents inside agents, too deep.
            StoreError: Its conversation could not be read or written.
        """
        if self._children is None:
            raise ToolError("an agent inside a call needs a session; run this one through a Manager or an Agent")
        self._delegated += 1
        key = self.key if self._delegated == 1 else f"{self.key}/{self._delegated}"
        return await self._children.run(key, agent, content, self._ask)

    async def _ask(self, question: Question) -> Answer:
        if not self._open:
            raise RuntimeError("the call is over; nobody can be asked any more")
        limit = self.limit
        if not self._asking and limit is not None and limit.at_s is not None:
            self._left_s = limit.at_s - self._loop.time()
            limit.move(None)
        self._asking += 1
        try:
            return await self._asker.ask(question)
        finally:
            self._asking -= 1
            if not self._asking and limit is not None and self._left_s is not None:
                limit.move(self._loop.time() + self._left_s)

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """From a tool's own thread: have the loop do something, such as `ask`, and wait for what comes of it.

        Raises:
            RuntimeError: The call is over, or this is the loop's own thread.
            CancelledError: Of `concurrent.futures`: the call ended meanwhile.
        """
        if not self._open or threading.get_ident() == self._thread:
            work.close()
            raise RuntimeError("expected the thread of a tool whose call is not over; in an async tool use await")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        self._waits.append(future)
        if not self._open:  # it ended in this moment
            future.cancel()
        return future.result()

    def close(self) -> None:
        """The call is over; what comes now is dropped."""
        self._open = False
        for future in self._waits:
            future.cancel()

    def _publish(self, event: Event | Artifact) -> None:
        if self._open:
            self._emitter.emit(event)
