"""How the screen looks: narrow, wide, resized, in colours and without, and what reaches the window around it."""

import asyncio
import logging
import subprocess
import sys
from io import StringIO
from typing import Any

import pytest
from textual.app import App

from ore.artifact import Notice, ReasoningDelta, StopReason, TextDelta, ToolCallDelta
from ore.ext.conduits.terminal.log_buffer import LogBuffer
from ore.ext.conduits.terminal.status import Zones
from ore.ext.conduits.terminal.surroundings import background_of, title_sequence
from ore.ext.tools.calculator import calculator
from terminal.scene import Stage, call, stage, until

ANSWER = "# 漢字 and 👩‍👩‍👧\n\n" + "wide 漢字 text e\u0301 שלום עולם " * 12 + "\n\n| a | b |\n|---|---|\n| 漢 | 2 |\n"


def recorded(app: App[Any]) -> list[str]:
    """What the app writes past its screen from now on."""
    written: list[str] = []
    app.write_control = written.append  # type: ignore[attr-defined]
    return written


@pytest.mark.parametrize("size", [(60, 15), (30, 10), (200, 50)])
async def test_every_size_shows_the_answer_the_input_and_the_state(size: tuple[int, int]) -> None:
    """Behaviour 23: 60x15 is usable."""
    calls = [call("calculator", '{"expression": "6*7"}'), [TextDelta(content="So it is 42.")]]
    async with stage(*calls, tools=[calculator], size=size) as on:
        await on.send("What is 6*7?")
        await on.idle()
        await on.shows("So it is 42.", "ready", "Ask, or type")
        await on.type("more")
        await on.shows("more")
        assert len(on.lines) == size[1]


async def test_wide_characters_leave_the_borders_where_they_are() -> None:
    """Behaviour 23."""
    async with stage([TextDelta(content=ANSWER)], size=(40, 24)) as on:
        await on.type("漢字👩‍👩‍👧e\u0301")
        await on.send("漢字 " * 30)
        await on.idle()
        rows = on.app.screen._compositor.render_strips()
        assert {row.cell_length for row in rows} == {40}


@pytest.mark.requirement("B101")
async def test_a_screen_that_was_resized_in_mid_stream_ends_like_one_that_began_so() -> None:
    """Behaviour 23."""
    holds = [asyncio.Event() for _ in range(3)]
    pieces: list[Any] = []
    for number, hold in enumerate(holds):
        pieces += [
            TextDelta(content=f"Paragraph {number}: " + "many words " * 14 + "\n\n```py\nx = 1\n```\n\n"),
            hold,
        ]
    script = [ReasoningDelta(content="Hm."), *pieces, StopReason(reason="stop")]
    async with stage(script, size=(120, 40)) as on:
        await on.send("go")
        for hold, size in zip(holds, ((40, 10), (200, 50), (70, 24)), strict=True):
            await on.shows("x = 1")
            await on.pilot.resize_terminal(*size)
            hold.set()
        await on.idle()
        kept = on.sessions.store
        await until(lambda: on.app.transcript.rows.is_drawn, "all to be drawn")
        await on.pilot.pause()
        resized = [line for line in on.app.transcript.line_texts() if ":" not in line[:6]]
    async with stage(size=(70, 24), store=kept) as fresh:
        await until(lambda: fresh.app.transcript.rows.is_drawn, "all to be drawn")
        await fresh.pilot.pause()
        assert [line for line in fresh.app.transcript.line_texts() if ":" not in line[:6]] == resized


@pytest.mark.requirement("B96")
async def test_what_somebody_reads_stays_while_much_arrives_and_the_end_is_followed_again() -> None:
    """Behaviour 11."""
    hold = asyncio.Event()
    long = "".join(f"- row {number}\n" for number in range(500))
    async with stage([TextDelta(content=long), hold, *[TextDelta(content=f"- new {n}\n") for n in range(300)]]) as on:
        await on.send("go")
        await on.shows("row 499")
        for _ in range(5):
            await on.pilot.press("pageup")
        await on.shows("End goes there")
        before, top = on.app.transcript.line_texts(), on.app.transcript.scroll_offset.y
        hold.set()
        await on.idle()
        assert on.app.transcript.scroll_offset.y == top
        assert on.app.transcript.line_texts()[: len(before)] == before
        await on.shows("300 new lines")
        await on.pilot.press("end")
        await on.shows("new 299")


