"""A stage for worker processes that share a folder, and may die on it."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from faults.actors import World
from ore.testing.failpoints import GATE, POINTS

LIMIT_S = 15
"""Seconds that anything a worker says may be waited for."""

Line = list[Any]


class Process:
    """A worker; `told` is what it has said so far."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, errors: Path) -> None:
        self._reader = reader
        self._writer = writer
        self._errors = errors
        self.pid = 0
        self.told: list[Line] = []
        self.code: int | None = None

    def send(self, *words: object) -> None:
        """Have it do something."""
        self._writer.write(json.dumps(words).encode() + b"\n")

    async def until(self, *words: object) -> Line:
        """Wait for a line that begins so; those that came already count."""
        place = 0
        while True:
            for line in self.told[place:]:
                if line[: len(words)] == list(words):
                    return line
            place = len(self.told)
            await self.more(f"it would say {words}")

    async def more(self, what: str = "it would say more") -> None:
        """Wait for whatever it says next."""
        assert await self._hear(what), f"it ended ({self.code}), expected that {what}: {self.story()}"

    async def ended(self) -> int:
        """How it ended: its exit code, or the signal below zero."""
        while await self._hear("it would end"):
            pass
        assert self.code is not None
        return self.code

    async def kill(self) -> None:
        """End it at once, and wait until it is gone with all its locks."""
        if self.code is None and self.pid:
            with suppress(ProcessLookupError):  # it was faster
                os.kill(self.pid, signal.SIGKILL)
        await self.ended()

    def explain(self) -> None:
        """Have it write what its tasks wait for, behind its errors."""
        os.kill(self.pid, signal.SIGUSR1)

    def resume(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def all(self, *words: object) -> Sequence[Line]:
        """What it said so far that begins so, without these words."""
        return [line[len(words) :] for line in self.told if line[: len(words)] == list(words)]

    def story(self) -> str:
        """What it said last, for whoever has to find a fault."""
        lines = "\n".join(json.dumps(line)[:300] for line in self.told[-30:])
        return f"{lines}\n{self._errors.read_text() if self._errors.exists() else ''}"

    def hang_up(self) -> None:
        """It has ended, and nothing more can be said."""
        self._writer.close()

    async def aclose(self) -> None:
        await self.kill()
        self.hang_up()

    async def _hear(self, what: str) -> bool:
        if self.code is not None:
            return False
        try:
            async with asyncio.timeout(LIMIT_S):
                line = await self._reader.readline()
        except TimeoutError:
            self.explain()
            await asyncio.sleep(1)
            raise AssertionError(f"expected that {what}: {self.story()}") from None
        self.told.append(json.loads(line))
        if self.told[-1][0] == "pid":
            self.pid = self.told[-1][1]
        if self.told[-1][0] == "exit":
            self.code = self.told[-1][1]
        return True


class Stage:
    """A folder with a store and a world outside, and the processes that worked there.

    Args:
        folder: Theirs alone.
        zygote: The socket of whoever makes processes.
    """

    def __init__(self, folder: Path, zygote: Path) -> None:
        self.folder = folder
        self.world = World(folder / "world")
        self.gate = folder / "gate"
        os.mkfifo(self.gate)
        self._zygote = zygote
        self._stack = AsyncExitStack()
        self.processes: list[Process] = []

    async def process(self, points: str = "") -> Process:
        """A fresh process, ready for commands."""
        reader, writer = await asyncio.open_unix_connection(str(self._zygote), limit=1 << 24)
        errors = self.folder / f"errors-{len(self.processes)}"
        process = Process(reader, writer, errors)
        self.processes.append(process)
        self._stack.push_async_callback(process.aclose)
        request = {
            "environment": {POINTS: points, GATE: str(self.gate)},
            "words": [str(self.folder)],
            "errors": str(errors),
        }
        writer.write(json.dumps(request).encode() + b"\n")
        await process.until("ready")
        return process

    async def killed(self, points: str, *commands: Sequence[object]) -> Process:
        """A process that these commands lead to its death."""
        process = await self.process(points)
        for command in commands:
            process.send(*command)
        assert await process.ended() == -signal.SIGKILL, process.story()
        return process

    async def recover(self, points: str = "") -> Process:
        """A fresh process that has gone on with everything it found."""
        process = await self.process(points)
        process.send("recover")
        await process.until("recovered")
        return process

    async def end(self, process: Process) -> None:
        """Let it end as it should, with nothing to complain of."""
        process.send("end")
        await process.until("bye")
        assert await process.ended() == 0, process.story()

    async def check(self) -> dict[str, Any]:
        """What the logs say, once a fresh process has checked them; whatever was acknowledged must be in there."""
        process = await self.process()
        process.send("check")
        _, sessions = await process.until("checked")
        await self.end(process)
        for worker in self.processes:
            _compare(worker, sessions)
        found: dict[str, Any] = sessions
        return found

    async def verdict(self) -> dict[str, Any]:
        """Go on with what is left in one process, check it in another."""
        await self.end(await self.recover())
        return await self.check()

    async def stories(self) -> str:
        """What everybody who still lives said last, and waits for."""
        alive = [process for process in self.processes if process.code is None]
        for process in alive:
            process.explain()
        await asyncio.sleep(1)
        return "\n\n".join([process.story() for process in alive])

    def open_gate(self) -> None:
        """Let go whoever sleeps at a failpoint."""
        descriptor = os.open(self.gate, os.O_WRONLY | os.O_NONBLOCK)
        os.write(descriptor, b".")
        os.close(descriptor)

    async def aclose(self) -> None:
        await self._stack.aclose()


UNWRITTEN = ("store", "fenced")
"""With these codes a process says that it could not write: its message goes on elsewhere."""


def _compare(worker: Process, sessions: dict[str, Any]) -> None:
    """Nothing that a worker was told is lost or otherwise."""
    unwritten = [message for _, message, _, code in worker.all("ended") if code in UNWRITTEN]
    for session, message in worker.all("accepted"):
        assert message in sessions[session]["endings"], f"accepted and lost: {message}\n{worker.story()}"
    for session, message, status, code in worker.all("ended"):
        if message in unwritten:
            continue
        ending = sessions[session]["endings"].get(message)
        assert ending == [status, code], f"told {status} {code}, logged {ending}: {message}\n{worker.story()}"
    for session, message, outcome in worker.all("done"):
        if message in unwritten:
            continue
        ending = sessions[session]["endings"].get(message, [None])
        assert ending[0] == outcome, f"told {outcome}, logged {ending}: {message}\n{worker.story()}"
    for session, turn, _ in worker.all("turn"):
        assert turn in sessions[session]["turns"], f"shown and lost: turn {turn}\n{worker.story()}"


@asynccontextmanager
async def staged(folder: Path, zygote: Path) -> AsyncIterator[Stage]:
    """A stage; nobody is left on it afterwards."""
    stage = Stage(folder, zygote)
    try:
        yield stage
    finally:
        await stage.aclose()
