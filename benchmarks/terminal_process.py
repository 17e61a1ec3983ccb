"""A screen, or an empty one, in a process of its own; prints what one thing cost in seconds.

`python -m benchmarks.terminal_process WHAT CANDIDATE`
"""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import TextArea

from ore.artifact import Text, TextDelta
from ore.event import Entry, EventContext, Lifecycle, Snapshot
from ore.ext.conduits.terminal.app import TerminalApp
from ore.ledger import Role, Turn

LINES = 10_000
KEYS = 200
DELTAS_S = 6.0
PAUSE_S = 0.01
"""Of 100 deltas a second."""


class Empty(App[None]):
    """What anybody who types into Textual pays for."""

    def compose(self) -> ComposeResult:
        yield TextArea()


class Still:
    """A session in which what the test says happens."""

    def __init__(self) -> None:
        self.entries: asyncio.Queue[Any] = asyncio.Queue()
        self.session_id = "bench"
        self.place = ""
        self.model = None

    async def events(self, lines: Any) -> Any:
        lines.line("live")
        while (entry := await self.entries.get()) is not None:
            yield [entry]

    async def commands(self) -> Any:
        return ()


def history(lines: int) -> list[Turn]:
    """Turns that fill about so many lines."""
    turns: list[Turn] = []
    for number in range(lines // 20):
        text = f"## Part {number}\n\n" + "\n".join(f"- point {n} of it, with `code` and **weight**" for n in range(12))
        for role, content in ((Role.USER, f"Question {number}?"), (Role.ASSISTANT, text)):
            parent = turns[-1].id if turns else None
            turns.append(Turn(id=f"t{len(turns)}", parent_id=parent, role=role, artifacts=(Text(content=content),)))
    return turns


def screen(lines: int = 0) -> tuple[TerminalApp, Still]:
    link = Still()
    return TerminalApp(link, Snapshot(id="1-0", turns=history(lines))), link  # type: ignore[arg-type]


async def paint(app: App[Any]) -> float:
    """CPU seconds until the first picture is there."""
    begun = time.process_time()
    async with app.run_test(size=(100, 40)):
        return time.process_time() - begun


async def echo(app: App[Any], settled: Callable[[], bool], composer: Callable[[], TextArea]) -> float:
    """CPU seconds from a key to the picture that shows it."""
    async with app.run_test(size=(100, 40)) as pilot:
        await _until(settled)
        await _press(pilot, composer(), 20)
        begun = time.process_time()
        await _press(pilot, composer(), KEYS)
        return (time.process_time() - begun) / KEYS


async def _press(pilot: Pilot[Any], area: TextArea, keys: int) -> None:
    for number in range(keys):
        await pilot.press("abcdefghij"[number % 10])
        area.screen._on_timer_update()


async def stream(app: TerminalApp, link: Still) -> float:
    """CPU seconds for each second in which 100 deltas arrive, the pauses of the loop included."""
    async with app.run_test(size=(100, 40)):
        await _until(lambda: app.transcript.rows.is_drawn)
        context = EventContext(message="m", block="live:1", thread_id="bench")
        link.entries.put_nowait(Entry(1, 1, "lifecycle", context, Lifecycle(phase="streaming")))
        number, begun, cpu = 1, time.monotonic(), time.process_time()
        while (now := time.monotonic()) - begun < DELTAS_S:
            due = int((now - begun) / PAUSE_S) + 1
            while number <= due:
                number += 1
                text = f"word{number} and " + "\n\n" * (number % 40 == 0)
                link.entries.put_nowait(Entry(1, number, "text_delta", context, TextDelta(content=text)))
            await asyncio.sleep(PAUSE_S)
        return (time.process_time() - cpu) / (time.monotonic() - begun)


async def _until(is_so: Callable[[], bool]) -> None:
    while not is_so():  # noqa: ASYNC110  # what is on a screen wakes nobody
        await asyncio.sleep(0.01)


def measured(what: str, candidate: str) -> Awaitable[float]:
    if candidate == "empty":
        app: App[Any] = Empty()
        if what == "paint":
            return paint(app)
        return echo(app, lambda: True, lambda: app.query_one(TextArea))
    full, link = screen(0 if what == "paint" else LINES)
    if what == "paint":
        return paint(full)
    if what == "stream":
        return stream(full, link)
    return echo(full, lambda: full.transcript.rows.is_drawn, lambda: full.composer)


async def main() -> None:
    print(await measured(*sys.argv[1:3]))


if __name__ == "__main__":
    asyncio.run(main())
