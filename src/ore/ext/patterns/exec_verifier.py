"""`ExecVerifier`: a command checks, such as a test run."""

import asyncio
import os
import re
import shlex
import signal
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import BinaryIO, Final

from ore._aio import finish
from ore.errors import ToolError
from ore.ext.patterns.verification import Standing, Verification
from ore.ledger import State
from ore.tool import ExecSandbox

__all__ = ["ExecVerifier"]

_LONGEST_BYTES: Final = 50_000
"""Of the output's end that is read; where tools say what failed."""

_SECRET: Final = re.compile("(?i)key|token|secret|passw|credential")
"""What names of environment variables look like whose values a command does not get."""


class ExecVerifier:
    """Runs a command: status 0 passes, any other one fails with what it printed.

    One that cannot be started, or takes too long, could not find out. It has
    no standard input, and a process group of its own, which is ended with it.
    Of the environment it gets no variable that looks like a secret.

    Args:
        name: What it is called in reports.
        command: The program and its arguments; no shell is asked.
        directory: Where it runs; here by default.
        timeout_s: Seconds until it is ended.
        environment: Its variables, instead of those.
        sandbox: Where it runs instead, by the sandbox's own rules.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        directory: str | os.PathLike[str] | None = None,
        timeout_s: float = 120.0,
        environment: Mapping[str, str] | None = None,
        sandbox: ExecSandbox | None = None,
    ) -> None:
        if isinstance(command, str) or not command:
            raise TypeError(f"command: expected a program and its arguments as a list, got {command!r}")
        self._name = name
        self._command = tuple(command)
        self._directory = None if directory is None else os.fspath(directory)
        self._timeout_s = timeout_s
        self._environment = environment
        self._sandbox = sandbox

    @property
    def name(self) -> str:
        """What it is called in reports."""
        return self._name

    async def verify(self, state: State) -> Verification:
        """Run the command."""
        try:
            async with asyncio.timeout(self._timeout_s):
                code, output = await (self._run() if self._sandbox is None else self._inside(self._sandbox))
        except TimeoutError:
            return self._found(Standing.ERROR, f"{self._shown} took longer than {self._timeout_s:g} s")
        except (OSError, ValueError, ToolError) as error:
            return self._found(Standing.ERROR, f"{self._shown} could not be started: {error}")
        if code == 0:
            return self._found(Standing.PASSED, "")
        return self._found(Standing.FAILED, f"{self._shown} ended with status {code}:\n\n```\n{output.strip()}\n```")

    @property
    def _shown(self) -> str:
        return f"`{shlex.join(self._command)}`"

    def _found(self, standing: Standing, report: str) -> Verification:
        return Verification(name=self._name, standing=standing, report=report)

    async def _inside(self, sandbox: ExecSandbox) -> tuple[int, str]:
        done = await sandbox.run(shlex.join(self._command), directory=self._directory)
        return done.exit_code, f"{done.stdout}{done.stderr}"

    async def _run(self) -> tuple[int, str]:
        """Its status and the end of what it printed.

        It prints into a file, so that nothing that it leaves behind holds it up.
        """
        given = self._environment
        environment = (
            dict(given) if given is not None else {k: v for k, v in os.environ.items() if not _SECRET.search(k)}
        )
        with tempfile.TemporaryFile() as output:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=self._directory,
                env=environment,
                start_new_session=True,
            )
            try:
                code = await process.wait()
            finally:
                await finish(_end(process), limit_s=5.0)
            return code, await asyncio.to_thread(_tail, output)


async def _end(process: asyncio.subprocess.Process) -> None:
    """End it, and all that it started and left behind."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


def _tail(output: BinaryIO) -> str:
    size = output.seek(0, os.SEEK_END)
    output.seek(max(size - _LONGEST_BYTES, 0))
    return output.read().decode("utf-8", "replace")