async def test_what_grows_further_up_moves_nothing_that_is_read() -> None:
    """Behaviour 11."""
    long = "".join(f"- row {number}\n" for number in range(120))
    thought = ReasoningDelta(content="\n\n".join(f"thought {number}" for number in range(30)))
    async with stage([thought, TextDelta(content=long)]) as on:
        await on.send("go")
        await on.idle()
        await on.pilot.press("pageup")
        await on.shows("End goes there")
        transcript, thinking = on.app.transcript, on.app.view.cells[1]
        before, total = transcript.line_texts(), transcript.rows.total
        thinking.unfolded = 1
        transcript.show((), (thinking,), reshaped=False)
        await until(lambda: transcript.rows.total > total + 30, "it to have grown")
        await on.pilot.pause()
        assert transcript.line_texts() == before


async def test_a_line_that_grows_redraws_itself_and_nothing_above() -> None:
    """Behaviour 10."""
    hold = asyncio.Event()
    pieces = [TextDelta(content="One.\n\nTwo.\n\nThree"), hold, TextDelta(content=" grows"), asyncio.Event()]
    async with stage(pieces) as on:
        await on.send("go")
        transcript = on.app.transcript
        await until(lambda: "Three" in transcript.line_texts(), "it to be drawn")
        await until(lambda: not on.app.pace.is_due, "rest")
        await on.pilot.pause()
        before = transcript.lines_drawn
        hold.set()
        await until(lambda: "Three grows" in transcript.line_texts(), "it to be drawn")
        await until(lambda: transcript.lines_drawn > before, "it to be written")
        await on.pilot.pause()
        # The head with its size, the line itself and the gap behind it.
        assert transcript.lines_drawn - before < transcript.size.height / 2


async def test_a_long_history_is_seen_before_all_of_it_is_drawn() -> None:
    texts = [[TextDelta(content=f"Answer {number}.\n\n" + "more\n\n" * 40)] for number in range(30)]
    async with stage(*texts) as on:
        for number in range(30):
            await on.stream.process(f"Question {number}?")
        kept = on.sessions.store
    async with stage(store=kept) as again:
        await again.shows("more")
        await until(lambda: again.app.transcript.rows.is_drawn, "all to be drawn")
        again.app.transcript.scroll_to(y=0, animate=False, force=True)
        await again.shows("Question 0?", "Answer 0.")


async def test_a_click_unfolds_one_call_and_leaves_the_others() -> None:
    """Behaviour 12."""
    two = [
        ToolCallDelta(index=n, id=f"c{n}", name="calculator", arguments=f'{{"expression": "{n}+1"}}') for n in (0, 1)
    ]
    async with stage([*two, StopReason(reason="tool_use")], [TextDelta(content="Ok.")], tools=[calculator]) as on:
        await on.send("go")
        await on.idle()
        row = next(number for number, line in enumerate(on.lines) if '"1+1"' in line)
        await on.pilot.click("#transcript", offset=(4, row))
        await on.shows("Assistant · Call calculator", "Tool Result")
        assert on.text.count("Tool Result") == 1


async def test_what_is_marked_with_the_mouse_is_copied() -> None:
    """Behaviour 20."""
    async with stage([TextDelta(content="The first line.\n\nThe second line.")]) as on:
        await on.send("go")
        await on.idle()
        row = next(number for number, line in enumerate(on.lines) if "first line" in line)
        await on.pilot.mouse_down("#transcript", offset=(5, row))
        await on.pilot.hover("#transcript", offset=(11, row + 2))
        await on.pilot.mouse_up("#transcript", offset=(11, row + 2))
        await until(lambda: on.app.clipboard == "first line.\n\nThe second", "it to be copied")


@pytest.mark.requirement("B97")
async def test_what_is_hostile_changes_neither_the_layout_nor_the_title() -> None:
    """Behaviour 24."""
    hostile = "a\x1b[2J\x1b[H\x07\x9b31m\x1b]0;owned\x07\rb\0" + "x" * 22_000
    async with stage([TextDelta(content=hostile)], session="s1") as on:
        written = recorded(on.app)
        on.stream.emit(Notice(content=hostile))
        await on.stream.metadata.change({"ore.title": "t\x1b]0;owned\x07", "zone": hostile})
        await on.send("go")
        await on.idle()
        assert not [letter for line in on.lines for letter in line if ord(letter) < 32 or 0x7F <= ord(letter) < 0xA0]
        assert {row.cell_length for row in on.app.screen._compositor.render_strips()} == {80}
        titles = [sequence for sequence in written if sequence.startswith("\x1b]0;")]
        assert titles and all(title[4:-1].isprintable() for title in titles)


