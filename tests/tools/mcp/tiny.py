"""A small MCP server without an SDK, which starts at once and can behave badly.

`python tiny.py SETTINGS`, a JSON object: `print` are lines that come before
anything else (as Latin-1, so that any byte can be said; `[TEXT, N]` is a long
one), `glued` stands before
the first message, on its line, and `behind` behind it; `tools` are names, or
whole tools; `page` how many are listed at once, `loop` whether the last page
leads to the first; `mute` whether it answers nothing; `wait` whether it wants
to be killed; `notes` a socket to which it tells what it was asked.
"""

import json
import os
import signal
import socket
import subprocess
import sys
from typing import Any

SETTINGS: dict[str, Any] = json.loads(sys.argv[1])
OUT = sys.stdout.buffer

first = True


def note(text: str) -> None:
    if "notes" in SETTINGS:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
            told.sendto(text.encode(), SETTINGS["notes"])


def send(message: dict[str, Any]) -> None:
    global first
    before, behind = (SETTINGS.get("glued", ""), SETTINGS.get("behind", "")) if first else ("", "")
    first = False
    OUT.write(before.encode("latin-1") + json.dumps(message).encode() + behind.encode("latin-1") + b"\n")
    OUT.flush()


def answer(request: dict[str, Any], result: dict[str, Any]) -> None:
    send({"jsonrpc": "2.0", "id": request["id"], "result": result})


def tools(cursor: str | None) -> dict[str, Any]:
    listed = [
        item if isinstance(item, dict) else {"name": item, "inputSchema": {"type": "object"}}
        for item in SETTINGS.get("tools", ["echo"])
    ]
    size = SETTINGS.get("page", len(listed) or 1)
    start = int(cursor.removeprefix("from-")) if cursor else 0
    page: dict[str, Any] = {"tools": listed[start : start + size]}
    if start + size < len(listed):
        page["nextCursor"] = f"from-{start + size}"
    elif SETTINGS.get("loop"):
        page["nextCursor"] = f"from-{size}"
    return page


def call(request: dict[str, Any]) -> None:
    name, arguments = request["params"]["name"], request["params"].get("arguments", {})
    if name == "exit":
        os._exit(7)
    if name == "orphan":  # what it leaves behind holds the pipe
        note(str(subprocess.Popen(["sleep", "1000"]).pid))
        os._exit(0)
    if name == "flood":
        OUT.write(b"x" * int(arguments["bytes"]))
        OUT.write(b"\n")
    if name == "endless":
        OUT.write(b'{"jsonrpc": "2.0", "id": 1, "result": {"content": "' + b"x" * int(arguments["bytes"]))
        OUT.flush()
        return
    if name == "hang":
        return
    if name == "same code":
        send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32000, "message": "busy"}})
        return
    if name == "deaf":  # it lives on and says so, and hears nothing any more
        os.close(0)
    content = [{"type": "text", "text": f"{name} {json.dumps(arguments, sort_keys=True)}"}]
    answer(request, {"content": content})
    if name == "deaf":
        signal.pause()


LISTS = {"resources/list": "resources", "resources/templates/list": "resourceTemplates", "prompts/list": "prompts"}


def item(method: str, number: int) -> dict[str, Any]:
    """One of the three that are listed, each on a page of its own."""
    if method == "prompts/list":
        return {"name": f"prompt {number}"}
    place = "uriTemplate" if "templates" in method else "uri"
    return {place: f"tiny://{number}", "name": str(number)}


def handle(request: dict[str, Any]) -> None:
    method = request["method"]
    note(f"{method} {(request.get('params') or {}).get('cursor', '')}".strip())
    if SETTINGS.get("mute"):
        return
    if method == "initialize":
        capabilities = {"tools": {}} | SETTINGS.get("capabilities", {})
        info = {"name": "tiny", "version": "1"}
        answer(request, {"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info})
    elif method == "tools/list":
        answer(request, tools((request.get("params") or {}).get("cursor")))
    elif method in LISTS:
        cursor = int((request.get("params") or {}).get("cursor", 0))
        more = {"nextCursor": str(cursor + 1)} if cursor < 2 else {}
        answer(request, {LISTS[method]: [item(method, cursor)] if cursor < 3 else []} | more)
    elif method == "tools/call":
        call(request)
    elif "id" in request:
        send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32601, "message": "no such method"}})


if SETTINGS.get("wait"):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
for text in SETTINGS.get("print", []):
    OUT.write((text if isinstance(text, str) else text[0] * text[1]).encode("latin-1") + b"\n")
OUT.flush()
for line in sys.stdin:
    handle(json.loads(line))
while SETTINGS.get("wait"):
    signal.pause()
