"""Decorators that put failpoints at the seams: store, journal, provider, tool."""

import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from ore.errors import ConnectionFailedError, StoreError
from ore.ledger import (
    EffectRecord,
    EndingRecord,
    Hit,
    Journal,
    Message,
    Opening,
    Page,
    QuestionRecord,
    QuestionStatus,
    Record,
    State,
    Store,
    StoredThread,
    TurnRecord,
    Writer,
)
from ore.models import Spec
from ore.provider import Batch, Option, Provider
from ore.testing.failpoints import Action, Failpoints
from ore.tool import Tool, ToolBody, ToolContext

__all__ = ["FailingProvider", "FailingStore", "failing_journal", "failing_tool"]

T = TypeVar("T")


class FailingStore:
    """A `Store` with a failpoint before and after each of its writes: `<method>.before`, `<method>.after`.

    An append is also known by what it holds: `append.user.before` and so on,
    with `user`, `assistant` and `tool` for turns, `start` and `result` for
    effects, `question` and `answer`, `ending`, or else the record's own tag.
    `raise` is a `StoreError`, which stands for a store that did nothing; behind
    a write it would be a lie.

    Args:
        store: What really keeps things.
        points: What happens where.
    """

    def __init__(self, store: Store, points: Failpoints) -> None:
        self._store = store
        self._points = points

    @property
    def lock_folder(self) -> Path | None:
        """The store's own."""
        return self._store.lock_folder

    async def create(self, thread_id: str, metadata: Mapping[str, str]) -> None:
        """Make an empty thread."""
        await self._at(["create"], lambda: self._store.create(thread_id, metadata))

    async def load(self, thread_id: str) -> StoredThread:
        """Read a thread."""
        return await self._store.load(thread_id)

    async def get_by(self, key: str, value: str) -> str | None:
        """Id of a thread with this fact."""
        return await self._store.get_by(key, value)

    async def list(self, *, query: str = "", cursor: str | None = None, limit: int = 20) -> Page:
        """Threads, most recently written first."""
        return await self._store.list(query=query, cursor=cursor, limit=limit)

    async def search(self, text: str, *, limit: int = 20) -> Sequence[Hit]:
        """Turns that contain `text`."""
        return await self._store.search(text, limit=limit)

    async def delete(self, thread_id: str) -> bool:
        """Remove a thread."""
        return await self._at(["delete"], lambda: self._store.delete(thread_id))

    def submit(self, session_id: str, message: Message) -> Awaitable[EndingRecord | Message | None]:
        """Put a message into the inbox."""
        return self._at(["submit"], lambda: self._store.submit(session_id, message))

    async def pending(self, session_id: str) -> Sequence[Message]:
        """Unfinished messages in order."""
        return await self._store.pending(session_id)

    async def ending(self, session_id: str, message_id: str) -> EndingRecord | None:
        """How a message ended."""
        return await self._store.ending(session_id, message_id)

    async def unfinished(self) -> Sequence[str]:
        """Sessions with work."""
        return await self._store.unfinished()

    async def take(self, session_id: str, opening: Opening | None = None) -> Writer:
        """Become the one who may append; what is to be appended at once counts as an append too."""
        names = ["take"] if opening is None else ["take", *_appends(opening.records)]
        return await self._at(names, lambda: self._store.take(session_id, opening))

    async def next(self, writer: Writer, *, mark: bool = False) -> Message | None:
        """The message to work on."""
        return await self._at(["next"], lambda: self._store.next(writer, mark=mark))

    def append(self, writer: Writer, records: Sequence[Record]) -> Awaitable[None]:
        """Append records."""
        return self._at(_appends(records), lambda: self._store.append(writer, records))

    async def park(self, writer: Writer) -> None:
        """Note that the running message is left on purpose."""
        await self._at(["park"], lambda: self._store.park(writer))

    def close(self, writer: Writer) -> Awaitable[bool]:
        """Give the session back."""
        return self._at(["close"], lambda: self._store.close(writer))

    async def interrupt(self, session_id: str) -> None:
        """Note that the running message shall stop."""
        await self._at(["interrupt"], lambda: self._store.interrupt(session_id))

    async def aclose(self) -> None:
        """Let go of files and threads."""
        await self._store.aclose()

    def _at(self, names: Sequence[str], work: Callable[[], Awaitable[T]]) -> Awaitable[T]:
        before = [f"{name}.before" for name in names]
        due = self._points.due(*before)
        return self._pass(names, due, None if due else work(), work)  # begun as early as the store itself would

    async def _pass(
        self, names: Sequence[str], due: Sequence[Action], begun: Awaitable[T] | None, work: Callable[[], Awaitable[T]]
    ) -> T:
        await self._points.act(due, f"{names[-1]}.before", StoreError)
        result = await (work() if begun is None else begun)
        await self._points.reach(*[f"{name}.after" for name in names], error=StoreError)
        return result