async def test_the_window_says_how_it_stands_and_the_bell_rings_at_the_end() -> None:
    """Behaviour 25."""
    hold = asyncio.Event()
    async with stage([TextDelta(content="x"), hold], [asyncio.Event()], has_bell=True) as on:
        written = recorded(on.app)
        await on.send("go")
        await until(lambda: "\x1b]0;Ore [...]\x07" in written, "the title of what runs")
        hold.set()
        await until(lambda: "\x1b]0;Ore [ok]\x07" in written and "\x1b]9;Ore: done\x07" in written, "the end")
        await on.send("and on")
        await until(lambda: written[-1] == "\x1b]0;Ore [...]\x07", "the title of what runs")
        await on.pilot.press("escape")
        await until(lambda: "\x1b]0;Ore [cancelled]\x07" in written, "the title of what was stopped")


async def test_colours_change_with_the_theme_and_without_any_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behaviour 23."""

    def colours(on: Stage) -> set[str]:
        styles = [segment.style for row in on.app.screen._compositor.render_strips() for segment in row]
        return {str(style.color.name) for style in styles if style and style.color and not style.color.is_default}

    async with stage([TextDelta(content="# Title\n\n`code`")], palette="light") as on:
        await on.send("go")
        await on.idle()
        light = colours(on)
        await on.send("/theme dark")
        await until(lambda: colours(on) != light, "other colours")
        assert "#6c8ebf" in colours(on)
    monkeypatch.setenv("NO_COLOR", "1")
    async with stage([TextDelta(content="# Title\n\n`code`")]) as on:
        await on.send("go")
        await on.idle()
        assert on.app.palette.name == "plain" and on.app.native_ansi_color


async def test_without_colours_a_list_still_shows_where_one_types(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behaviour 23: NO_COLOR."""
    monkeypatch.setenv("NO_COLOR", "1")
    async with stage() as on:
        await on.pilot.press("ctrl+l")
        await on.shows("Enter choose", "search")
        rows = on.app.screen._compositor.render_strips()
        (cursor,) = (part for row in rows if " search" in row.text for part in row if part.text == "s")
        assert cursor.style is not None and cursor.style.reverse


@pytest.mark.parametrize(
    ("answer", "variable", "expected"),
    [
        (b"\x1b]11;rgb:ffff/ffff/ffff\x07", "", "light"),
        (b"\x1b]11;rgb:fd/f6/e3\x1b\\\x1b[?62c", "15;0", "light"),
        (b"\x1b]11;rgb:1e1e/1e1e/2e2e\x07", "0;15", "dark"),
        (b"\x1b[?62c", "0;15", "light"),
        (b"", "15;0", "dark"),
        (b"", "", "dark"),
    ],
)
def test_the_terminal_says_whether_its_background_is_dark(answer: bytes, variable: str, expected: str) -> None:
    """Behaviour 23."""
    assert background_of(answer, variable) == expected


def test_facts_stand_in_their_zones_the_most_important_first() -> None:
    zones = Zones({"stage": "lifecycle", "files": "context", "other": "zoo"}, {"files": "open files"})
    facts = {"x": "1", "other": "o", "files": "12345", "stage": "draft", "ore.title": "hidden"}
    assert zones.lines(facts) == ["Lifecycle stage: draft", "Context open files: 12.3K", "x: 1", "Zoo other: o"]


def test_what_is_logged_meanwhile_is_told_afterwards_once() -> None:
    logs, out = LogBuffer(), StringIO()
    logger = logging.getLogger("ore.test.screen")
    with logs.instead():
        logger.error("one \x1b[2J")
    logs.flush_to(out)
    logs.flush_to(out)
    assert out.getvalue() == "ERROR ore.test.screen: one ␛[2J\n"


def test_a_title_ends_where_it_should() -> None:
    assert title_sequence("a\x07b\x1b]") == "\x1b]0;ab]\x07"


def test_the_library_and_the_command_load_without_the_screen() -> None:
    program = "import sys, ore, ore.cli.main, ore.cli.chat; sys.exit('textual' in sys.modules or 'rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
