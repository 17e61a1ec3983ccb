"""`ore serve` as a process: started, used, ended."""

import json
import re
import signal
import socket
import subprocess
from pathlib import Path

import httpx
import pytest

from cli.command import call, delta, ore, read_until, script, start
from cli.served import READY, said, sent, serving, session_of, until_phase

pytestmark = pytest.mark.slow


def ended(process: "subprocess.Popen[bytes]", number: int) -> int:
    """The status behind a signal."""
    process.send_signal(number)
    return process.wait(20)


@pytest.mark.requirement("D-serve")
def test_a_server_says_where_it_is_and_talks(tmp_path: Path) -> None:
    with serving(tmp_path, script(tmp_path, [delta("Hel"), delta("lo")])) as (client, process):
        assert client.get("/healthz").json() == {"status": "ok"}
        session = session_of(client)
        assert [line["content"] for line in said(client, session, kinds=["text_delta"])[:-1]] == ["Hel", "lo"]
        assert ended(process, signal.SIGTERM) == 0
    listed = ore("sessions", "list", "--json", "--store", f"sqlite:{tmp_path / 'ore.db'}", folder=tmp_path)
    assert [one["id"] for one in json.loads(listed.out)["sessions"]] == [session]


@pytest.mark.requirement("D-serve-drain")
def test_what_runs_at_the_end_is_cut_kept_and_goes_on_at_the_next_start(tmp_path: Path) -> None:
    model = script(tmp_path, [delta("Begun"), {"hang": True}])
    with serving(tmp_path, model, "--drain-s", "0") as (client, process):
        session = session_of(client)
        with client.stream("POST", f"/sessions/{session}/messages", json={"content": "one", "id": "m1"}) as stream:
            until_phase(client, session, "streaming")
            waiting = sent(client, session, "two")
            assert ended(process, signal.SIGTERM) == 0
            last = json.loads([*stream.iter_lines()][-1])
        assert (last["kind"], last["code"], last["retryable"]) == ("error", "session_closed", True)
    shown = ore("sessions", "show", session, "--json", "--store", f"sqlite:{tmp_path / 'ore.db'}", folder=tmp_path)
    partial = json.loads(shown.out)["turns"][-1]
    assert (partial["status"], partial["artifacts"][0]["content"]) == ("interrupted", "Begun")
    with serving(tmp_path, script(tmp_path, [delta("Done.")], repeat=True)) as (client, _):
        while {client.get(f"/sessions/{session}/messages/{id}").json()["status"] for id in ("m1", waiting)} != {"done"}:
            until_phase(client, session, "idle")
        states = [client.get(f"/sessions/{session}/messages/{id}").json() for id in ("m1", waiting)]
        assert [state["outcome"] for state in states] == ["done", "done"]


@pytest.mark.requirement("D-serve-drain")
def test_while_it_ends_nothing_new_is_taken_and_what_runs_is_seen_to_its_end(tmp_path: Path) -> None:
    model = script(tmp_path, [delta("Be"), {"pause_ms": 1500}, delta("gun")])
    with serving(tmp_path, model) as (client, process):
        session = session_of(client)
        path = f"/sessions/{session}/messages"
        with client.stream("POST", path, json={"content": "one", "id": "m1"}) as stream:
            lines = stream.iter_lines()
            while json.loads(next(lines)).get("phase") != "streaming":
                pass
            process.send_signal(signal.SIGTERM)
            assert b"stopping" in read_until(process.stderr, b"\n")
            refused = client.post(path, json={"content": "two"})
            assert (refused.status_code, refused.json()["code"]) == (503, "session_closed")
            assert int(refused.headers["retry-after"]) > 0
            assert client.post("/sessions").status_code == 503
            assert client.get("/healthz").status_code == 503
            assert client.get(f"/sessions/{session}/snapshot").json()["phase"] == "closing"
            assert json.loads([*lines][-1])["outcome"] == "done"
        assert process.wait(20) == 0


def test_the_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    with serving(tmp_path, script(tmp_path, [{"hang": True}]), "--drain-s", "600") as (client, process):
        session = session_of(client)
        sent(client, session)
        until_phase(client, session, "submitted")
        process.send_signal(signal.SIGINT)
        assert b"stopping" in read_until(process.stderr, b"\n")
        assert ended(process, signal.SIGINT) == 130


def test_ctrl_c_interrupts(tmp_path: Path) -> None:
    with serving(tmp_path, script(tmp_path, [])) as (_, process):
        assert ended(process, signal.SIGINT) == 130


@pytest.mark.requirement("B80")
@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_more_than_loopback_needs_a_token(tmp_path: Path, host: str) -> None:
    model = script(tmp_path, [delta("Hello")])
    done = ore("serve", "--port", "0", "--host", host, "--model", model, "--store", "memory:", folder=tmp_path)
    assert (done.status, "--token" in done.err) == (2, True)


