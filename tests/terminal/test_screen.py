"""The conversation on the screen: sent, streamed, stopped, queued, left."""

import asyncio

import pytest

from ore.artifact import ReasoningDelta, Text, TextDelta
from ore.errors import OverloadedError
from ore.ledger import MemoryStore, Role, TurnStatus
from terminal.scene import stage, until


async def test_enter_sends_and_the_answer_is_there_before_it_is_whole() -> None:
    """Behaviour 1: Enter sends. Behaviour 10: Markdown streams."""
    hold = asyncio.Event()
    async with stage([TextDelta(content="Hello **wor"), hold, TextDelta(content="ld**.")]) as on:
        await on.type("Hi there")
        await on.pilot.press("enter")
        await on.shows("Hi there", "Hello **wor")
        assert on.app.composer.text == ""
        hold.set()
        await on.idle()
        await on.shows("Hello world.")
        assert [turn.role for turn in on.stream.turns] == [Role.USER, Role.ASSISTANT]


async def test_who_has_said_nothing_yet_sees_what_the_keys_are() -> None:
    async with stage([TextDelta(content="Hello.")]) as on:
        await on.shows("Enter sends", "Ctrl+D leaves", "/keys")
        await on.send("Hi")
        await on.idle()
        assert "Enter sends" not in on.text


@pytest.mark.parametrize("key", ["shift+enter", "alt+enter", "ctrl+j"])
async def test_a_new_line_is_no_sending(key: str) -> None:
    """Behaviour 1."""
    async with stage() as on:
        await on.type("one")
        await on.pilot.press(key)
        await on.type("two")
        assert on.app.composer.text == "one\ntwo"
        assert on.stream.turns == ()


async def test_a_backslash_before_enter_makes_a_new_line_in_every_terminal() -> None:
    """Behaviour 1."""
    async with stage() as on:
        await on.type("one\\")
        await on.pilot.press("enter")
        assert on.app.composer.text == "one\n"


async def test_escape_stops_the_answer_keeps_what_was_said_and_what_waits() -> None:
    """Behaviour 2."""
    async with stage([TextDelta(content="Half a"), asyncio.Event()], [TextDelta(content="Second.")]) as on:
        await on.send("first")
        await on.shows("Half a")
        await on.send("second")
        await on.shows("1. second")
        await on.pilot.press("escape")
        await on.shows("[interrupted]", "Second.")
        await on.idle()
        assert [(turn.role, turn.status) for turn in on.stream.turns] == [
            (Role.USER, TurnStatus.COMPLETE),
            (Role.ASSISTANT, TurnStatus.INTERRUPTED),
            (Role.USER, TurnStatus.COMPLETE),
            (Role.ASSISTANT, TurnStatus.COMPLETE),
        ]


async def test_control_c_stops_then_clears_then_leaves_at_the_second_time() -> None:
    """Behaviour 3."""
    async with stage([TextDelta(content="Half a"), asyncio.Event()]) as on:
        await on.send("first")
        await on.shows("Half a")
        await on.type("draft")
        await on.pilot.press("ctrl+c")
        await on.idle()
        assert on.app.composer.text == "draft"
        await on.pilot.press("ctrl+c")
        assert on.app.composer.text == ""
        await on.pilot.press("ctrl+c")
        await on.shows("Ctrl+C again leaves")
        await on.pilot.press("ctrl+c")
        await until(lambda: on.app.return_value == 0, "the screen to be left")


async def test_control_d_leaves_only_when_nothing_is_typed() -> None:
    """Behaviour 3."""
    async with stage() as on:
        await on.type("x")
        await on.pilot.press("ctrl+d")
        assert on.app.return_value is None
        await on.pilot.press("backspace", "ctrl+d")
        await until(lambda: on.app.return_value == 0, "the screen to be left")


async def test_what_was_sent_arrives_though_the_screen_is_left_at_once() -> None:
    kept = MemoryStore()
    async with stage([TextDelta(content="Ok.")], store=kept) as on:
        on.app.composer.put("precious")
        await on.app.keys.submitted(on.app.composer.take())
        on.app.action_leave()
        await until(lambda: on.app.return_value == 0, "the screen to be left")
        await on.stream.idle()
    assert [turn.role for turn in (await kept.load("s1")).turns] == [Role.USER, Role.ASSISTANT]


async def test_what_waits_is_seen_and_comes_back_for_editing() -> None:
    """Behaviour 4."""
    async with stage([asyncio.Event()]) as on:
        await on.send("first")
        await until(lambda: on.app.view.is_running, "it to run")
        await on.send("second")
        await on.send("third")
        await on.shows("1. second", "2. third", "2 queued")
        await on.pilot.press("up")
        await until(lambda: on.app.composer.text == "third", "it to come back")
        await until(lambda: "2. third" not in on.text, "the queue to have one less")
        assert [item["status"] for item in on.stream.snapshot().queue] == ["running", "waiting"]


async def test_a_message_may_steer_what_runs() -> None:
    """Behaviour 4."""
    first = asyncio.Event()
    async with stage([first, TextDelta(content="One.")], [TextDelta(content="Two.")]) as on:
        await on.send("first")
        await until(lambda: on.app.view.is_running, "it to run")
        await on.pilot.press("ctrl+s")
        await on.shows("next: steer")
        await on.send("now this")
        await until(lambda: on.app.view.waiting, "it to wait")
        first.set()
        await on.idle()
        texts = [a.content for turn in on.stream.turns for a in turn.artifacts if isinstance(a, Text)]
        assert texts == ["first", "One.", "now this", "Two."]


async def test_scrolling_up_freezes_the_view_and_end_follows_again() -> None:
    """Behaviour 11."""
    hold = asyncio.Event()
    long = "\n\n".join(f"line {number}" for number in range(100))
    more = "".join(f"\n\nmore {number}" for number in range(40))
    async with stage([TextDelta(content=long), hold, TextDelta(content=more)]) as on:
        await on.send("go")
        await on.shows("line 99")
        await on.pilot.press("pageup", "pageup")
        await on.shows("End goes there")
        before = on.app.transcript.line_texts()
        hold.set()
        await on.idle()
        await on.shows("new lines")
        # The line that says what runs is gone, so there is room for one more below.
        assert on.app.transcript.line_texts()[: len(before)] == before
        await on.pilot.press("end")
        await on.shows("more 39")
        assert "new lines" not in on.text


async def test_thinking_is_one_line_until_it_is_unfolded() -> None:
    """Behaviour 14."""
    async with stage([ReasoningDelta(content="Let me weigh it."), TextDelta(content="Yes.")]) as on:
        await on.send("Is it?")
        await on.idle()
        await on.shows("Thinking", "Yes.")
        assert "weigh" not in on.text
        await on.pilot.press("ctrl+o")
        await on.shows("Let me weigh it.")
        await on.pilot.press("ctrl+o")
        await until(lambda: "weigh" not in on.text, "it to be folded")


async def test_a_failure_is_told_with_its_code_and_the_next_message_goes_on() -> None:
    async with stage([OverloadedError("too busy", provider="scripted")], [TextDelta(content="Back.")]) as on:
        await on.send("first")
        await on.shows("✕ overloaded: too busy")
        await on.idle()
        await on.send("second")
        await on.shows("Back.")


async def test_a_session_that_was_talked_in_before_is_there_at_once() -> None:
    kept = MemoryStore()
    async with stage([TextDelta(content="One.")], store=kept) as on:
        await on.send("first")
        await on.idle()
    async with stage(store=kept) as again:
        await again.shows("first", "One.")
