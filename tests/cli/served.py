"""`ore serve` as a process, with a client of it."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from cli.command import read_until, start

__all__ = ["READY", "said", "sent", "serving", "session_of", "until_phase"]

READY = re.compile(r"listening on (http://\S+)(?: \(open (http://\S+)\))?\n")


@contextmanager
def serving(folder: Path, model: str, *words: str, token: str | None = None) -> Iterator[tuple[httpx.Client, Any]]:
    """A client of a server, and its process, which is gone afterwards."""
    given = ("serve", "--port", "0", "--model", model, "--store", f"sqlite:{folder / 'ore.db'}", *words)
    with start(*given, folder=folder) as process:
        try:
            found = READY.fullmatch(read_until(process.stderr, b"\n").decode())
            assert found
            headers = {} if token is None else {"Authorization": f"Bearer {token}"}
            with httpx.Client(base_url=found[1].replace("0.0.0.0", "127.0.0.1"), headers=headers, timeout=20) as client:
                yield client, process
        finally:
            process.kill()
            process.communicate()


def session_of(client: httpx.Client, **body: Any) -> str:
    id: str = client.post("/sessions", json=body).raise_for_status().json()["id"]
    return id


def said(client: httpx.Client, session: str, text: str = "hi", **more: Any) -> list[Any]:
    answer = client.post(f"/sessions/{session}/messages", json={"content": text, **more}).raise_for_status()
    return [json.loads(line) for line in answer.text.splitlines()]


def sent(client: httpx.Client, session: str, text: str = "hi", **more: Any) -> str:
    body = {"content": text, **more}
    answer = client.post(f"/sessions/{session}/messages", json=body, headers={"Prefer": "respond-async"})
    id: str = answer.raise_for_status().json()["id"]
    return id


def until_phase(client: httpx.Client, session: str, phase: str) -> None:
    """Return once the session is there; its events say when to look."""
    with client.stream("GET", f"/sessions/{session}/events", params={"kinds": "*"}) as events:
        if client.get(f"/sessions/{session}/snapshot").json()["phase"] == phase:
            return
        for line in events.iter_lines():
            if line and client.get(f"/sessions/{session}/snapshot").json()["phase"] == phase:
                return
    raise AssertionError("the stream ended")
