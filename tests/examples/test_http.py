"""The examples that talk over HTTP."""

import os
import runpy
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cli.command import call, delta, read_until, script

EXAMPLES = Path(__file__).parents[2] / "examples"


def environment(folder: Path, **more: str) -> dict[str, str]:
    return {**os.environ, "ORE_STORE": f"sqlite:{folder / 'ore.db'}", **more}


@pytest.mark.slow
def test_a_chat_is_served_and_talked_to_from_a_terminal(tmp_path: Path) -> None:
    """A question is answered there; SIGTERM ends the server with what runs at rest."""
    folder = Path(shutil.copytree(EXAMPLES / "chat_http", tmp_path / "chat"))
    model = script(tmp_path, [call("send_postcard", to="Ann", text="Hi")], [delta("Sent"), delta(" it.")])
    words = [sys.executable, "serve.py", model]
    with subprocess.Popen(words, cwd=folder, env=environment(tmp_path, PORT="0"), stderr=subprocess.PIPE) as server:
        try:
            address = read_until(server.stderr, b"\n").decode().split()[2]
            talk = subprocess.run(
                [sys.executable, "talk.py", address],
                cwd=folder,
                env=environment(tmp_path),
                input="send Ann a postcard\ny\n",
                capture_output=True,
                text=True,
                timeout=30,
            )
            assert talk.stdout == (
                '[send_postcard {"to": "Ann", "text": "Hi"}]\n'
                'Run send_postcard {"to": "Ann", "text": "Hi"}? [y/N] Sent it.\n'
            ), talk.stderr
            session = talk.stderr.split()[1]
            again = subprocess.run(
                [sys.executable, "talk.py", address, session],
                cwd=folder,
                env=environment(tmp_path),
                input="more\n",
                capture_output=True,
                text=True,
                timeout=30,
            )
            assert again.stdout.startswith("(bad_request: "), again.stderr  # the script is at its end
            server.send_signal(signal.SIGTERM)
            assert server.wait(20) == 0
        finally:
            server.kill()


@pytest.mark.slow
def test_sessions_are_part_of_somebody_elses_application(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    testclient = pytest.importorskip("fastapi.testclient", reason="the example embeds into FastAPI")
    monkeypatch.setenv("ORE_MODEL", script(tmp_path, [delta("Order ten.")], repeat=True))
    monkeypatch.setenv("ORE_STORE", "memory:")
    app = runpy.run_path(str(EXAMPLES / "embed_in_fastapi" / "app.py"))["app"]
    with testclient.TestClient(app, base_url="http://localhost") as client:
        assert client.get("/articles/pens/advice").json() == {"session": "advice-pens", "advice": "Order ten."}
        turns = client.get("/agent/sessions/advice-pens/turns").json()
        assert [turn["role"] for turn in turns] == ["user", "assistant"]
        made = client.post("/agent/sessions").json()
        assert made["events_url"] == f"/agent/sessions/{made['id']}/events"
        answer = client.post(f"{made['events_url'].removesuffix('events')}messages", json={"content": "hi"})
        assert '"outcome":"done"' in answer.text
        assert client.get("/agent/agents").json()["agents"][0]["name"] == "shop"
        assert client.get("/agent/healthz", headers={"host": "evil.example"}).status_code == 403
        assert client.get("/openapi.json").json()["info"]["title"] == "Shop"
