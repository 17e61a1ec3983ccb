"""What is typed and pasted, what is offered for it, and what the screen's own commands do."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.events import Paste

from ore.artifact import Image, Text, TextDelta, Usage
from ore.ext.conduits.terminal.completing import command_suggestions, file_suggestions, path_suggestions
from ore.ext.conduits.terminal.here import HERE
from ore.ext.conduits.terminal.pasting import Pasted
from ore.ext.conduits.terminal.recall import PromptHistory
from ore.ledger import MemoryStore, Role
from terminal.scene import Stage, stage, until


async def paste(on: Stage, text: str) -> None:
    on.app.post_message(Paste(text))
    await on.pilot.pause()


def user_texts(on: Stage) -> list[str]:
    turns = [turn for turn in on.stream.turns if turn.role is Role.USER]
    return ["".join(a.content for a in turn.artifacts if isinstance(a, Text)) for turn in turns]


async def test_up_and_down_go_through_what_was_typed_before_over_sessions(tmp_path: Path) -> None:
    """Behaviour 5."""
    file = tmp_path / "prompts.jsonl"
    async with stage([TextDelta(content="a")], [TextDelta(content="b")], prompts=PromptHistory(file)) as on:
        for text in ("first", "second\nof two lines"):
            await on.send(text)
            await on.idle()
    async with stage(session="other", prompts=PromptHistory(file)) as on:
        await on.type("draft")
        await on.pilot.press("up")
        assert on.app.composer.text == "second\nof two lines"
        await on.pilot.press("up")  # inside the text the cursor moves first
        assert on.app.composer.text == "second\nof two lines"
        await on.pilot.press("up")
        assert on.app.composer.text == "first"
        await on.pilot.press("down")
        await on.pilot.press("down")
        assert on.app.composer.text == "draft"
    assert file.stat().st_mode & 0o777 == 0o600


async def test_control_r_finds_what_was_typed_before() -> None:
    """Behaviour 5."""
    prompts = PromptHistory()
    for text in ("bake a cake", "fix the roof", "bake bread"):
        prompts.add(text)
    async with stage(prompts=prompts) as on:
        await on.pilot.press("ctrl+r")
        await on.type("cake")
        await on.shows("bake a cake")
        await on.pilot.press("enter")
        await until(lambda: on.app.composer.text == "bake a cake", "it to be taken")
        assert on.stream.turns == ()


async def test_a_pasted_text_is_never_sent_by_itself_and_a_long_one_comes_back_exactly() -> None:
    """Behaviour 6."""
    long = "\n".join(f"row {number}\t|" for number in range(40))
    async with stage([TextDelta(content="ok")]) as on:
        await paste(on, "two\nlines\n")
        assert on.app.composer.text == "two\nlines\n"
        await paste(on, long)
        assert "[pasted #1: 40 lines" in on.app.composer.text
        assert on.stream.turns == ()
        await on.pilot.press("enter")
        await on.idle()
        assert user_texts(on) == [f"two\nlines\n{long}"]


@given(st.lists(st.text(min_size=0, max_size=40), max_size=4), st.text(max_size=20))
def test_whatever_was_pasted_comes_back(texts: list[str], between: str) -> None:
    pasted = Pasted()
    long = [text + "\n" * 12 for text in texts]
    shown = "".join(pasted.sign(text) + "|" for text in long)
    assert pasted.expanded(shown) == "".join(text + "|" for text in long)


async def test_a_slash_lists_commands_with_what_they_do_and_filters_them() -> None:
    """Behaviour 7."""
    async with stage(size=(100, 30)) as on:
        await until(lambda: on.app.commands, "the commands to be known")
        await on.type("/und")
        await on.shows("/undo", "go back before the last thing you said")
        await on.pilot.press("tab")
        await until(lambda: on.app.composer.text == "/undo", "it to be taken")


async def test_an_unknown_command_is_a_notice_and_no_prompt() -> None:
    """Behaviour 7."""
    async with stage() as on:
        await on.send("/nonsense")
        await on.shows("there is no command /nonsense")
        await on.idle()
        assert on.stream.turns == ()


def test_commands_are_found_by_their_letters_those_that_begin_so_first() -> None:
    found = [one.text.strip() for one in command_suggestions("/mo", HERE)]
    assert found[:2] == ["/mode", "/models"]
    assert command_suggestions("/mode x", HERE) == ()
    assert command_suggestions("say /mo", HERE) == ()


async def test_an_at_sign_completes_files_but_not_those_that_are_ignored(tmp_path: Path) -> None:
    """Behaviour 8."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "parser.py").touch()
    (tmp_path / "parsed.log").touch()
    (tmp_path / ".gitignore").write_text("*.log\n")
    async with stage(folder=tmp_path) as on:
        await on.type("look at @pars")
        await on.shows("src/parser.py")
        assert "parsed.log" not in on.text
        await on.pilot.press("enter")
        await until(lambda: on.app.composer.text == "look at @src/parser.py", "it to be taken")
        assert on.stream.turns == ()


