"""Running the command: in this process, and as a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

COMMAND = Path(sys.executable).with_name("ore")

CALL = {
    "kind": "tool_call_delta",
    "index": 0,
    "id": "c1",
    "name": "calculator",
    "arguments": '{"expression": "6*7"}',
}


def delta(text: str) -> dict[str, Any]:
    return {"kind": "text_delta", "content": text}


def call(name: str, /, **arguments: Any) -> dict[str, Any]:
    """A call of a tool, as an item of a script."""
    return {**CALL, "name": name, "arguments": json.dumps(arguments)}


def script(folder: Path, *calls: Sequence[Any], name: str = "script.json", **more: Any) -> str:
    """The name of a model that plays these lists."""
    (folder / name).write_text(json.dumps({"calls": calls, **more}))
    return f"scripted:{folder / name}"


@dataclass(frozen=True, slots=True)
class Done:
    """How a process ended."""

    status: int
    out: str
    err: str


def ore(*words: str, folder: Path, stdin: str | bytes = b"", env: Mapping[str, str] | None = None) -> Done:
    """Run the command to its end, as a process."""
    given = stdin if isinstance(stdin, bytes) else stdin.encode()
    done = subprocess.run(
        [COMMAND, *words], cwd=folder, input=given, capture_output=True, env={**os.environ, **(env or {})}, timeout=200
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def start(*words: str, folder: Path, **streams: int | IO[bytes]) -> "subprocess.Popen[bytes]":
    """Start the command as a process, with pipes where nothing else is given."""
    pipes: dict[str, Any] = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr")} | streams
    return subprocess.Popen([COMMAND, *words], cwd=folder, **pipes)


def read_until(stream: IO[bytes] | None, mark: bytes) -> bytes:
    """What comes up to `mark`, as it comes."""
    assert stream is not None
    seen = b""
    while mark not in seen:
        piece = os.read(stream.fileno(), 65536)
        assert piece, f"expected {mark!r}, got only {seen!r}"
        seen += piece
    return seen


def shown(store: str, session: str, folder: Path) -> list[dict[str, Any]]:
    """The turns of a stored session, as the command itself shows them."""
    done = ore("sessions", "show", session, "--json", "--store", store, folder=folder)
    assert done.status == 0, done.err
    turns: list[dict[str, Any]] = json.loads(done.out)["turns"]
    return turns


def said(turns: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, str]]:
    """Role, status and text of turns."""
    return [
        (
            turn["role"],
            turn["status"],
            "".join(artifact["content"] for artifact in turn["artifacts"] if artifact["kind"] == "text"),
        )
        for turn in turns
    ]
