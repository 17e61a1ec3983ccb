"""Ctrl-C keeps what was seen; a process that is killed loses nothing that was acknowledged."""

import json
import signal
from pathlib import Path

import pytest

from cli.command import CALL, delta, ore, read_until, said, script, shown, start

HANG = [delta("part"), {"hang": True}]


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite:{tmp_path / 'store.db'}"


@pytest.mark.requirement("D-cli-interrupt", "D-cli-status")
def test_sigint_keeps_the_partial_text_and_ends_with_130(tmp_path: Path, store: str) -> None:
    model = script(tmp_path, HANG)
    with start("run", "--model", model, "--store", store, "--session", "a", "Hi", folder=tmp_path) as process:
        read_until(process.stdout, b"part")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=100)
    assert (process.returncode, out, err) == (130, b"\n", b"")
    assert said(shown(store, "a", tmp_path)) == [("user", "complete", "Hi"), ("assistant", "interrupted", "part")]

    done = ore(
        "run", "--model", script(tmp_path, [delta("ok")]), "--store", store, "--session", "a", "On?", folder=tmp_path
    )
    assert (done.status, done.out, done.err) == (0, "ok\n", "")


@pytest.mark.requirement("D-cli-interrupt")
def test_sigint_shows_the_last_events_and_the_object_of_json(tmp_path: Path, store: str) -> None:
    words = ["--store", store, "--session", "a", "--events", "--json", "Hi"]
    with start("run", "--model", script(tmp_path, HANG), *words, folder=tmp_path) as process:
        read_until(process.stdout, b"text_delta")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=100)
    lines = [json.loads(line) for line in out.splitlines()[-3:]]
    assert (process.returncode, err) == (130, b"")
    assert [line.get("phase") for line in lines[:2]] == ["cancelled", "done"]
    assert (lines[2]["text"], lines[2]["outcome"], lines[2]["error"]) == ("part", "cancelled", None)


@pytest.mark.requirement("D-cli-interrupt")
def test_sigint_works_where_whoever_started_the_command_had_it_ignored(tmp_path: Path, store: str) -> None:
    """As a shell without job control does for what runs in the background."""
    model = script(tmp_path, HANG)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = start("run", "--model", model, "--store", store, "Hi", folder=tmp_path)
    finally:
        signal.signal(signal.SIGINT, before)
    with process:
        read_until(process.stdout, b"part")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=100)
    assert process.returncode == 130


@pytest.mark.requirement("D-cli-interrupt")
def test_sigint_while_the_prompt_is_read_ends_with_130(tmp_path: Path) -> None:
    model = script(tmp_path, HANG)
    with start("chat", "--plain", "--model", model, "--store", "memory:", folder=tmp_path) as process:
        read_until(process.stderr, b"session: ")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=100)
    assert process.returncode == 130
    assert b"Traceback" not in err


@pytest.mark.requirement("D-cli-interrupt")
def test_sigint_in_a_chat_that_reads_a_pipe_ends_it_with_130(tmp_path: Path, store: str) -> None:
    words = ["--model", script(tmp_path, HANG), "--store", store, "--session", "a"]
    with start("chat", "--plain", *words, folder=tmp_path) as process:
        assert process.stdin is not None
        process.stdin.write(b"One?\nTwo?\n")
        process.stdin.flush()
        read_until(process.stdout, b"part")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=100)
    assert process.returncode == 130
    assert said(shown(store, "a", tmp_path)) == [("user", "complete", "One?"), ("assistant", "interrupted", "part")]


def left(folder: Path, store: str) -> None:
    """A session whose process was killed in the middle of an answer."""
    with start(
        "run", "--model", script(folder, HANG), "--store", store, "--session", "a", "One?", folder=folder
    ) as process:
        read_until(process.stdout, b"part")
        process.kill()


@pytest.mark.requirement("D-cli-recovery")
def test_what_a_killed_process_left_is_finished_before_the_new_prompt(tmp_path: Path, store: str) -> None:
    left(tmp_path, store)
    model = script(tmp_path, [delta("one "), CALL], [delta("one")], [delta("two")], name="next.json")
    words = ["--store", store, "--session", "a", "--tool", "calculator", "Two?"]
    done = ore("run", "--model", model, *words, folder=tmp_path)
    assert (done.status, done.out) == (0, "two\n")
    assert done.err == "ore: finishing 1 earlier message of session a first\n"
    turns = said(shown(store, "a", tmp_path))
    assert [text for role, _, text in turns if role == "user"] == ["One?", "Two?"]
    assert [text for role, _, text in turns if role == "assistant"] == ["one ", "one", "two"]


@pytest.mark.requirement("D-cli-recovery")
def test_events_show_the_recovery_too_and_json_is_the_prompts(tmp_path: Path, store: str) -> None:
    left(tmp_path, store)
    model = script(tmp_path, [{"error": "overloaded"}], [delta("two")], name="next.json")
    words = ["--store", store, "--session", "a", "--events", "--json", "Two?"]
    done = ore("run", "--model", model, *words, folder=tmp_path)
    *events, last = [json.loads(line) for line in done.out.splitlines()]
    assert (done.status, last["text"], last["outcome"]) == (0, "two", "done")
    assert [event["outcome"] for event in events if event.get("phase") == "done"] == ["failed", "done"]
    assert len({event["context"]["message"] for event in events}) == 2


@pytest.mark.requirement("D-cli-recovery")
def test_sigint_while_an_old_message_is_finished_ends_only_that_one(tmp_path: Path, store: str) -> None:
    left(tmp_path, store)
    words = ["--store", store, "--session", "a", "--events", "Two?"]
    with start("run", "--model", script(tmp_path, HANG), *words, folder=tmp_path) as process:
        read_until(process.stdout, b"text_delta")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=100)
    assert process.returncode == 130
    assert [turn for turn in said(shown(store, "a", tmp_path)) if turn[0] == "user"] == [("user", "complete", "One?")]
    done = ore(
        "run", "--model", script(tmp_path, [delta("ok")]), "--store", store, "--session", "a", "On?", folder=tmp_path
    )
    assert (done.status, done.out, done.err) == (0, "ok\n", "")


@pytest.mark.requirement("D-cli-owned")
def test_a_session_that_another_process_owns_is_status_1_at_once(tmp_path: Path, store: str) -> None:
    words = ["--store", store, "--session", "a"]
    with start("run", "--model", script(tmp_path, HANG), *words, "Hi", folder=tmp_path) as process:
        read_until(process.stdout, b"part")
        done = ore(
            "run",
            "--model",
            script(tmp_path, [delta("no")], name="no.json"),
            *words,
            "--json",
            "Me too!",
            folder=tmp_path,
        )
        assert (done.status, json.loads(done.out)["error"]["code"]) == (1, "session_owned")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=100)
    assert process.returncode == 130
    assert said(shown(store, "a", tmp_path)) == [("user", "complete", "Hi"), ("assistant", "interrupted", "part")]