def test_tab_goes_on_with_a_path(tmp_path: Path) -> None:
    """Behaviour 8."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "terminal.md").touch()
    assert [one.text for one in path_suggestions("see do", tmp_path)] == ["docs/"]
    assert [one.text for one in path_suggestions("see docs/t", tmp_path)] == ["docs/terminal.md"]
    assert file_suggestions("x", tmp_path / "missing") == ()


async def test_an_exclamation_mark_runs_a_command_and_its_output_goes_with_the_next_message(tmp_path: Path) -> None:
    """Behaviour 9."""
    async with stage([TextDelta(content="ok")]) as on:
        await on.send("!echo sesame; exit 3")
        await on.shows("sesame", "[exit status 3]", "goes with the next message")
        await on.send("what now?")
        await on.idle()
        (text,) = user_texts(on)
        assert text.startswith("what now?") and "sesame" in text and "echo sesame; exit 3" in text


async def test_two_exclamation_marks_keep_the_output_here() -> None:
    """Behaviour 9."""
    async with stage([TextDelta(content="ok")]) as on:
        await on.send("!!echo sesame")
        await on.shows("sesame", "not sent")
        await on.send("what now?")
        await on.idle()
        assert user_texts(on) == ["what now?"]


async def test_the_thinking_level_changes_without_leaving_the_input() -> None:
    """Behaviour 14."""
    async with stage() as on:
        await on.type("draft")
        await on.pilot.press("ctrl+t")
        await on.shows("thinking off")
        assert on.app.composer.text == "draft"
        assert on.stream.metadata.get("ore.model.thinking_level") == "off"


async def test_the_status_line_says_who_answers_at_what_cost_and_where() -> None:
    """Behaviour 16."""
    usage = Usage(prompt_tokens=12_345, completion_tokens=20, total_tokens=12_365, cache_read_tokens=12_000)
    async with stage([TextDelta(content="ok"), usage], size=(120, 24), folder_line="~/ore (main)") as on:
        await on.stream.metadata.change({"ore.title": "A trip", "weather": "fine"})
        await on.send("go")
        await on.idle()
        await on.shows("ready · scripted · ↑12.3K ↓20 Σ12.3K ⟳12K · A trip · ~/ore (main)", "weather: fine")


async def test_sessions_are_found_named_and_opened() -> None:
    """Behaviour 17."""
    kept = MemoryStore()
    for session, words in (("cats", "All about cats"), ("dogs", "All about dogs")):
        async with stage([TextDelta(content=f"{session}!")], store=kept, session=session) as on:
            await on.send(words)
            await on.idle()
    async with stage([TextDelta(content="x")], store=kept, session="birds", size=(100, 30)) as on:
        await on.pilot.press("ctrl+l")
        await on.shows("All about cats", "All about dogs")
        await on.type("cats")
        await until(lambda: "All about dogs" not in on.text, "the list to be filtered")
        await on.pilot.press("enter")
        await on.shows("cats!")
        assert on.link.session_id == "cats"
        await on.send("/name Felines")
        await on.idle()
        await until(lambda: on.app.signals.current == "Felines [ok]", "the window to have its name")


async def test_a_session_is_deleted_only_at_the_second_key() -> None:
    """Behaviour 17."""
    kept = MemoryStore()
    async with stage([TextDelta(content="x")], store=kept, session="old") as on:
        await on.send("All about cats")
        await on.idle()
    async with stage(store=kept, session="new", size=(100, 30)) as on:
        await on.pilot.press("ctrl+l")
        await on.shows("All about cats")
        await on.type("cats")
        await until(lambda: len(on.app.screen.choices) == 1, "one to be left")  # type: ignore[attr-defined]
        await on.pilot.press("ctrl+d")
        await on.shows("again to delete it")
        await on.pilot.press("ctrl+d")
        await until(lambda: "All about cats" not in on.text, "it to be gone")
    assert [one.id for one in (await kept.list(query="", cursor=None, limit=9)).threads] == ["new"]


async def test_a_model_is_chosen_from_the_catalog_and_what_was_typed_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behaviour 18."""
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    async with stage(size=(100, 30)) as on:
        await on.send("/models")
        await until(lambda: len(on.app.screen_stack) == 2, "the list")
        await on.type("claude-sonnet-4-5")
        await on.shows("anthropic:claude-sonnet-4-5")
        on.app.composer.put("a draft")
        await on.pilot.press("enter")
        await until(lambda: len(on.app.screen_stack) == 1, "the list to be gone")
        # Nobody here has a key, so the session says what is missing and stays with its model.
        await on.shows("/model: ")
        assert on.app.composer.text == "a draft"


