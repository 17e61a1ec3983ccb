"""Slash commands in `ore chat --plain`."""

import json
from pathlib import Path

import pytest

from cli.command import delta, ore, said, script, shown

USAGE = {"kind": "usage", "prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}


@pytest.mark.requirement("D-commands")
def test_commands_answer_on_standard_error_and_paths_are_messages(folder: Path) -> None:
    model = script(folder, [delta("1"), USAGE], [delta("2"), USAGE])
    lines = ["/help", "/name To the moon", "/etc/hosts is broken", "//usr", "/usage", "/hlep", "/tools", "/compact"]
    store = f"sqlite:{folder / 'store.db'}"
    done = ore(
        *("chat", "--plain", "--model", model, "--session", "a", "--store", store, "--tool", "calculator"),
        folder=folder,
        stdin="\n".join(lines),
    )
    assert (done.status, done.out) == (0, "1\n2\n")
    assert "- /undo: go back" in done.err
    assert "ore: session: 20 tokens (18 sent, 2 received)" in done.err
    assert "ore: there is no command /hlep; did you mean /help?" in done.err
    assert "- calculator: " in done.err
    assert [turn[2] for turn in said(shown(store, "a", folder))] == ["/etc/hosts is broken", "1", "/usr", "2"]
    listed = json.loads(ore("sessions", "list", "--json", "--store", store, folder=folder).out)["sessions"]
    assert [session["title"] for session in listed] == ["To the moon"]


@pytest.mark.requirement("D-commands")
@pytest.mark.parametrize("store", ["memory:", "sqlite:store.db"])
def test_the_chat_goes_on_in_the_session_that_a_command_leads_to(folder: Path, store: str) -> None:
    """Forked, it has the conversation so far; new, it has none; what was before stays as it is."""
    model = script(folder, [delta("1"), USAGE], [delta("2"), USAGE])
    lines = ["One?", "/fork", "/undo", "/usage", "Other?", "/new", "/usage", "New?"]
    done = ore(
        *("chat", "--plain", "--model", model, "--session", "a", "--store", store),
        folder=folder,
        stdin="\n".join(lines),
    )
    assert (done.status, done.out) == (0, "1\n1\n1\n"), done.err
    told = [line for line in done.err.splitlines() if line.startswith("ore: ")]
    assert [line.split(":")[1].split()[0] for line in told] == ["going", "undone", "session", "a", "nothing"]
    assert "undone: One?" in told[1] and "10 tokens" in told[2]
    if store != "memory:":
        assert [turn[2] for turn in said(shown(store, "a", folder))] == ["One?", "1"]


@pytest.mark.requirement("D-commands")
def test_what_is_typed_holds_before_what_the_options_said(folder: Path) -> None:
    """Also when the options name a model."""
    first, second = script(folder, [delta("1")], name="1.json"), script(folder, [delta("2")], name="2.json")
    lines = ["a", f"/model {second}", "b", "/model none:x", "/temperature 0", "/temperature"]
    done = ore(
        *("chat", "--plain", "--model", first, "--session", "a", "--store", "memory:", "--temperature", "1"),
        folder=folder,
        stdin="\n".join(lines),
    )
    assert (done.status, done.out) == (0, "1\n2\n"), done.err
    assert "answers from now on" in done.err
    assert "ore: /model: model 'none:x': expected a provider" in done.err
    assert done.err.splitlines()[-1] == "ore: temperature: 0"


@pytest.mark.requirement("D-commands")
def test_an_export_stands_in_the_folder_where_the_chat_is(folder: Path) -> None:
    model = script(folder, [delta("1")])
    done = ore(
        *("chat", "--plain", "--model", model, "--session", "a", "--store", "memory:"),
        folder=folder,
        stdin="hi\n/export text\n/debug request\n",
    )
    assert done.status == 0, done.err
    assert "=== user" in (folder / "ore-a.txt").read_text()
    assert "scripted sends nothing over a network" in done.err


@pytest.mark.requirement("D-commands-messages")
def test_one_message_of_a_program_is_never_a_command(folder: Path) -> None:
    done = ore("run", "--model", script(folder, [delta("1")]), "--store", "memory:", "/help", folder=folder)
    assert (done.status, done.out) == (0, "1\n")


@pytest.mark.slow
@pytest.mark.requirement("D-commands-never-sent")
def test_a_server_takes_commands_and_keeps_what_they_write_in_its_own_folder(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("uvicorn", reason="`ore serve` needs the http extra")
    from cli.served import said as answered
    from cli.served import serving, session_of

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with serving(folder, script(folder, [delta("1")])) as (client, _):
        session = session_of(client)
        assert [line["kind"] for line in answered(client, session, "/etc/hosts")][-2:] == ["turn_complete", "lifecycle"]
        (notice,) = [line for line in answered(client, session, "/export text /etc/x") if line["kind"] == "notice"]
        assert notice["content"].startswith("usage: /export")
        (notice,) = [line for line in answered(client, session, "/export") if line["kind"] == "notice"]
        (made,) = (tmp_path / "data" / "ore" / "exports").iterdir()
        assert notice["content"] == f"written to {made}"
        assert (made.stat().st_mode & 0o777, made.parent.stat().st_mode & 0o777) == (0o600, 0o700)
