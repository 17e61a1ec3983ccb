"""Failpoints: a process dies, stops, fails or waits at a chosen seam, the nth time that it comes there.

Written `name:nth:action`, several with commas; `name` may hold `*`. What has a
seam is decorated (`ore.testing.failing`); the names there:

| moment | name |
|---|---|
| submit, before and after its commit | `submit.before`, `submit.after` |
| after take; once the message is known | `take.after`, `next.after` |
| mid-stream | `stream.batch` |
| between the model's end and the append | `stream.end`, `append.assistant.before` |
| before a tool | `tool.<its name>.before` |
| between a tool's effect and its record | `tool.<its name>.after`, `append.result.before` |
| between parallel results | `append.result.after` |
| after an append and before it is published | `append.after`, `append.ending.after`, `journal.after` |
| between giving back and the end of an activation | `close.after` |
"""

import asyncio
import fnmatch
import os
import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

import msgspec

from ore.errors import InputError, OreError

__all__ = ["GATE", "POINTS", "Action", "Failpoint", "FailpointError", "Failpoints"]

POINTS = "ORE_FAILPOINTS"
"""Environment variable with the failpoints of a child process."""

GATE = "ORE_FAILPOINT_GATE"
"""Environment variable with the path of the pipe on which `sleep` waits."""

Action = Literal["kill", "stop", "raise", "sleep"]
"""`kill`: SIGKILL to this process. `stop`: SIGSTOP, until somebody continues it.
`raise`: an error of the seam's own kind. `sleep`: wait until somebody writes
into the gate, a named pipe; for ever without one."""


class FailpointError(OreError):
    """Raised where a failpoint says `raise` and the seam has no error of its own."""


class Failpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One failpoint.

    Attributes:
        name: Of the place; `*` stands for any characters.
        nth: The passing at which it acts, from 1.
    """

    name: str
    nth: int
    action: Action


class Failpoints:
    """Counts who comes by, and acts.

    Args:
        points: What to do where.
        gate: A named pipe; a `sleep` ends when somebody writes into it.
        told: Called with the place before anything is done there.
    """

    def __init__(
        self, points: Sequence[Failpoint] = (), *, gate: Path | None = None, told: Callable[[str], None] | None = None
    ) -> None:
        self._points = tuple(points)
        self._passed = [0] * len(self._points)
        self._gate = gate
        self._told = told
        self._guard = threading.Lock()

    @classmethod
    def parse(cls, text: str, *, gate: Path | None = None, told: Callable[[str], None] | None = None) -> "Failpoints":
        """Read `name:nth:action,…`.

        Raises:
            InputError: It says something else.
        """
        return cls([_read(part) for part in text.split(",") if part], gate=gate, told=told)

    @classmethod
    def from_environment(
        cls, environment: Mapping[str, str] = os.environ, *, told: Callable[[str], None] | None = None
    ) -> "Failpoints":
        """What whoever started this process wants; nothing when they said nothing.

        Raises:
            InputError: The variable cannot be read.
        """
        gate = environment.get(GATE)
        return cls.parse(environment.get(POINTS, ""), gate=Path(gate) if gate else None, told=told)

    async def reach(self, *names: str, error: Callable[[str], Exception] = FailpointError) -> None:
        """Somebody is at a place, which may have several names.

        Raises:
            Exception: What `error` makes of a text, where a failpoint says `raise`.
        """
        await self.act(self.due(*names), names[-1], error)

    def reach_blocking(self, *names: str, error: Callable[[str], Exception] = FailpointError) -> None:
        """The same for a thread of its own, which `sleep` blocks."""
        for action in self.due(*names):
            if action == "sleep":
                _block(self._gate)
            else:
                _act(action, names[-1], error)

    async def act(
        self, actions: Sequence[Action], name: str, error: Callable[[str], Exception] = FailpointError
    ) -> None:
        """Do what `due` said."""
        for action in actions:
            if action == "sleep":
                await _wait(self._gate)
            else:
                _act(action, name, error)

    def due(self, *names: str) -> Sequence[Action]:
        """Count a passing; what has to be done at it. For seams that do nothing else when it is nothing."""
        due: list[Action] = []
        with self._guard:
            for place, point in enumerate(self._points):
                if any(fnmatch.fnmatchcase(name, point.name) for name in names):
                    self._passed[place] += 1
                    if self._passed[place] == point.nth:
                        due.append(point.action)
        if due and self._told is not None:
            self._told(names[-1])
        return due


def _read(text: str) -> Failpoint:
    name, _, rest = text.strip().partition(":")
    nth, _, action = rest.partition(":")
    if not (name and nth.isascii() and nth.isdigit() and int(nth) > 0 and action in get_args(Action)):
        raise InputError(f"failpoint: expected name:nth:kill|stop|raise|sleep, got {text[:100]!r}")
    return msgspec.convert({"name": name, "nth": int(nth), "action": action}, Failpoint)


def _act(action: Action, name: str, error: Callable[[str], Exception]) -> None:
    if action == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif action == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    else:
        raise error(f"failpoint at {name}")


async def _wait(gate: Path | None) -> None:
    """Until the gate can be read; the loop goes on meanwhile."""
    opened = asyncio.Event()
    if gate is None:
        await opened.wait()
        return
    loop = asyncio.get_running_loop()
    descriptor = os.open(gate, os.O_RDONLY | os.O_NONBLOCK)  # does not wait for a writer, as a plain open would
    try:
        loop.add_reader(descriptor, opened.set)
        await opened.wait()
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


def _block(gate: Path | None) -> None:
    if gate is None:
        threading.Event().wait()
    else:
        with open(gate, "rb") as pipe:
            pipe.read(1)