class FailingProvider:
    """A provider with failpoints: `stream.begin`, `stream.batch` behind each batch, `stream.end`.

    Args:
        provider: Who really answers.
        points: What happens where; `raise` is a broken connection.
    """

    def __init__(self, provider: Provider, points: Failpoints) -> None:
        self._provider = provider
        self._points = points

    @property
    def name(self) -> str:
        """The provider's own."""
        return self._provider.name

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        """Pass the answer on.

        Raises:
            ConnectionFailedError: A failpoint says so.
        """
        await self._points.reach("stream.begin", error=ConnectionFailedError)
        async with aclosing(self._provider.invoke(state, spec, *options)) as batches:
            async for batch in batches:
                yield batch
                await self._points.reach("stream.batch", error=ConnectionFailedError)
        await self._points.reach("stream.end", error=ConnectionFailedError)


def failing_journal(journal: Journal, points: Failpoints) -> Journal:
    """A journal with the failpoints `journal.before` and `journal.after`."""

    async def append(records: Sequence[Record]) -> None:
        await points.reach("journal.before", error=StoreError)
        await journal(records)
        await points.reach("journal.after", error=StoreError)

    return append


def failing_tool(tool: Tool, points: Failpoints) -> Tool:
    """A tool with the failpoints `tool.<name>.before` and `tool.<name>.after`, around what it does."""
    return replace(tool, body=_FailingBody(tool.body, f"tool.{tool.name}", points))


class _FailingBody:
    def __init__(self, body: ToolBody, name: str, points: Failpoints) -> None:
        self._body = body
        self._name = name
        self._points = points

    @property
    def schema(self) -> Mapping[str, Any]:
        return self._body.schema

    @property
    def blocking(self) -> bool:
        return self._body.blocking

    def parse(self, arguments: str) -> Mapping[str, Any]:
        return self._body.parse(arguments)

    def call(self, context: ToolContext, arguments: Mapping[str, Any]) -> Any:
        if not self._body.blocking:
            return self._call(context, arguments)
        self._points.reach_blocking(f"{self._name}.before")
        value = self._body.call(context, arguments)
        self._points.reach_blocking(f"{self._name}.after")
        return value

    async def _call(self, context: ToolContext, arguments: Mapping[str, Any]) -> Any:
        await self._points.reach(f"{self._name}.before")
        value = self._body.call(context, arguments)
        value = await value if inspect.isawaitable(value) else value
        await self._points.reach(f"{self._name}.after")
        return value


def _appends(records: Sequence[Record]) -> Sequence[str]:
    return list(dict.fromkeys(["append", *[f"append.{_name(record)}" for record in records]]))


def _name(record: Record) -> str:
    match record:
        case TurnRecord(turn=turn):
            return turn.role.value
        case EffectRecord(result=result):
            return "start" if result is None else "result"
        case QuestionRecord(status=status):
            return "question" if status is QuestionStatus.OPEN else "answer"
        case _:
            return str(record.__struct_config__.tag)
