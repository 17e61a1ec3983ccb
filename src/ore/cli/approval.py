"""`Approval`: answers questions of tools, by the person at the terminal or by what the options say."""

import asyncio
import sys
from typing import Literal

from ore.cli.lines import Lines
from ore.cli.progress import Progress
from ore.cli.terminal import is_terminal, say
from ore.event import Answer, Question

__all__ = ["Approval"]


class Approval:
    """Answers questions, one after the other.

    Args:
        mode: `always` approves, `never` denies, `ask` asks on a terminal and
            denies elsewhere. A question to the person is asked in any mode.
        lines: Where answers come from.
        progress: What may stand on the line where the question is put.
    """

    def __init__(self, mode: Literal["ask", "always", "never"], lines: Lines, progress: Progress | None = None) -> None:
        self._mode = mode
        self._progress = progress
        self._lines = lines
        self._one_at_a_time = asyncio.Lock()

    async def __call__(self, question: Question) -> Answer:
        """The answer, in the end."""
        if question.purpose == "approval" and self._mode == "always":
            return Answer(key=question.key, decision="approve")
        if question.purpose == "approval" and self._mode == "never":
            return _denied(question, "the user approves nothing (--approve never)")
        if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
            hint = "; --approve always approves" if question.purpose == "approval" else ""
            return _denied(question, f"nobody can be asked: standard input is not a terminal{hint}")
        async with self._one_at_a_time:
            return await self._ask(question)

    async def _ask(self, question: Question) -> Answer:
        if self._progress is not None:
            self._progress.stop()
        if question.purpose != "approval":
            choices = f" ({', '.join(question.options)})" if question.options else ""
            say(f"{question.text or 'The tool asks for an answer'}{choices}:")
            line = await self._lines.next()
            if line is None:
                return _denied(question, "standard input ended")
            return Answer(key=question.key, answer=line)
        say(f"Run {question.tool} {question.arguments or ''}? [y/N]")
        line = await self._lines.next()
        if line is not None and line.strip().lower() in ("y", "yes"):
            return Answer(key=question.key, decision="approve")
        return _denied(question, "the user said no")


def _denied(question: Question, reason: str) -> Answer:
    return Answer(key=question.key, decision="deny", reason=reason)
