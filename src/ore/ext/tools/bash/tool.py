"""`Bash`: shell commands as a tool."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from ore.artifact import Cut
from ore.errors import ToolError
from ore.ext.tools.bash.process import run_process
from ore.ext.tools.bash.result import CommandResult, output_of
from ore.ext.tools.bash.scratch import Scratch
from ore.ext.tools.bash.spool import Spool
from ore.ext.tools.sandboxes import CommandSandbox, HostSandbox
from ore.tool import Tool, ToolContext, tool

__all__ = ["LONGEST_S", "TIMEOUT_S", "bash"]

TIMEOUT_S: Final = 30.0
"""Seconds that a command may take when the model says nothing: the original's default."""

LONGEST_S: Final = 3600.0
"""Seconds that a model may ask for."""

DESCRIPTION: Final = (
    "Run a shell command, and get what it prints and its exit code.\n\n"
    "It has no standard input. It ends after {default_s:g} seconds unless `timeout_s` says otherwise. "
    "Long output is cut to its end."
)
"""What a model is told."""

PROGRESS_S: Final = 0.25
"""Seconds between two lines of output that are told while a command runs."""

SHOWN_CHARACTERS: Final = 200


def bash(sandbox: CommandSandbox | None = None, *, approve: bool = False, timeout_s: float = TIMEOUT_S) -> Tool:
    """Make the tool `bash`.

    A command ends at its time limit, or when its call is cancelled, with all
    that it started; what it printed until then is in the result. What it
    leaves running in the background ends with the session. The newest output
    is in the result, all of it in a private file that goes with the session.

    Args:
        sandbox: Where commands run; without one on this machine, with no
            border: see `HostSandbox`.
        approve: Whether a person has to say yes to each command.
        timeout_s: Seconds that a command may take when the model says nothing.

    Raises:
        ValueError: That is no time.
    """
    if not timeout_s > 0:
        raise ValueError(f"timeout_s: expected more than 0 seconds, got {timeout_s!r}")
    where = sandbox if sandbox is not None else HostSandbox()
    scratch = Scratch()
    told = DESCRIPTION.format(default_s=timeout_s)

    @tool(name="bash", description=told, approve=approve, timeout_s=LONGEST_S + 60, display_hint=_shown)
    async def run(context: ToolContext, command: str, timeout_s: float | None = None, cwd: str | None = None) -> Any:
        """Run a shell command.

        Args:
            command: Such as `ls -l | head`.
            timeout_s: Seconds that it may take, up to 3600.
            cwd: Where it begins.
        """
        if not command.strip():
            raise ToolError("command: expected a command, got none")
        if "\0" in command:
            raise ToolError("command: expected text without a NUL, which no shell takes; printf '\\0' prints one")
        return await _run(context, where, scratch, command, cwd, _limit(timeout_s, default_s))

    default_s = timeout_s
    return run


async def _run(
    context: ToolContext, where: CommandSandbox, scratch: Scratch, command: str, cwd: str | None, limit_s: float
) -> CommandResult:
    launch = where.launch(command, directory=cwd)
    state = context.state.base
    stdout, stderr = Spool(scratch.path(state)), Spool(scratch.path(state))
    ended = await run_process(launch, stdout, stderr, timeout_s=limit_s, on_output=_Progress(context).take)
    result = CommandResult(stdout=output_of(stdout, Cut()), stderr=output_of(stderr, Cut()), exit_code=ended.exit_code)
    if ended.exit_code is None:
        raise ToolError(f"the command took more than {limit_s:g} s and was ended", result=result)
    scratch.keep(state, ended.group)
    if ended.exit_code != 0:
        raise ToolError(f"the command ended with {_status(ended.exit_code)}", result=result)
    return result


def _limit(asked_s: float | None, default_s: float) -> float:
    """How long a command may take; what is no time is the default."""
    if asked_s is None or not asked_s > 0:
        return default_s
    return min(asked_s, LONGEST_S)


def _status(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {-code}"


def _shown(arguments: Mapping[str, Any]) -> str:
    return f"$ {arguments.get('command', '')}"


class _Progress:
    """Tells the last line of the output, now and then."""

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self._loop = asyncio.get_running_loop()
        self._due_s = self._loop.time() + PROGRESS_S

    def take(self, block: bytes) -> None:
        now = self._loop.time()
        if now < self._due_s:
            return
        self._due_s = now + PROGRESS_S
        lines = block[-4096:].decode("utf-8", "replace").strip().splitlines()
        if lines:
            self._context.progress("".join(filter(str.isprintable, lines[-1]))[:SHOWN_CHARACTERS])
