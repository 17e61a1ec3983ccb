"""`Run`: one message and what comes of it, as it comes."""

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from types import TracebackType
from typing import Any, Self

from ore.app.given import Given
from ore.app.result import Result, stop_reason_of, text_of, usage_of
from ore.artifact import Text, TextDelta
from ore.event import Entry, Gap, Lifecycle, TurnRestarted, current_context
from ore.ledger import Role
from ore.session import Outcome, Stream, Ticket

__all__ = ["Run"]


class Run:
    """One submitted message. Reading it, or not, changes nothing about its work.

    Made by `Session.stream`; leaving it detaches, and the message goes on.
    """

    def __init__(self, stream: Stream, ticket: Ticket, after: str, parse: Callable[[str], Any] | None = None) -> None:
        self._stream = stream
        self._ticket = ticket
        self._after = after
        self._parse = parse
        self._depth = len(current_context().path or ())

    @property
    def id(self) -> str:
        """The message's id."""
        return self._ticket.id

    @property
    def session_id(self) -> str:
        """The session's id."""
        return self._stream.id

    @property
    def ended(self) -> bool:
        """Whether the message has its outcome."""
        return self._ticket.outcome is not None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leaving changes nothing."""

    async def accepted(self) -> None:
        """Return once the message is durable."""
        await self._ticket.accepted()

    async def cancel(self) -> bool:
        """End the message: take it back when it waits, cancel it when it runs; whether that was in time.

        It stays ended when this process dies right behind.

        Raises:
            StoreError: That could not be made durable; one that ran is cancelled all the same.
        """
        return await self._ticket.cancel()

    async def events(self, *kinds: str) -> AsyncGenerator[Entry, None]:
        """The message's events, from its first to its `done`, fragments included; of some kinds, or all."""
        await self._ticket.accepted()
        if self._ticket.is_repeated:  # it ended before; its events are not told again
            return
        wanted = (*kinds, "lifecycle", "gap") if kinds else ()
        id = self.id
        async with self._stream.subscribe(*wanted, after=self._after) as reader:
            async for batch in reader.batches():
                for entry in batch:
                    event = entry.event
                    if isinstance(event, Gap):
                        yield entry
                        if self._ticket.outcome is not None:
                            return
                    elif entry.context.message == id:
                        if not kinds or entry.kind in kinds:
                            yield entry
                        if isinstance(event, Lifecycle) and event.phase == "done":
                            return

    async def text(self) -> AsyncGenerator[str, None]:
        """The text of all its answers, piece by piece, as it comes; nothing twice.

        An answer that begins again goes on where it says the same; where it
        says something else it comes anew, on a line of its own.
        """
        seen: dict[str, int] = {}
        given, turn, last = Given(), "", None
        async with aclosing(self.events("text_delta", "text", "turn_restarted")) as events:
            async for entry in events:
                event, context = entry.event, entry.context
                if isinstance(event, Gap):
                    break
                if context.path is not None and len(context.path) > self._depth:  # said inside a call
                    continue
                if isinstance(event, TurnRestarted):
                    given.restart()
                    continue
                ended = ""
                if context.block != last:
                    last, before, turn = context.block, turn, (context.block or "").rpartition(":")[0]
                    ended = given.end() if turn != before else ""
                piece = ended + given.give(_new_text(event, last or "", seen))
                if piece:
                    yield piece
            else:
                if rest := given.end():
                    yield rest
                return
        for rest in _left(await self._ticket, given, turn):
            yield rest

    async def result(self) -> Result:
        """Wait for the ending.

        Raises:
            Exception: What the message failed with.
        """
        outcome = await self._ticket
        if outcome.error is not None:
            raise outcome.error
        text = text_of(outcome.turn)
        parsed = self._parse(text) if self._parse is not None and outcome.status == "done" else text
        return Result(
            text=text,
            output=parsed,
            turns=outcome.turns,
            usage=usage_of(outcome.turns),
            status=outcome.status,
            session_id=self._stream.id,
            stop_reason=stop_reason_of(outcome.turn),
        )


def _new_text(event: object, block: str, seen: dict[str, int]) -> str:
    """What the reader has not had yet of a block: the fragment, or the rest of the complete text.

    `seen` counts the characters given of each block.
    """
    if isinstance(event, TextDelta):
        text = event.content
    elif isinstance(event, Text):
        text = event.content[seen.get(block, 0) :]
    else:
        return ""
    seen[block] = seen.get(block, 0) + len(text)
    return text


def _left(outcome: Outcome, given: Given, turn_id: str) -> Iterator[str]:
    """The texts of a reader who fell behind what the log holds, out of the turns from the one on that it was in."""
    answers = [turn for turn in outcome.turns if turn.role is Role.ASSISTANT]
    begin = next((place for place, turn in enumerate(answers) if turn.id == turn_id), 0)
    for turn in answers[begin:]:
        if rest := given.complete(text_of(turn)):
            yield rest
