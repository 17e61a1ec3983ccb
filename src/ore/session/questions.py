"""`Questions`: whatever waits for a person in one session, durably."""

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import nullcontext
from datetime import timedelta
from typing import Any

import msgspec

from ore._aio import finish
from ore.errors import ConflictError, InputError, NotFoundError
from ore.event import CURRENT, Answer, Event, EventContext, Question
from ore.ledger import Clock, Journal, QuestionRecord, QuestionStatus
from ore.session.latch import Latch
from ore.session.run_clock import RunClock

__all__ = ["Answerer", "AskPolicy", "Questions"]

log = logging.getLogger(__name__)

Answerer = Callable[[Question], Awaitable[Answer] | Answer]
"""Answers questions from inside the program, while front ends may as well: the
first answer wins. One that raises counts as no."""


class AskPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """Who answers.

    Attributes:
        answerer: Asked at once.
        wait: Whether front ends are waited for; without them and without an
            answerer every question is denied.
        expire_s: Seconds after which a question counts as denied.
        reason: What the model reads when nobody is there.
    """

    answerer: Answerer | None = None
    wait: bool = False
    expire_s: float | None = None
    reason: str = "nobody is there to approve it"


class Questions:
    """Asks, records, and takes answers; an `Asker`.

    Args:
        policy: Who answers.
        journal: Makes questions and answers durable.
        emit: Publishes them.
        clock: The time for expiry.
    """

    def __init__(
        self, policy: AskPolicy, journal: Journal, emit: Callable[[Event, EventContext], None], clock: Clock
    ) -> None:
        self._policy = policy
        self._journal = journal
        self._emit = emit
        self._clock = clock
        self._records: dict[str, QuestionRecord] = {}
        self._contexts: dict[str, EventContext] = {}
        self._waiting: dict[str, Latch[Answer]] = {}
        self._deciding: set[str] = set()
        self.keep_open: Callable[[str | None], bool] = lambda call_key: False
        """Whether a question of a call that is cancelled stays open, for the next process."""
        self.run_clock: RunClock | None = None

    @property
    def open(self) -> Sequence[Question]:
        """Questions without an answer, oldest first."""
        return [
            _question(record)
            for record in self._records.values()
            if record.status is QuestionStatus.OPEN and record.question is not None
        ]

    @property
    def known(self) -> bool:
        """Whether anything was ever asked here."""
        return bool(self._records)

    @property
    def waited_for(self) -> bool:
        """Whether something waits for a person right now."""
        return bool(self._waiting)

    def load(self, records: Mapping[str, QuestionRecord]) -> None:
        """Know what an earlier process asked."""
        self._records.update(records)

    def is_open(self, call_key: str) -> bool:
        """Whether a call waits for an approval."""
        record = self._records.get(call_key)
        return record is not None and record.status is QuestionStatus.OPEN

    def over(self) -> Sequence[QuestionRecord]:
        """Records that end every open question that nothing waits for: its call has its result."""
        return [
            QuestionRecord(key=key, status=QuestionStatus.CANCELLED, question=record.question)
            for key, record in self._records.items()
            if record.status is QuestionStatus.OPEN and key not in self._waiting and key not in self._deciding
        ]

    def end(self, records: Sequence[QuestionRecord]) -> None:
        """These records are durable."""
        for record in records:
            self._settled(record, None)

    async def ask(self, question: Question) -> Answer:
        """Put a question to whoever watches, and wait; an answer given before a restart counts.

        Raises:
            asyncio.CancelledError: The asker was stopped; the question is over,
                unless the process ends and the next one shall ask again.
        """
        known = self._records.get(question.key)
        if known is not None and known.status is not QuestionStatus.OPEN:
            return _answer(known)
        if not self._policy.wait and self._policy.answerer is None:
            return Answer(key=question.key, reason=self._policy.reason)
        latch = self._waiting[question.key] = Latch[Answer]()
        question = self._dated(question if known is None else _question(known))
        clock = self.run_clock
        try:
            with clock.paused() if clock is not None else nullcontext():
                await self._open(question, is_new=known is None)
                return await self._wait(question, latch)
        except asyncio.CancelledError:
            if not self.keep_open(question.call_key):
                await self._settle(question.key, QuestionStatus.CANCELLED, None)
            raise
        finally:
            del self._waiting[question.key]

    async def answer(self, key: str, answer: Answer) -> Answer:
        """Answer a question; durable on return. The first answer wins.

        Raises:
            NotFoundError: There is no such question.
            ConflictError: It has its answer, or is over.
            InputError: The answer is to another question.
        """
        record = self._records.get(key)
        if record is None:
            raise NotFoundError(f"no question {key!r}")
        if key in self._deciding:
            raise ConflictError(f"question {key!r} is just being answered, or over")
        if record.status is not QuestionStatus.OPEN:
            raise ConflictError(f"question {key!r} is {record.status.value} already")
        if answer.key != key:
            raise InputError(f"expected an answer to the question {key!r}, got one to {answer.key!r}")
        await self._settle(key, QuestionStatus.ANSWERED, answer)
        return answer

    async def _open(self, question: Question, *, is_new: bool) -> None:
        key = question.key
        self._contexts[key] = CURRENT.get()
        if is_new:
            record = QuestionRecord(key=key, status=QuestionStatus.OPEN, question=msgspec.to_builtins(question))
            await finish(self._journal((record,)), then=lambda _: self._records.__setitem__(key, record))
        self._emit(question, self._contexts[key])

    async def _wait(self, question: Question, latch: Latch[Answer]) -> Answer:
        helper = self._policy.answerer
        task = asyncio.create_task(self._from_program(helper, question)) if helper is not None else None
        left_s = (question.expires_at - self._clock()).total_seconds() if question.expires_at else None
        try:
            async with asyncio.timeout(left_s):
                return await latch.wait()
        except TimeoutError:
            if question.key in self._deciding or latch.done:
                return await latch.wait()
            late = Answer(key=question.key, reason="nobody answered in time")
            await self._settle(question.key, QuestionStatus.EXPIRED, late)
            return late
        finally:
            if task is not None:
                task.cancel()
                await asyncio.wait((task,))

    async def _from_program(self, answerer: Answerer, question: Question) -> None:
        try:
            given = answerer(question)
            answer = _checked(await given if inspect.isawaitable(given) else given, question.key)
        except Exception:
            log.exception("answering a question failed; it counts as no")
            answer = Answer(key=question.key, reason="asking failed")
        try:
            await self.answer(question.key, answer)
        except ConflictError:  # a front end was faster
            return

    async def _settle(self, key: str, status: QuestionStatus, answer: Answer | None) -> None:
        record = self._records.get(key)
        if record is None or record.status is not QuestionStatus.OPEN or key in self._deciding:
            return
        body: dict[str, Any] | None = msgspec.to_builtins(answer) if answer is not None else None
        ended = QuestionRecord(key=key, status=status, question=record.question, answer=body)
        self._deciding.add(key)
        try:
            await finish(self._journal((ended,)), then=lambda _: self._settled(ended, answer))
        finally:
            self._deciding.discard(key)

    def _settled(self, record: QuestionRecord, answer: Answer | None) -> None:
        self._records[record.key] = record
        context = self._contexts.pop(record.key, EventContext())
        self._emit(answer or Answer(key=record.key, decision="deny", reason=record.status.value), context)
        latch = self._waiting.get(record.key)
        if latch is not None and answer is not None:
            latch.set(answer)

    def _dated(self, question: Question) -> Question:
        if question.expires_at is not None or self._policy.expire_s is None:
            return question
        return msgspec.structs.replace(question, expires_at=self._clock() + timedelta(seconds=self._policy.expire_s))


def _checked(answer: object, key: str) -> Answer:
    """What a program answered; anything but an `Answer` to this question is its mistake, and no yes."""
    if not isinstance(answer, Answer):
        raise TypeError(f"expected an Answer to the question, got {type(answer).__name__}")
    if answer.key != key:
        raise InputError(f"expected an answer to the question {key!r}, got one to {answer.key!r}")
    return answer


def _question(record: QuestionRecord) -> Question:
    return msgspec.convert(record.question, Question)


def _answer(record: QuestionRecord) -> Answer:
    if record.answer is None:
        return Answer(key=record.key, reason=record.status.value)
    return msgspec.convert(record.answer, Answer)
