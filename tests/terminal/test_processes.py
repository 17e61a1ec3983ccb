"""The command in a real terminal: crashes, hang-ups, editors, keys, colours, and none at all."""

import re
from pathlib import Path

import pytest

from cli.command import call, delta, said, script, shown
from processes import ended
from terminal.chat import HANGING, begin, send, streaming
from terminal.pane import COMMAND, NEEDS_TMUX, Pane, pane

pytestmark = [NEEDS_TMUX, pytest.mark.slow]


@pytest.mark.requirement("B100")
def test_a_crash_says_so_on_one_line_and_where_the_session_is(tmp_path: Path) -> None:
    """Behaviour 24."""
    store, model = tmp_path / "ore.db", script(tmp_path, [delta("x")])
    (tmp_path / "broken.py").write_text(
        "from ore.ext.conduits.terminal.transcript import Transcript\n"
        "from ore.cli.main import main\n"
        "draw = Transcript.render_line\n"
        "def fail(self, y):\n"
        "    if self.app.composer.text:\n"
        "        secret = 'never to be shown'\n"
        "        raise ZeroDivisionError('nobody expects it')\n"
        "    return draw(self, y)\n"
        "Transcript.render_line = fail\n"
        "raise SystemExit(main())\n"
    )
    with pane(tmp_path) as on:
        python = COMMAND.with_name("python")
        chat = f"{python} broken.py chat --session s1 --model {model} --store sqlite:{store}"
        on.run("sh", "-c", f"{chat}; echo status $?")
        on.shows("Ask, or type /")
        on.type("boom")
        on.press("C-o")
        text = on.shows("ore: the screen failed (ZeroDivisionError)", "the session is kept", "status 1")
        assert "nobody expects it" in text
        assert "never to be shown" not in text
        on.is_usable()


def test_a_terminal_that_goes_away_ends_the_process_and_keeps_the_session(tmp_path: Path) -> None:
    """Behaviour 24: a hang-up."""
    store, model = tmp_path / "ore.db", script(tmp_path, HANGING)
    with pane(tmp_path) as on:
        pid = begin(on, store, model)
        streaming(on)
    ended(pid)
    assert said(shown(f"sqlite:{store}", "s1", tmp_path)) == [
        ("user", "complete", "Go on."),
        ("assistant", "interrupted", "Half an ans"),
    ]


def test_an_editor_has_the_terminal_and_gives_it_back(tmp_path: Path) -> None:
    """Behaviour 21."""
    editor = tmp_path / "editor.sh"
    editor.write_text('#!/bin/sh\nprintf " and more" >> "$1"\nprintf "in the editor"\nread line\n')
    editor.chmod(0o700)
    with pane(tmp_path, env={"EDITOR": str(editor)}) as on:
        begin(on, tmp_path / "ore.db", script(tmp_path, [delta("x")]))
        on.type("draft")
        on.shows("draft")
        on.press("C-g")
        on.shows("in the editor")
        on.press("Enter")
        on.shows("draft and more", "ready")
        on.press("C-c")
        on.shows("Ask, or type /")
        on.press("C-d")
        on.shows("session is kept")
        on.is_usable()


def test_keys_of_a_real_terminal_begin_lines_send_and_stop(tmp_path: Path) -> None:
    """Behaviour 1, 2."""
    store, model = tmp_path / "ore.db", script(tmp_path, HANGING)
    with pane(tmp_path) as on:
        begin(on, store, model)
        on.type("one")
        on.press("C-j")
        on.type("two")
        on.type("\\")
        on.press("Enter")
        on.type("three")
        on.shows("one", "two", "three")
        on.press("Enter")
        on.shows("Half an ans")
        on.press("Escape")
        on.shows("[interrupted]", "ready")
        assert on.fact("pane_title") == "Ore [cancelled]"
        on.press("C-d")
        on.shows("session is kept")
    assert said(shown(f"sqlite:{store}", "s1", tmp_path))[0] == ("user", "complete", "one\ntwo\nthree")


@pytest.mark.requirement("B62")
def test_a_command_of_a_tool_gets_neither_keys_nor_the_terminal(tmp_path: Path) -> None:
    """The tool's command reads nothing and changes no mode; typing goes on."""
    reads = call("bash", command="stty sane 2>&1; cat; read x; echo got:$x:end")
    model = script(tmp_path, [reads], [delta("All done.")])
    with pane(tmp_path) as on:
        begin(on, tmp_path / "ore.db", model, "--tool", "bash", "--approve", "always")
        send(on, "Go on.")
        on.shows("got::end", "All done.")
        on.type("still typing")
        on.shows("still typing")
        on.press("C-c")
        on.shows("Ask, or type /")
        on.press("C-d")
        on.shows("session is kept")
        on.is_usable()


def test_without_colours_not_one_is_written(tmp_path: Path) -> None:
    """Behaviour 23: NO_COLOR."""
    model = script(tmp_path, [delta("# Title\n\n`code` and **bold**\n\n```py\nx = 1\n```\n")])
    with pane(tmp_path, env={"NO_COLOR": "1"}) as on:
        begin(on, tmp_path / "ore.db", model)
        send(on, "Go on.")
        on.shows("x = 1", "ready")
        assert not [
            code
            for code in codes(on)
            if code in ("38", "48") or (len(code) == 2 and code[0] in "3479" and code not in ("39", "49"))
        ]
        on.press("C-d")
        on.shows("session is kept")


def codes(on: Pane) -> set[str]:
    """The numbers of all that sets a colour or a weight."""
    return {code for part in on.colours.split("\x1b[")[1:] for code in part.partition("m")[0].split(";")}


@pytest.mark.parametrize(("theme", "you", "assistant"), [("dark", "33", "36"), ("light", "35", "34")])
def test_with_sixteen_colours_only_those_are_written_and_who_speaks_differs(
    theme: str, you: str, assistant: str, tmp_path: Path
) -> None:
    """Behaviour 23: a terminal that has no more, by its name."""
    model = script(tmp_path, [delta("# Title\n\n`code`\n\n```py\nx = 'a'\n```\n")])
    with pane(tmp_path, env={"TERM": "xterm"}) as on:
        begin(on, tmp_path / "ore.db", model, "--theme", theme)
        send(on, "Go on.")
        on.shows("x = 'a'", "ready")
        assert not codes(on) & {"38", "48"}
        for number, title in ((you, "You"), (assistant, "Assistant")):
            assert re.search(rf"\[(\d+;)*{number}m(\x1b\[49m)?{title}", on.colours), on.colours
        on.press("C-d")
        on.shows("session is kept")


def test_a_process_without_a_terminal_is_told_how_to_do_without(tmp_path: Path) -> None:
    """Behaviour 25."""
    with pane(tmp_path) as on:
        model = script(tmp_path, [delta("Plain.")])
        on.run("sh", "-c", f"echo Hi | ore chat --session s1 --model {model} --store memory: | cat; echo $?")
        on.shows("Plain.\n0")
        on.run("sh", "-c", "ore chat --connect http://127.0.0.1:1 < /dev/null; echo status $?")
        on.shows("expected a terminal", "status 2")
