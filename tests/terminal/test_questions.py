"""What tools ask, and how people answer."""

import asyncio
import json

import pytest

from ore import ToolContext, tool
from ore.artifact import TextDelta, ToolResult
from ore.event import Answer, Question
from ore.ext.tools.ask_user import ask_user
from terminal.scene import Stage, call, stage, until


@tool(approve=True, editable=True)
def book(city: str, nights: int = 1) -> str:
    """Book a hotel."""
    return f"booked {nights} in {city}"


def results(on: Stage) -> list[str]:
    return [a.content for turn in on.stream.turns for a in turn.artifacts if isinstance(a, ToolResult)]


async def asked(on: Stage, text: str = "Book it.") -> None:
    await on.send(text)
    await on.shows("Run book?")
    await until(lambda: on.app.panel.is_armed and on.app.panel.has_focus, "the question to take keys")


async def test_an_approval_shows_the_exact_arguments_and_y_runs_it() -> None:
    """Behaviour 15."""
    async with stage(call("book", '{"city": "Porto", "nights": 3}'), [TextDelta(content="Done.")], tools=[book]) as on:
        await asked(on)
        await on.shows('"city": "Porto"', '"nights": 3', "y yes · n no · a always book in this session")
        assert "Esc stops" not in on.text  # there it says no
        await on.pilot.press("y")
        await on.idle()
        assert results(on) == ["booked 3 in Porto"]
        await on.shows('✓ book · city="Porto" · nights=3', "booked 3 in Porto")


async def test_what_does_not_fit_is_scrolled_to_and_the_keys_are_seen_in_every_case() -> None:
    """Behaviour 15, 23."""

    @tool(approve=True)
    def shell(command: str) -> str:
        """Run it."""
        return f"{len(command)} letters"

    lines = [f"echo {number}" for number in range(40)]
    script = call("shell", json.dumps({"command": "\n".join(lines)}))
    async with stage(script, [TextDelta(content="Done.")], tools=[shell], size=(60, 15)) as on:
        await on.send("Go.")
        await until(lambda: on.app.panel.is_armed and on.app.panel.has_focus, "the question to take keys")
        await on.shows("Run shell?", "│ echo 0", "more lines", "y yes · n no")
        assert "echo 39" not in on.text
        seen: set[str] = set()
        for _ in range(50):
            seen.update(line.strip("│ ▁▂▃▄▅▆▇█") for line in on.lines if "│ echo" in line)
            await on.pilot.press("down")
        assert seen >= set(lines)
        await on.shows("echo 39", "that is all of it", "y yes · n no")
        await on.pilot.press("home")
        await on.shows("│ echo 0", "more lines", "y yes · n no")
        await on.pilot.press("y")
        await on.idle()
        assert results(on) == [f"{len(chr(10).join(lines))} letters"]


async def test_n_and_escape_say_no_and_stop_nothing_else() -> None:
    """Behaviour 15."""
    for key in ("n", "escape"):
        async with stage(call("book", '{"city": "Porto"}'), [TextDelta(content="Well.")], tools=[book]) as on:
            await asked(on)
            await on.pilot.press(key)
            await on.idle()
            await on.shows("⊘ book", "Well.")
            assert "the user said no" in results(on)[0]


async def test_always_holds_for_this_tool_in_this_session() -> None:
    """Behaviour 15."""
    calls = [call("book", '{"city": "Porto"}'), call("book", '{"city": "Braga"}'), [TextDelta(content="Done.")]]
    async with stage(*calls, tools=[book]) as on:
        await asked(on)
        await on.pilot.press("a")
        await on.idle()
        assert results(on) == ["booked 1 in Porto", "booked 1 in Braga"]


async def test_always_does_not_hold_in_another_session() -> None:
    """Behaviour 15."""
    calls = [call("book", '{"city": "Porto"}'), [TextDelta(content="Done.")], call("book", '{"city": "Braga"}')]
    async with stage(*calls, [TextDelta(content="Well.")], tools=[book]) as on:
        await asked(on)
        await on.pilot.press("a")
        await on.idle()
        await on.app.open_session(None)
        await asked(on, "And in Braga.")
        await on.pilot.press("n")
        await on.shows("⊘ book", "Well.")


