"""`Budget`: what many may use together."""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Final, Literal

from ore.errors import LimitError
from ore.ext.observe.budget.allowance import Allowance
from ore.ext.observe.budget.spent import Spent

__all__ = ["Budget", "Hold"]

_NOTHING: Final = Spent()

Soft = Literal["ahead", "asking", "passed", "refused"]


class Hold:
    """A place in a budget, for as long as one inference runs.

    Attributes:
        most: What is set aside for it.
        owner: Who works on it: nobody waits for a place that is its own.
        waited: Whether it has waited for room already.
    """

    __slots__ = ("most", "owner", "waited")

    def __init__(self, most: Spent, owner: object) -> None:
        self.most = most
        self.owner = owner
        self.waited = False


class Budget:
    """What many may use together: agents, sessions, messages, those inside their calls, and other budgets.

    Before an inference begins, what it may use at most is set aside in its
    budget and in all those around it. Where that does not fit beside the
    inferences that run, it waits until one of them has ended; alone it may
    begin as long as anything is left. So a budget is never passed by more than
    what one inference sets aside. An answer that goes on beyond it is cut.

    It counts in this process, from its beginning. Any number of tasks, loops
    and threads may share it.

    Args:
        allowance: How much.
        name: For messages to people.
        within: The budget that it is a part of.
        clock: Seconds that only ever grow.
    """

    def __init__(
        self,
        allowance: Allowance,
        *,
        name: str = "budget",
        within: "Budget | None" = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.allowance = allowance
        self.name = name
        self.line: tuple[Budget, ...] = (*(within.line if within is not None else ()), self)
        """The budgets that it is a part of, outermost first, and itself."""
        self._clock = clock
        self._lock = threading.Lock()
        self._spent = _NOTHING
        self._largest = _NOTHING
        self._held: set[Hold] = set()
        self._running = _NOTHING
        self._began: float | None = None
        self._waited_s = 0.0
        self._soft: Soft = "ahead"
        self.scale: float | None = None
        """How the last prompt compared with the rule of thumb; `None` while nobody has counted one."""
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []
        self._stamp = 0

    @property
    def spent(self) -> Spent:
        """What inferences that have ended used."""
        return self._spent

    @property
    def reserved(self) -> Spent:
        """What is set aside for those that run."""
        with self._lock:
            return sum((hold.most for hold in self._held), _NOTHING)

    @property
    def largest(self) -> Spent:
        """What the largest inference so far used."""
        return self._largest

    @property
    def left_s(self) -> float | None:
        """Seconds until its time is over; `None` without such a limit."""
        limit_s = self.allowance.run_s
        if limit_s is None:
            return None
        return limit_s if self._began is None else self._began + self._waited_s + limit_s - self._clock()

    def check(self) -> None:
        """Refuse what would go on although a limit is passed.

        Raises:
            LimitError: One is.
        """
        self._refuse_over(self._spent)

    def begin(self, hold: Hold) -> bool:
        """Set aside what an inference may use; whether there is room for it now.

        Raises:
            LimitError: Nothing is left, whoever else ends.
        """
        with self._lock:
            self._refuse_over(self._spent)
            self._refuse_reached()
            if not self._fits(hold):
                return False
            self._held.add(hold)
            if self._began is None:
                self._began = self._clock()
            return True

    def grow(self, used: Spent) -> None:
        """A running inference used so much more, as far as anybody can tell by now."""
        with self._lock:
            self._running += used

    def check_running(self) -> None:
        """Refuse that an answer goes on when all that runs has passed a limit, as far as anybody can tell by now.

        Raises:
            LimitError: It has.
        """
        self._refuse_over(self._spent + self._running, "the answer was stopped at about")

    def end(self, hold: Hold, grown: Spent, used: Spent) -> None:
        """An inference has ended, or has not even begun.

        Args:
            hold: Its place.
            grown: What `grow` was told of it.
            used: What it used.
        """
        with self._lock:
            self._held.discard(hold)
            self._running -= grown
            self._spent += used
            if used.tokens > self._largest.tokens:
                self._largest = used
        self.wake()

    def spend(self, used: Spent) -> None:
        """Count what was used without it, such as before a crash."""
        with self._lock:
            self._spent += used

    @property
    def stamp(self) -> int:
        """How often somebody was woken; for `room`."""
        return self._stamp

    async def room(self, stamp: int) -> None:
        """Wait until an inference has ended or somebody has answered, since `stamp` was read."""
        loop = asyncio.get_running_loop()
        entry = (loop, loop.create_future())
        with self._lock:
            if stamp != self._stamp:
                return
            self._waiting.append(entry)
        try:
            await entry[1]
        finally:
            with self._lock:
                if entry in self._waiting:
                    self._waiting.remove(entry)

    def wake(self) -> None:
        """Let those that wait look again, in the order in which they came."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
            self._stamp += 1
        for loop, future in waiting:
            try:
                loop.call_soon_threadsafe(_set, future)
            except RuntimeError:  # that loop is closed, and nobody waits there any more
                continue

    # ── the soft limit ───────────────────────────────────────────────────────

    @property
    def soft(self) -> Soft:
        """Where it stands with its soft limit: `ahead`, `asking`, `passed` or `refused`."""
        return self._soft

    def approach(self) -> Soft | None:
        """Whether the soft limit is reached just now: who gets `asking` or `passed` tells a person, others get `None`.

        With `asking` whoever got it has to call `decide`.
        """
        with self._lock:
            if self._soft != "ahead" or self.said() is None:
                return None
            self._soft = "asking" if self.allowance.ask else "passed"
            return self._soft

    def decide(self, soft: Soft, waited_s: float = 0.0) -> None:
        """What came of asking; with `ahead` the next one asks again."""
        with self._lock:
            self._soft = soft
            self._waited_s += waited_s
        self.wake()

    def said(self) -> str | None:
        """What a person reads at the soft limit; `None` while it is ahead."""
        allowed, spent, share = self.allowance, self._spent, self.allowance.soft
        if share is None:
            return None
        left_s, run_s = self.left_s, allowed.run_s
        if allowed.tokens is not None and spent.tokens >= allowed.tokens * share:
            return f"{self.name}: {spent.tokens} of {allowed.tokens} tokens are used"
        if allowed.cost_usd is not None and float(spent.cost_usd) >= float(allowed.cost_usd) * share:
            return f"{self.name}: {spent.cost_usd} of {allowed.cost_usd} USD are used"
        if allowed.calls is not None and spent.calls >= allowed.calls * share:
            return f"{self.name}: {spent.calls} of {allowed.calls} model calls are used"
        if run_s is not None and left_s is not None and run_s - left_s >= run_s * share:
            return f"{self.name}: {run_s - left_s:.0f} of {run_s:g} seconds are over"
        return None

    # ── the hard limit ───────────────────────────────────────────────────────

    def _fits(self, hold: Hold) -> bool:
        """Whether it fits beside all that run; beside nobody else's it always does."""
        if all(other.owner is hold.owner for other in self._held):
            return True
        nested = any(other.owner is hold.owner for other in self._held)
        if self._waiting and not hold.waited and not nested:  # those that wait are first
            return False
        total = sum((other.most for other in self._held), self._spent + hold.most)
        allowed = self.allowance
        return (
            (allowed.tokens is None or total.tokens <= allowed.tokens)
            and (allowed.cost_usd is None or total.cost_usd <= allowed.cost_usd)
            and (allowed.calls is None or total.calls <= allowed.calls)
        )

    def _refuse_over(self, spent: Spent, how: str = "used") -> None:
        allowed, name = self.allowance, self.name
        if allowed.tokens is not None and spent.tokens > allowed.tokens:
            raise LimitError(f"{name}: expected at most {allowed.tokens} tokens, {how} {spent.tokens}")
        if allowed.cost_usd is not None and spent.cost_usd > allowed.cost_usd:
            raise LimitError(f"{name}: expected at most {allowed.cost_usd} USD, {how} {spent.cost_usd}")

    def _refuse_reached(self) -> None:
        allowed, spent, name, left_s = self.allowance, self._spent, self.name, self.left_s
        if allowed.tokens is not None and spent.tokens >= allowed.tokens:
            raise LimitError(f"{name}: all of the {allowed.tokens} tokens are used")
        if allowed.cost_usd is not None and spent.cost_usd >= allowed.cost_usd:
            raise LimitError(f"{name}: all of the {allowed.cost_usd} USD are used")
        if allowed.calls is not None and spent.calls >= allowed.calls:
            raise LimitError(f"{name}: expected at most {allowed.calls} model calls, and one more was wanted")
        if left_s is not None and left_s <= 0:
            raise self.late()

    def late(self) -> LimitError:
        """The error that says that its time is over."""
        return LimitError(f"{self.name}: expected at most {self.allowance.run_s:g} seconds of work")


def _set(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)
