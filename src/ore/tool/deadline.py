"""`Deadline`: a time limit for a call; one timer of the loop serves all of them."""

import asyncio
import contextvars
import threading
from math import inf
from types import TracebackType
from typing import Any, Self

__all__ = ["Deadline"]


class Deadline:
    """Cancels the running task after a while, and makes a `TimeoutError` of that; as `asyncio.timeout` does.

    Calls begin and end all the time and hardly ever reach their limit, so
    none gets a timer of its own: the one that there is stays until it rings.

    Args:
        limit_s: Seconds until then.
        task: The running task, when it is known.

    Raises:
        TimeoutError: On leaving the block: the time was over in it.
    """

    __slots__ = ("_alarm", "_cancels", "_due", "_rang", "_task", "at_s")

    def __init__(self, limit_s: float, task: "asyncio.Task[Any] | None" = None) -> None:
        loop = asyncio.get_running_loop()
        alarm = _HERE.alarm
        if alarm is None or alarm.loop is not loop:
            alarm = _HERE.alarm = _Alarm(loop)
        self._alarm = alarm
        self._cancels = 0
        self._due = False
        self._rang = False
        self._task = task
        self.at_s: float | None = loop.time() + limit_s
        """When it is over, by the loop's clock; `None` while it stands still."""

    @property
    def expired(self) -> bool:
        """Whether the time was over before the block was left."""
        return self._rang

    def move(self, at_s: float | None) -> None:
        """Set another end, or none for now; not once it is over."""
        if not self._due:
            self.at_s = at_s
            self._alarm.set(self)

    def __enter__(self) -> Self:
        task = self._task = self._task or asyncio.current_task()
        if task is None:
            raise RuntimeError("expected a running task to set a deadline for")
        self._cancels = task.cancelling()
        self._alarm.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._alarm.running.pop(self, None)
        if self._due and self._task is not None:
            self._rang = True
            if self._task.uncancel() <= self._cancels and kind is asyncio.CancelledError:
                raise TimeoutError from error

    def ring(self) -> None:
        """The time is over."""
        self._due = True
        if self._task is not None:
            self._task.cancel()


class _Alarm:
    """The timer of one loop: it rings at the earliest deadline, or for nothing when that call has ended.

    It has a context of its own: that of the call which wound it would be kept
    until it rings, and with it the session.
    """

    __slots__ = ("_at_s", "_context", "_timer", "loop", "running")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.running: dict[Deadline, None] = {}
        self._at_s = inf
        self._context = contextvars.Context()
        self._timer: asyncio.TimerHandle | None = None

    def set(self, deadline: Deadline) -> None:
        """A deadline began, moved, or stands still."""
        if deadline.at_s is None:
            self.running.pop(deadline, None)
            return
        self.running[deadline] = None
        if deadline.at_s < self._at_s:
            self._wind(deadline.at_s)

    def _wind(self, at_s: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._at_s = at_s
        self._timer = self.loop.call_at(at_s, self._ring, context=self._context)

    def _ring(self) -> None:
        self._at_s, self._timer, now_s = inf, None, self.loop.time()
        left_s = inf
        for deadline in tuple(self.running):
            if deadline.at_s is not None and deadline.at_s > now_s:
                left_s = min(left_s, deadline.at_s)
                continue
            del self.running[deadline]
            deadline.ring()
        if left_s < inf:
            self._wind(left_s)


class _Here(threading.local):
    alarm: _Alarm | None = None


_HERE = _Here()