async def test_going_back_to_an_earlier_message_brings_its_text_and_forgets_nothing() -> None:
    """Behaviour 2, 17."""
    async with stage([TextDelta(content="One.")], [TextDelta(content="Two.")], size=(90, 30)) as on:
        for text in ("first", "second"):
            await on.send(text)
            await on.idle()
        await on.pilot.press("escape", "escape")
        await on.shows("Go back before a message")
        await on.pilot.press("enter")
        await until(lambda: on.app.composer.text == "second", "it to stand in the input")
        await until(lambda: "Two." not in on.text, "the view to go back")
        assert len(on.stream.turns) == 2 and len(on.stream.history.all_turns) == 4


async def test_a_fork_goes_on_in_another_session() -> None:
    """Behaviour 17."""
    async with stage([TextDelta(content="One.")], [TextDelta(content="Two.")], size=(90, 30)) as on:
        for text in ("first", "second"):
            await on.send(text)
            await on.idle()
        await on.pilot.press("escape", "escape")
        await on.shows("Go back before a message")
        await on.pilot.press("ctrl+f")
        await until(lambda: on.link.session_id != "s1", "another session")
        await on.shows("One.")
        await until(lambda: on.app.composer.text == "second", "the text to stand in the input")
        assert len((await on.sessions.get_thread("s1")).turns) == 4


async def test_answers_code_and_all_of_it_are_copied() -> None:
    """Behaviour 20."""
    answer = "See:\n\n```python\nprint(1)\n```\n\nand\n\n```\nx\n```"
    async with stage([TextDelta(content=answer)]) as on:
        await on.send("go")
        await on.idle()
        for words, copied in (("/copy", answer), ("/copy code 1", "print(1)\n"), ("/copy code", "x\n")):
            await on.send(words)
            await until(lambda copied=copied: on.app.clipboard == copied, words)  # type: ignore[misc]
        await on.send("/copy all")
        await until(lambda: on.app.clipboard.startswith("You: go\n\nAssistant: See:"), "all of it")


async def test_a_picture_whose_path_is_pasted_goes_with_the_message(tmp_path: Path) -> None:
    """Behaviour 22."""
    picture = tmp_path / "cat.png"
    picture.write_bytes(b"\x89PNG" + bytes(2_000))
    async with stage([TextDelta(content="A cat.")]) as on:
        await paste(on, str(picture))
        await on.shows("[image cat.png, 2K B]")
        await on.send("what is it?")
        await on.idle()
        image = on.stream.turns[0].artifacts[1]
        assert isinstance(image, Image) and image.data == picture.read_bytes()
        await on.shows("cat.png")


@pytest.mark.parametrize("path", ["/nowhere/at/all.png", "."])
async def test_what_cannot_be_attached_is_told(path: str) -> None:
    async with stage() as on:
        await on.send(f"/image {path}")
        await on.shows("cannot be read")


async def test_where_no_editor_can_have_the_terminal_that_is_told_and_the_draft_stays() -> None:
    """Behaviour 21; with a terminal it is in `test_processes`."""
    async with stage() as on:
        await on.type("draft")
        await on.pilot.press("ctrl+g")
        await on.shows("could not be run")
        assert on.app.composer.text == "draft"


async def test_what_could_not_be_sent_comes_back() -> None:
    async with stage() as on:
        await on.stream.close()
        await on.send("precious words")
        await until(lambda: on.app.composer.text == "precious words", "it to be back")
        await on.shows("is closed")


def test_the_history_of_prompts_survives_what_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "prompts.jsonl"
    file.write_bytes(b'"one"\nnot json\n\xff\n7\n"two"\n')
    assert PromptHistory(file).texts == ("one", "two")
    blocked: Any = PromptHistory(tmp_path / "prompts.jsonl" / "below")
    blocked.add("x")
    assert blocked.texts == ("x",)