@pytest.mark.requirement("B80")
def test_with_a_token_it_listens_everywhere_and_says_how_to_enter(tmp_path: Path) -> None:
    model = script(tmp_path, [delta("Hello")])
    words = ("serve", "--port", "0", "--host", "0.0.0.0", "--model", model, "--store", "memory:", "--token", "a b")
    with start(*words, folder=tmp_path) as process:
        try:
            found = READY.fullmatch(read_until(process.stderr, b"\n").decode())
            assert found and found[2] == f"{found[1]}/?token=a%20b"
            address = found[1].replace("0.0.0.0", "127.0.0.1")
            with httpx.Client(base_url=address) as client:
                assert client.get("/sessions").status_code == 401
                entered = client.get(found[2].replace("0.0.0.0", "127.0.0.1"))
                assert entered.status_code == 303
                assert client.get("/sessions", headers={"Host": "evil.example"}).status_code == 403
                assert client.get("/sessions", headers={"Host": "192.168.7.7:80"}).status_code == 200  # with the cookie
        finally:
            process.kill()
            process.communicate()


def test_the_token_may_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORE_TOKEN", "s3cret")
    model = script(tmp_path, [delta("Hello")])
    words = ("serve", "--port", "0", "--model", model, "--store", "memory:")
    with start(*words, folder=tmp_path) as process:
        try:
            found = READY.fullmatch(read_until(process.stderr, b"\n").decode())
            assert found and found[2].endswith("?token=s3cret")
        finally:
            process.kill()
            process.communicate()


def test_a_port_that_is_taken_is_wrong_use(tmp_path: Path) -> None:
    model = script(tmp_path, [])
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = ore("serve", "--port", port, "--model", model, "--store", "memory:", folder=tmp_path)
    assert (done.status, f"127.0.0.1:{port}" in done.err) == (2, True)


AGENTS = """
from ore import Agent
writer = Agent({model!r}, name="writer", description="Writes.")
critic = Agent({model!r}, name="critic")
twin = Agent({model!r}, name="critic")
"""


def test_several_agents_are_served_by_their_names(tmp_path: Path) -> None:
    model = script(tmp_path, [delta("Hello")])
    (tmp_path / "two.py").write_text(AGENTS.format(model=model))
    words = ("--agent", "two:writer", "--agent", "two:critic", "--session", "mine")
    with serving(tmp_path, model, *words) as (client, _):
        assert [agent["name"] for agent in client.get("/agents").json()["agents"]] == ["writer", "critic"]
        assert [one["id"] for one in client.get("/sessions").json()["sessions"]] == ["mine"]
        session = session_of(client, agent="critic")
        assert said(client, session)[-1]["outcome"] == "done"
    twice = ore("serve", "--agent", "two:critic", "--agent", "two:twin", "--store", "memory:", folder=tmp_path)
    assert (twice.status, "critic, critic" in twice.err) == (2, True)


ASKING = """
from ore import Agent, tool

@tool(approve=True)
def remove(name: str) -> str:
    '''Remove a file.'''
    return f"removed {{name}}"

agent = Agent({model!r}, tools=[remove])
"""


@pytest.mark.parametrize(("mode", "status"), [("always", "ok"), ("never", "denied"), ("ask", "ok")])
def test_approvals_are_asked_for_or_decided(tmp_path: Path, mode: str, status: str) -> None:
    model = script(tmp_path, [call("remove", name="x")], [delta("Done.")])
    (tmp_path / "asking.py").write_text(ASKING.format(model=model))
    with serving(tmp_path, model, "--agent", "asking:agent", "--approve", mode, "--no-ui") as (client, _):
        assert client.get("/").status_code == 404
        session = session_of(client)
        message = sent(client, session)
        if mode == "ask":
            until_phase(client, session, "waiting")
            (question,) = client.get(f"/sessions/{session}/questions").json()["questions"]
            client.post(f"/sessions/{session}/questions/{question['key']}", json={"decision": "approve"})
        while client.get(f"/sessions/{session}/messages/{message}").json()["status"] != "done":
            until_phase(client, session, "idle")
        results = [turn["artifacts"] for turn in client.get(f"/sessions/{session}/turns").json()]
        assert results[2][0]["status"] == status


@pytest.mark.parametrize("words", [("--port", "70000"), ("--port", "x"), ("--drain-s", "-1"), ("--drain-s", "nan")])
def test_wrong_options_are_wrong_use(tmp_path: Path, words: tuple[str, str]) -> None:
    assert ore("serve", *words, folder=tmp_path).status == 2


def test_requests_are_logged_without_what_they_held(tmp_path: Path) -> None:
    with serving(tmp_path, script(tmp_path, [delta("Hello")]), "--access-log") as (client, process):
        session = session_of(client)
        said(client, session, "my secret words")
        client.get("/threads?q=private")
        process.send_signal(signal.SIGTERM)
        log = process.stderr.read().decode()
    assert re.search(rf"POST '/sessions/{session}/messages' 200 [\d.]+ ms", log)
    assert "GET '/threads' 200" in log
    assert "secret" not in log and "private" not in log and "Hello" not in log
