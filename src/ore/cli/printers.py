"""Printers: what of a session's events is shown, and how."""

from typing import Protocol

from ore.app.given import Given
from ore.artifact import Artifact, Audio, File, Image, Notice, Text, TextDelta, ToolCall, ToolResult
from ore.artifact.codec import BUILTIN_KINDS
from ore.cli.output import Output
from ore.cli.terminal import say, whisper
from ore.event import Entry, Event, Gap, TurnComplete, TurnRestarted
from ore.ledger import Role, Turn

__all__ = ["EventPrinter", "NoticePrinter", "Printer", "TextPrinter"]


ASIDE_CHARACTERS = 200
"""Of a call or a result on the side of a terminal; `ore sessions show` has all of it."""


class Printer(Protocol):
    """Shows events, one after the other."""

    async def take(self, entry: Entry) -> None:
        """Show an event, or nothing of it."""
        ...

    async def end(self) -> None:
        """No event comes any more."""
        ...


class EventPrinter:
    """Every event as one JSON line."""

    def __init__(self, output: Output) -> None:
        self._output = output

    async def take(self, entry: Entry) -> None:
        """Print it."""
        await self._output.put_json(entry.json)

    async def end(self) -> None:
        """Nothing is left."""


class NoticePrinter:
    """Notices on standard error, and nothing else."""

    async def take(self, entry: Entry) -> None:
        """Say it when it is a notice."""
        if isinstance(entry.event, Notice):
            say(f"ore: {entry.event.content}")

    async def end(self) -> None:
        """Nothing is left."""


class TextPrinter:
    """The text of the answers as it comes, each answer on a line of its own.

    Nothing is printed twice. A reader that fell far behind gets the rest of
    each answer from the turns themselves. An answer that begins again does so
    on a new line of a terminal; elsewhere see `Given`.

    Args:
        output: Where it goes.
        whole: Whether each answer is printed when all of it is there, so that
            none is printed that is void later.
    """

    def __init__(self, output: Output, *, whole: bool = False) -> None:
        self._output = output
        self._whole = whole
        self._notices = NoticePrinter()
        self._block: str | None = None
        self._of_block = 0
        self._given = Given()
        self._last_turn: str | None = None
        self._line_open = False

    async def take(self, entry: Entry) -> None:
        """Print what is new of the text; say notices, and on a terminal what tools do."""
        event = entry.event
        if _depth(entry):  # said inside a call, by a tool or another agent
            if _stands_aside(event):
                await self._aside(entry)
        elif self._whole and isinstance(event, TextDelta | Text):
            return
        elif isinstance(event, TextDelta):
            self._enter(entry.context.block)
            await self._print(event.content)
        elif isinstance(event, Text):
            self._enter(entry.context.block)
            await self._print(event.content[self._of_block :])
            self._block = None
        elif isinstance(event, TurnComplete):
            await self._complete(event.turn)
        elif isinstance(event, Gap):
            await self._catch_up(event)
        elif isinstance(event, TurnRestarted):
            await self._restart()
        elif _stands_aside(event):
            await self._aside(entry)

    async def end(self) -> None:
        """End the line."""
        if self._line_open:
            self._line_open = False
            await self._output.put_text("\n")

    def _enter(self, block: str | None) -> None:
        if block is None or block != self._block:
            self._block, self._of_block = block, 0

    async def _print(self, text: str) -> None:
        self._of_block += len(text)
        await self._put(self._given.give(text))

    async def _put(self, text: str) -> None:
        if text:
            self._line_open = not text.endswith("\n")
            await self._output.put_text(text)

    async def _complete(self, turn: Turn) -> None:
        """Print what was not seen of the turn, and end its line."""
        self._last_turn = turn.id
        if turn.role is Role.ASSISTANT:
            whole = "".join(artifact.content for artifact in turn.artifacts if isinstance(artifact, Text))
            await self._put(self._given.complete(whole))
            self._block = None
            await self.end()

    async def _aside(self, entry: Entry) -> None:
        """What goes to standard error; on a terminal not into the middle of a line."""
        if self._output.terminal:
            await self.end()
        event = entry.event
        if isinstance(event, ToolCall):
            whisper("  " * _depth(entry) + _short(f"→ {event.name} {event.for_human()}"))
        elif isinstance(event, ToolResult):
            whisper("  " * _depth(entry) + _short(f"← {event.for_human()}"))
        elif isinstance(event, Artifact) and not isinstance(event, Notice):
            whisper("  " * _depth(entry) + _short(event.for_human()))
        await self._notices.take(entry)

    async def _catch_up(self, gap: Gap) -> None:
        turns = gap.snapshot.turns
        seen = [place for place, turn in enumerate(turns) if turn.id == self._last_turn]
        for turn in turns[seen[-1] + 1 :] if seen else ():
            await self._complete(turn)
        for open_block in gap.snapshot.blocks:
            if open_block.open and not open_block.path and isinstance(open_block.artifact, Text):
                self._enter(open_block.block)
                await self._print(open_block.artifact.content[self._of_block :])

    async def _restart(self) -> None:
        """What was printed of this answer is void."""
        self._block = None
        if self._output.terminal:
            await self.end()
            self._given = Given()
        else:
            self._given.restart()
        say("ore: the answer begins again")


def _stands_aside(event: Event | Artifact) -> bool:
    """Whether it is shown beside the text: calls, results, notices, files, and the kinds that packages bring."""
    if isinstance(event, ToolCall | ToolResult | Notice | Image | File | Audio):
        return True
    if not isinstance(event, Artifact) or type(event) in BUILTIN_KINDS:
        return False
    return event.persistent and event.sendable and bool(event.for_human())


def _depth(entry: Entry) -> int:
    """Inside how many calls it happened; a result belongs to where its call was made."""
    return len(entry.context.path or ()) - isinstance(entry.event, ToolResult)


def _short(text: str) -> str:
    """`text` on one line, and not all of it when it is long."""
    line = " ".join(text.split())
    return line if len(line) <= ASIDE_CHARACTERS else f"{line[: ASIDE_CHARACTERS - 1]}…"