async def test_arguments_that_may_not_be_changed_are_not_offered_for_it() -> None:
    """Behaviour 15."""

    @tool(approve=True)
    def rent(city: str) -> str:
        """Rent a car."""
        return f"rented in {city}"

    async with stage(call("rent", '{"city": "Porto"}'), [TextDelta(content="Done.")], tools=[rent]) as on:
        await on.send("Rent one.")
        await until(lambda: on.app.panel.is_armed and on.app.panel.has_focus, "the question to take keys")
        await on.shows("y yes · n no · a always rent in this session · Esc no")
        await on.pilot.press("e")
        assert (on.app.composer.text, on.app.panel.question is None) == ("", False)
        await on.pilot.press("y")
        await on.idle()
        assert results(on) == ["rented in Porto"]


async def test_what_a_guard_leaves_to_people_is_shown_with_its_reason() -> None:
    """Behaviour 15."""

    async def send(context: ToolContext) -> str:
        """Send it."""
        question = Question(key="", purpose="approval", text="It names a card. Send it?")
        return str((await context.ask_as(question)).decision)

    async with stage(call("send", "{}"), [TextDelta(content="Done.")], tools=[tool(send)]) as on:
        await on.send("Send it.")
        await until(lambda: on.app.panel.is_armed and on.app.panel.has_focus, "the question to take keys")
        await on.shows("Go on?", "It names a card. Send it?", "y yes · n no · Esc no")
        await on.pilot.press("a")
        assert on.app.panel.question is not None
        await on.pilot.press("y")
        await on.idle()
        assert results(on) == ["approve"]


async def test_arguments_can_be_changed_before_they_run() -> None:
    """Behaviour 15."""
    async with stage(call("book", '{"city": "Porto"}'), [TextDelta(content="Done.")], tools=[book]) as on:
        await asked(on)
        await on.pilot.press("e")
        await until(lambda: on.app.composer.text == '{"city": "Porto"}', "the arguments to stand in the input")
        await on.send('{"city": "Faro", "nights": 2}')
        await on.idle()
        assert results(on) == ["booked 2 in Faro"]


@pytest.mark.parametrize("key", ["y", "n", "escape"])
async def test_after_the_arguments_were_left_as_they_are_the_question_takes_its_keys_again(key: str) -> None:
    async with stage(call("book", '{"city": "Porto"}'), [TextDelta(content="Done.")], tools=[book]) as on:
        await asked(on)
        await on.pilot.press("e")
        await on.shows("the arguments are yours to change", "its arguments are being changed below")
        assert "y yes" not in on.text  # a letter belongs to the arguments now
        await on.pilot.press("escape")
        await until(lambda: on.app.panel.is_armed and on.app.panel.has_focus, "the question to take keys")
        await on.shows("y yes · n no")
        await on.pilot.press(key)
        await on.idle()
        assert results(on) == (["booked 1 in Porto"] if key == "y" else ["denied by the user: the user said no"])
        assert on.stream.turns[-1].status == "complete"


async def test_escape_says_no_wherever_the_cursor_stands() -> None:
    async with stage(call("book", '{"city": "Porto"}'), [TextDelta(content="Done.")], tools=[book]) as on:
        await asked(on)
        on.app.composer.focus()
        await on.pilot.press("escape")
        await on.idle()
        assert results(on) == ["denied by the user: the user said no"]


async def test_keys_that_were_meant_for_something_else_answer_nothing() -> None:
    """Behaviour 15: a question takes keys only once nobody types."""
    hold = asyncio.Event()
    async with stage([hold, *call("book", '{"city": "Porto"}')], tools=[book], quiet_s=3600.0) as on:
        await on.send("Book it.")
        hold.set()
        await on.shows("Run book?", "keys count in a moment")
        await on.type("yyy")
        assert on.app.composer.text == "yyy"
        assert on.stream.snapshot().questions and not on.app.panel.is_armed


async def test_a_question_goes_when_somebody_else_has_answered_it() -> None:
    async with stage(call("book", '{"city": "Porto"}'), [TextDelta(content="Done.")], tools=[book]) as on:
        await asked(on)
        (question,) = on.stream.snapshot().questions
        await on.stream.answer(question.key, Answer(key=question.key, decision="approve"))
        await on.idle()
        assert "Run book?" not in on.text and on.app.composer.has_focus


async def test_a_question_to_the_person_is_answered_in_words_or_by_a_number() -> None:
    arguments = '{"question": "Which colour?", "options": ["red", "blue"]}'
    for answer in ("number", "words"):
        async with stage(call("ask_user", arguments), [TextDelta(content="Nice.")], tools=[ask_user]) as on:
            await on.send("Paint it.")
            await on.shows("Which colour?", "1  red", "2  blue")
            await on.send("2" if answer == "number" else "green")
            await on.idle()
            assert results(on) == ["blue" if answer == "number" else "green"]
