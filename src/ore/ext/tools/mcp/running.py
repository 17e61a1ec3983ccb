"""`Running`: a call on its way, and what the server asks in the middle of it."""

import asyncio
import logging
from contextlib import suppress
from contextvars import ContextVar, copy_context
from typing import Final

from mcp import types

from ore.errors import SessionClosedError, ToolError
from ore.ext.tools.mcp.elicitation import Form
from ore.tool import ToolContext

__all__ = ["CURRENT_CALL", "Running"]

log = logging.getLogger(__name__)

MAX_ANSWERS: Final = 3
"""Answers that do not fit before the server is told that there is none."""

PROGRESS_S: Final = 0.05
"""0.05 s: whoever watches reads no faster, and a server may report every byte."""

_MAX_PROGRESS: Final = 200


class Running:
    """One call of a tool.

    Args:
        context: Of the call.
        tool: What people know it as.
    """

    def __init__(self, context: ToolContext, tool: str) -> None:
        self._context = context
        self._tool = tool
        self._variables = copy_context()
        self._asking: set[asyncio.Task[types.ElicitResult]] = set()
        self._told_at = float("-inf")
        self._over = False

    async def progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Show how far the server says it is."""
        now = asyncio.get_running_loop().time()
        if now - self._told_at < PROGRESS_S or self._over:
            return
        self._told_at = now
        if total:
            far = f"{progress / total:.0%}" if 0 <= progress <= total else f"{progress:g} of {total:g}"
        else:
            far = f"{progress:g}"
        with suppress(SessionClosedError):
            self._context.progress(f"{message[:_MAX_PROGRESS]} ({far})" if message else f"{self._tool}: {far}")

    async def ask(self, server: str, params: types.ElicitRequestParams) -> types.ElicitResult:
        """Put the server's question to the person, as part of this call; it ends with the call."""
        if self._over:
            return types.ElicitResult(action="cancel")
        # The server's question arrives anywhere; the person's events belong to the call.
        task = asyncio.get_running_loop().create_task(
            self._answered(Form(server, params)), context=self._variables.copy()
        )
        self._asking.add(task)
        try:
            await asyncio.wait((task,))
        finally:
            self._asking.discard(task)
            if not task.done():
                task.cancel()
                await asyncio.wait((task,))
        if task.cancelled():
            return types.ElicitResult(action="cancel")
        if task.exception() is not None:
            log.warning("mcp server %r asked, and nobody could be: %s", server, type(task.exception()).__name__)
            return types.ElicitResult(action="cancel")
        return task.result()

    def end(self) -> None:
        """The call is over, and so is what is asked on its behalf."""
        self._over = True
        for task in tuple(self._asking):
            task.cancel()

    async def _answered(self, form: Form) -> types.ElicitResult:
        fault: str | None = None
        for _ in range(MAX_ANSWERS):
            answer = await self._context.ask_as(form.question(self._context.call.name, fault))
            try:
                return form.result(answer)
            except ToolError as error:
                fault = str(error)
        return types.ElicitResult(action="cancel")


CURRENT_CALL: Final[ContextVar[Running | None]] = ContextVar("ore_mcp_call", default=None)
"""The call in whose context something runs."""
