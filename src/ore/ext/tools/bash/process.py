"""`run_process`: a command with all that it starts, from its start to its end."""

import asyncio
import errno
import os
import signal
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from ore._aio import finish
from ore.errors import ToolError
from ore.ext.tools.bash.spool import Spool
from ore.ext.tools.sandboxes import Launch

__all__ = ["Ended", "OnOutput", "end_group", "run_process"]

GRACE_S: Final = 0.5
"""Seconds between asking a command to end and ending it."""

DRAIN_S: Final = 0.1
"""Seconds for output that is still in a pipe when a command has ended but something that it started lives on."""

OnOutput = Callable[[bytes], None]
"""Called with output as it comes, of both streams."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended.

    Attributes:
        exit_code: Its status; the signal below zero when one ended it; `None`
            when the limit of time did.
        group: The process group, of which something may live on.
    """

    exit_code: int | None
    group: int


async def run_process(
    launch: Launch, stdout: Spool, stderr: Spool, *, timeout_s: float, on_output: OnOutput | None = None
) -> Ended:
    """Run a command until it ends, or the time is over.

    It has no standard input and no terminal, and a session and process group
    of its own. When it ends, what it started in the background lives on, and
    does not hold it up though it keeps the pipes open. At the limit of time,
    and when the caller is cancelled, the whole group is asked to end, then
    ended. The output until then is in the spools, whatever happened.

    Raises:
        ToolError: It cannot be started.
    """
    pipes = [_Pipe(stdout, on_output), _Pipe(stderr, on_output)]
    begun: list[asyncio.subprocess.Process] = []
    try:
        # Not cut short: a process that is half made could not be ended with all that it starts meanwhile.
        await finish(_start(launch, pipes), then=begun.append)
        return await _wait(begun[0], pipes, timeout_s)
    except BaseException:
        for process in begun:
            await finish(end_group(process.pid, process.wait))
        raise
    finally:
        for pipe in pipes:
            pipe.close()


async def end_group(group: int, ended: Callable[[], Awaitable[object]]) -> None:
    """Ask a process group to end, then end it.

    Args:
        group: Its id.
        ended: Waits until its first process is gone.
    """
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_S):
                await ended()


async def _start(launch: Launch, pipes: Sequence["_Pipe"]) -> asyncio.subprocess.Process:
    try:
        out, err = [await pipe.open() for pipe in pipes]
        return await asyncio.create_subprocess_exec(
            *launch.argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            cwd=launch.directory,
            env=launch.environment,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise ToolError(f"the command could not be started in {launch.directory}: {_why(error)}") from None
    finally:
        for pipe in pipes:
            pipe.started()


def _why(error: OSError | ValueError) -> str:
    if not isinstance(error, OSError):
        return str(error)
    if error.errno == errno.E2BIG:
        return "it is longer than the system takes; write long texts to files, in several commands"
    return error.strerror or type(error).__name__


async def _wait(process: asyncio.subprocess.Process, pipes: Sequence["_Pipe"], timeout_s: float) -> Ended:
    code: int | None = None
    try:
        async with asyncio.timeout(timeout_s) as limit:
            code = await process.wait()
    except TimeoutError:
        if not limit.expired():
            raise
        await finish(end_group(process.pid, process.wait))
    with suppress(TimeoutError):  # whatever it left behind may hold the pipes for as long as it likes
        async with asyncio.timeout(DRAIN_S):
            for pipe in pipes:
                await pipe.end.wait()
    return Ended(code, process.pid)


class _Pipe(asyncio.Protocol):
    """Reads one stream into its spool; not asyncio's own, whose `wait` waits for whoever holds the pipe."""

    def __init__(self, spool: Spool, on_output: OnOutput | None) -> None:
        self._spool = spool
        self._on_output = on_output
        self._theirs = -1
        self._transport: asyncio.BaseTransport | None = None
        self.end = asyncio.Event()

    async def open(self) -> int:
        ours, self._theirs = os.pipe()
        self._transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: self, os.fdopen(ours, "rb", buffering=0)
        )
        return self._theirs

    def started(self) -> None:
        if self._theirs >= 0:
            os.close(self._theirs)
            self._theirs = -1

    def data_received(self, data: bytes) -> None:
        self._spool.write(data)
        if self._on_output is not None:
            self._on_output(data)

    def connection_lost(self, error: Exception | None) -> None:
        self.end.set()

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()
        self._spool.close()
