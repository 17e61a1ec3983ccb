"""`Approval`: answers questions of tools, by the person at the terminal or by what the options say."""

import asyncio
import sys
from typing import Literal

import msgspec

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
        missing = _missing_terminal()
        if missing is not None:
            return _unasked(question, missing)
        async with self._one_at_a_time:
            return await self._ask(question)

    async def _ask(self, question: Question) -> Answer:
        if self._progress is not None:
            self._progress.stop()
        if question.purpose == "approval":
            return await self._ask_whether(question)
        choices = f" ({', '.join(question.options)})" if question.options else ""
        say(f"{question.text or 'The tool asks for an answer'}{choices}:")
        line = await self._lines.next()
        if line is None:
            return _denied(question, "standard input ended")
        return Answer(key=question.key, answer=line)

    async def _ask_whether(self, question: Question) -> Answer:
        if question.text:
            say(question.text)
        say(f"{_what(question)}? {'[y/N, e to change the arguments]' if question.editable else '[y/N]'}")
        line = ((await self._lines.next()) or "").strip().lower()
        if line in ("y", "yes"):
            return Answer(key=question.key, decision="approve")
        if question.editable and line in ("e", "edit"):
            return await self._ask_arguments(question)
        return _denied(question, "the user said no")

    async def _ask_arguments(self, question: Question) -> Answer:
        while True:
            say("The arguments to run with, a JSON object on one line; an empty line says no:")
            line = await self._lines.next()
            if line is None or not line.strip():
                return _denied(question, "the user said no")
            if _is_object(line):
                return Answer(key=question.key, decision="approve", arguments=line.strip())
            say('ore: expected a JSON object such as {"name": "value"}; nothing has run')


def _what(question: Question) -> str:
    """What a yes would do."""
    if question.tool is None:
        return "Go on"
    return f"Run {question.tool} {question.arguments or ''}".rstrip()


def _is_object(line: str) -> bool:
    try:
        return isinstance(msgspec.json.decode(line), dict)
    except (msgspec.DecodeError, UnicodeError):
        return False


def _missing_terminal() -> str | None:
    """Which stream keeps people from being asked; `None` where they can be."""
    if not is_terminal(sys.stdin):
        return "standard input"
    return None if is_terminal(sys.stderr) else "standard error"


def _unasked(question: Question, stream: str) -> Answer:
    """No decision, for nobody can be asked; why goes to standard error only, without what it would have run with."""
    hint = "; --approve always approves" if question.purpose == "approval" else ""
    of = "" if question.tool is None else f" of the tool {question.tool!r}"
    what = f"a call{of} was denied" if question.purpose == "approval" and of else f"a question{of} was not put"
    say(f"ore: {what}: nobody can be asked: {stream} is not a terminal{hint}")
    return Answer(key=question.key, reason="nobody could be asked")


def _denied(question: Question, reason: str) -> Answer:
    return Answer(key=question.key, decision="deny", reason=reason)
