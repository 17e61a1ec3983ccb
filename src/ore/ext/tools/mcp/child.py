"""`Child`: a server's process and its three pipes, ended with all that it started."""

import asyncio
import logging
import os
import signal
from collections import deque
from contextlib import suppress
from typing import Any, Final

from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCMessage, JSONRPCRequest, JSONRPCResponse, jsonrpc_message_adapter

from ore.ext.tools.mcp.environment import environment, without_secrets
from ore.ext.tools.mcp.lines import Lines, MessageTooLongError
from ore.ext.tools.mcp.settings import McpOptions, Stdio

__all__ = ["Child", "UnsentError"]

log = logging.getLogger(__name__)

DRAIN_S: Final = 0.3
"""0.3 s for what a dead server had still written; a grandchild may hold the pipe for ever."""

EXIT_S: Final = 1.0
"""1 s for a server whose output ended to end itself, and so to say more of it than that."""

MAX_WAITING: Final = 256
"""Messages that wait to be dispatched before reading stops."""

_ERROR_BYTES: Final = 4096


class UnsentError(Exception):
    """A request was not sent, because the server was gone before."""


class Child(asyncio.SubprocessProtocol):
    """One running server; made by `start`, ended by `stop`.

    Attributes:
        command: What is started.
        variables: Its environment.
    """

    def __init__(self, name: str, where: Stdio, options: McpOptions) -> None:
        self._name = name
        self._where = where
        self._loop = asyncio.get_running_loop()
        self._lines: Lines[JSONRPCMessage] = Lines(_parsed, self._is_awaited, options.message_bytes)
        self._awaited: set[str | int] = set()
        self._inbox: deque[SessionMessage] = deque()
        self._news = asyncio.Event()
        self._may_write = asyncio.Event()
        self._may_write.set()
        self._exited = asyncio.Event()
        self._transport: asyncio.SubprocessTransport | None = None
        self._errors = b""
        self._warned = False
        self._paused = False
        self._ending = False
        self._over = False
        self._fault: str | None = None
        self.command = where.command
        self.variables = environment(where)

    async def start(self) -> None:
        """Start the process, in a group of its own.

        Raises:
            OSError: It cannot be started.
        """
        await self._loop.subprocess_exec(
            lambda: self,
            self._where.command,
            *self._where.args,
            env=self.variables,
            cwd=self._where.cwd,
            start_new_session=True,
        )

    @property
    def is_over(self) -> bool:
        """Whether it is gone, or about to go."""
        return self._over or self._ending

    @property
    def why(self) -> str:
        """What became of it."""
        if self._fault is not None:
            return f"sent {self._fault}"
        if self._exited.is_set():
            return f"ended ({_status(self._process.get_returncode())})"
        return "closed its output"

    @property
    def hint(self) -> str:
        """What it printed where only messages may stand, and its last complaint; no secret that it was given."""
        said = self._errors.decode(errors="replace").strip().rpartition("\n")[2][-200:]
        parts = []
        if self._lines.noise is not None:
            parts.append(f"it printed {self._lines.noise!r} on its standard output, where only messages may stand")
        if said:
            parts.append(f"its last words were {said!r}")
        text = "".join(f"; {part}" for part in parts)
        return without_secrets(text, self._where, self.variables)

    async def receive(self) -> SessionMessage | None:
        """The next message; `None` when there will be no more."""
        while not self._inbox:
            if self._over:
                return None
            self._news.clear()
            await self._news.wait()
        message = self._inbox.popleft()
        if self._paused and len(self._inbox) < MAX_WAITING // 2:
            self._paused = False
            self._pipe(1).resume_reading()
        return message

    async def send(self, message: JSONRPCMessage) -> None:
        """Write a message; a request waits while the server does not read.

        Raises:
            UnsentError: It is a request, and nothing of it was written: the
                server is gone, or closed its input.
            BrokenPipeError: It is something else, and the same holds.
        """
        is_request = isinstance(message, JSONRPCRequest)
        if self._ending and is_request:
            raise UnsentError
        line = message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
        if isinstance(message, JSONRPCRequest):
            self._awaited.add(message.id)
            await self._may_write.wait()
        if not self._written(line):
            self._end_soon()
            raise UnsentError if is_request else BrokenPipeError

    def _written(self, line: bytes) -> bool:
        """Whether the line, or a part of it, may reach the server."""
        pipe = self._pipe(0)
        if self._over or pipe.is_closing():
            return False
        is_first = not pipe.get_write_buffer_size()
        pipe.write(line)
        return not (is_first and pipe.is_closing())  # closed by this very write: it came to nothing

    async def stop(self, grace_s: float) -> None:
        """Close its input, and let it end; then end it, and whatever it started.

        Args:
            grace_s: Seconds for each of the two ways in which it may end by itself.
        """
        self._close()
        self._pipe(0).close()
        for number in (None, signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
            if number is not None:
                self._signal(number)
            with suppress(TimeoutError):
                async with asyncio.timeout(grace_s):
                    await self._exited.wait()
                break
        self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))  # what it left behind
        self._process.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It was started."""
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Take what it wrote."""
        if fd == 2:
            self._errors = (self._errors + data)[-_ERROR_BYTES:]
            return
        if self._over:
            return
        try:
            found = self._lines.feed(data)
        except MessageTooLongError as error:
            self._fault = str(error)
            self._close()
            return
        for message in found:
            if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
                self._awaited.discard(message.id)
            self._inbox.append(SessionMessage(message))
        if self._lines.noise is not None and not self._warned:
            self._warned = True
            log.warning("mcp server %r prints what is no message, which is passed over%s", self._name, self.hint)
        if len(self._inbox) > MAX_WAITING and not self._paused:
            self._paused = True
            self._pipe(1).pause_reading()
        self._news.set()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Its output ended, or it reads no more."""
        if fd == 0:
            self._may_write.set()
        if fd != 2:
            self._end_soon()

    def process_exited(self) -> None:
        """It ended; what it had written before is still taken."""
        self._ending = True
        self._exited.set()
        pipe: Any = self._process.get_pipe_transport(1)
        if pipe is None or pipe.is_closing():
            self._close()
        else:
            self._loop.call_later(DRAIN_S, self._close)

    def pause_writing(self) -> None:
        """It does not read."""
        self._may_write.clear()

    def resume_writing(self) -> None:
        """It reads again."""
        self._may_write.set()

    @property
    def _process(self) -> asyncio.SubprocessTransport:
        assert self._transport is not None, "started before it is used"
        return self._transport

    def _pipe(self, fd: int) -> Any:
        return self._process.get_pipe_transport(fd)

    def _end_soon(self) -> None:
        if not self._ending:
            self._ending = True
            self._loop.call_later(EXIT_S, self._close)

    def _close(self) -> None:
        """Nothing more comes from it."""
        self._over = True
        self._may_write.set()
        self._news.set()

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.get_pid(), number)
            else:
                self._process.send_signal(number)

    def _is_awaited(self, message: JSONRPCMessage) -> bool:
        return isinstance(message, JSONRPCResponse | JSONRPCError) and message.id in self._awaited


def _parsed(line: bytes) -> JSONRPCMessage:
    message: JSONRPCMessage = jsonrpc_message_adapter.validate_json(line, by_name=False)
    return message


def _status(code: int | None) -> str:
    if code is not None and code < 0:
        with suppress(ValueError):
            return f"killed by {signal.Signals(-code).name}"
    return f"exit status {code}"
