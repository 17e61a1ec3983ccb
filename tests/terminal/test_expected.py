"""What people expect of a terminal (`spec/protocols.md`, section 8), as far as no other file has it."""

import asyncio
from decimal import Decimal
from pathlib import Path

from textual.events import Paste

from cli.command import delta, script
from ore.artifact import Text, TextDelta, ToolResult, Usage
from ore.event import Entry, EventContext, TurnComplete
from ore.ext.catalog import shared_catalog
from ore.ext.conduits.terminal.cells import Call, Cell, Kind
from ore.ext.conduits.terminal.conversation import Conversation
from ore.ext.conduits.terminal.folding import fold
from ore.ext.conduits.terminal.painting import Painter
from ore.ext.conduits.terminal.palette import DARK
from ore.ext.conduits.terminal.status import Around, Zones, status_lines
from ore.ledger import MemoryStore, Role, Turn, TurnStatus
from terminal.scene import stage, until


async def test_a_message_may_interrupt_what_runs() -> None:
    """Behaviour 4."""
    async with stage([TextDelta(content="Half a"), asyncio.Event()], [TextDelta(content="Second.")]) as on:
        await on.send("first")
        await on.shows("Half a")
        await on.pilot.press("ctrl+s", "ctrl+s")
        await on.shows("next: interrupt")
        await on.send("second")
        await on.shows("[interrupted]", "Second.")
        await on.idle()
        statuses = [turn.status for turn in on.stream.turns if turn.role is Role.ASSISTANT]
        assert statuses == [TurnStatus.INTERRUPTED, TurnStatus.COMPLETE]


async def test_a_thousand_characters_are_pasted_as_they_are_and_more_of_them_as_a_sign() -> None:
    """Behaviour 6."""
    async with stage() as on:
        for length, shown in ((1_000, "x" * 1_000), (1_001, "[pasted #1: 1 line, 1,001 characters]")):
            on.app.composer.put("")
            on.app.post_message(Paste("x" * length))
            await until(lambda shown=shown: on.app.composer.text == shown, shown)  # type: ignore[misc]


async def test_the_list_of_commands_says_what_stands_behind_each() -> None:
    """Behaviour 7."""
    async with stage(size=(100, 30)) as on:
        await until(lambda: on.app.commands, "the commands to be known")
        await on.type("/mod")
        await on.shows("/model PROVIDER:NAME | default", "/mode queue | steer | interrupt")


def test_a_call_says_how_long_it_took_and_an_edit_what_it_changes() -> None:
    """Behaviour 12."""
    painter = Painter(DARK)
    cell = Cell("c", Kind.CALL)
    arguments = '{"path": "a.py", "old": "one\\ntwo", "new": "one\\n2"}'
    cell.call = Call(name="edit_file", arguments=arguments, since_s=10.0, until_s=85.0)
    cell.call.result = ToolResult(tool_call_id="c1", content="ok")
    streamed = painter.streamed(60)
    (head, *_) = painter.lines(cell, 60, unfolded=0, streamed=streamed)
    assert head.text.startswith("✓ edit_file · ") and head.text.endswith("  75 s")
    whole = painter.lines(cell, 60, unfolded=1, streamed=streamed)
    drawn = {line.text.strip(): [segment.style for segment in line if segment.style] for line in whole}
    for line, colour in (("-two", DARK.removed), ("+2", DARK.added)):
        assert any(style.color and style.color.name == colour.lower() for style in drawn[line]), drawn[line]


def test_the_status_line_says_how_full_the_window_is_and_what_it_cost() -> None:
    """Behaviour 16."""
    view = Conversation()
    view.metadata["ore.model.name"] = "anthropic:claude-sonnet-4-5"
    usage = Usage(prompt_tokens=99_000, completion_tokens=1_000, total_tokens=100_000, cost_usd=Decimal("0.25"))
    turn = Turn(id="t1", role=Role.ASSISTANT, artifacts=(Text(content="ok"), usage))
    fold(view, [Entry(1, 1, "turn_complete", EventContext(message="m"), TurnComplete(turn=turn))])
    text = status_lines(view, Zones(), Around(), width=200).plain
    assert "anthropic:claude-sonnet-4-5" in text and "↑99K ↓1K Σ100K" in text and "$0.2500" in text
    known = shared_catalog().named("anthropic:claude-sonnet-4-5")
    assert known is not None and known.window and f"context {100_000 * 100 // known.window} %" in text


async def test_sessions_are_listed_the_last_first_with_their_age_and_renamed_there() -> None:
    """Behaviour 17."""
    kept = MemoryStore()
    for session in ("cats", "dogs"):
        async with stage([TextDelta(content="x")], store=kept, session=session) as on:
            await on.send(f"All about {session}")
            await on.idle()
    async with stage(store=kept, session="dogs", size=(100, 30)) as on:
        await on.pilot.press("ctrl+l")
        await on.shows("● All about dogs  now · dogs", "All about cats  now · cats")
        assert on.text.index("All about dogs") < on.text.index("All about cats")
        await on.pilot.press("down")
        await on.type("cats")
        await until(lambda: len(on.app.screen.choices) == 1, "one to be left")  # type: ignore[attr-defined]
        await on.pilot.press("ctrl+r")
        await on.shows("cats  now · All about cats · cats")
    assert (await kept.load("cats")).metadata["ore.title"] == "cats"


async def test_another_model_answers_and_the_history_says_so(tmp_path: Path) -> None:
    """Behaviour 18."""
    other = script(tmp_path, [delta("I am the other one.")])
    async with stage([TextDelta(content="I am the first one.")], size=(120, 30)) as on:
        await on.send("Who are you?")
        await on.shows("I am the first one.")
        await on.send(f"/model {other}")
        await on.shows("answers from now on")
        await on.send("And now?")
        await on.shows("I am the other one.")
        await on.idle()


async def test_what_is_typed_while_a_list_is_open_is_no_message() -> None:
    """Behaviour 17."""
    async with stage() as on:
        await on.pilot.press("ctrl+l")
        await on.shows("Enter choose")
        await on.type("hello")
        await on.pilot.press("escape")
        await until(lambda: len(on.app.screen_stack) == 1, "the list to be gone")
        assert on.app.composer.text == "" and on.stream.turns == ()
