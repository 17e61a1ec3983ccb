"""`ore chat --plain`: a conversation by lines."""

from pathlib import Path

import pytest

from cli.command import CALL, delta, ore, read_until, said, script, shown, start


@pytest.mark.requirement("D-cli-chat")
@pytest.mark.parametrize("ending", ["", "\n", "\n\nNever said.\n", "\n   \nNever said.\n"])
def test_each_line_is_a_prompt_and_an_empty_one_or_the_end_quits(folder: Path, ending: str) -> None:
    model = script(folder, [delta("1")], [delta("Let me see."), CALL], [delta("2")])
    words = ["--model", model, "--session", "a", "--tool", "calculator"]
    done = ore("chat", "--plain", *words, folder=folder, stdin="One?\nTwo?" + ending)
    assert (done.status, done.out, done.err) == (0, "1\nLet me see.\n2\n", "")


@pytest.mark.requirement("D-cli-chat")
def test_without_the_terminal_ui_plain_lines_are_used(folder: Path) -> None:
    done = ore("chat", "--model", script(folder, [delta("1")]), folder=folder, stdin="One?\r\n")
    assert (done.status, done.out) == (0, "1\n")
    assert done.err.startswith("session: ")


@pytest.mark.requirement("D-cli-chat")
def test_a_message_that_fails_does_not_end_the_conversation_and_the_status_says_so(folder: Path) -> None:
    model = script(folder, [{"error": "overloaded", "message": "later"}], [delta("2")])
    done = ore("chat", "--plain", "--model", model, "--session", "a", folder=folder, stdin="One?\nTwo?\n")
    assert (done.status, done.out, done.err) == (1, "2\n", "ore: the run failed (overloaded): later\n")


@pytest.mark.requirement("D-cli-chat", "D-cli-recovery")
def test_a_chat_resumes_and_finishes_what_was_left_first(folder: Path) -> None:
    store = f"sqlite:{folder / 'store.db'}"
    hang = script(folder, [delta("part"), {"hang": True}], name="hang.json")
    with start("run", "--model", hang, "--store", store, "--session", "a", "One?", folder=folder) as process:
        read_until(process.stdout, b"part")
        process.kill()
    model = script(folder, [delta("1")], [delta("2")])
    done = ore("chat", "--plain", "--model", model, "--store", store, "--session", "a", folder=folder, stdin="Two?\n")
    assert (done.status, done.out) == (0, "2\n")
    assert [turn for turn in said(shown(store, "a", folder)) if turn[1] == "complete"] == [
        ("user", "complete", "One?"),
        ("assistant", "complete", "1"),
        ("user", "complete", "Two?"),
        ("assistant", "complete", "2"),
    ]


def test_input_that_is_no_utf_8_is_wrong_use(folder: Path) -> None:
    done = ore("chat", "--plain", "--model", script(folder), folder=folder, stdin=b"\xff\n")
    assert done.status == 2
    assert "expected UTF-8" in done.err


def test_a_line_is_answered_before_the_next_one_is_there(folder: Path) -> None:
    model = script(folder, [delta("1")], [delta("2")])
    with start("chat", "--plain", "--model", model, folder=folder) as process:
        assert process.stdin is not None
        for line, answer in ((b"One?\n", b"1\n"), (b"Two?\n", b"2\n")):
            process.stdin.write(line)
            process.stdin.flush()
            assert read_until(process.stdout, b"\n") == answer
        process.communicate(timeout=100)
    assert process.returncode == 0
