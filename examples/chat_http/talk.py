"""Talks to a server of ore with nothing but the standard library.

    python talk.py ADDRESS [SESSION]

One message on each line. The answer is printed as it comes; when the
connection breaks, the next one goes on behind the last event that was seen.
"""

import json
import os
import sys
import urllib.request
from collections.abc import Iterator
from typing import Any


class Server:
    """The routes that a chat needs."""

    def __init__(self, address: str) -> None:
        self._address = address.rstrip("/")
        token = os.environ.get("ORE_TOKEN")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """A request with a whole answer."""
        with self._open(method, path, body, headers) as answer:
            return json.loads(answer.read() or b"null")

    def events(self, session: str, after: str) -> Iterator[dict[str, Any]]:
        """What happens in a session behind an event, for ever, over any number of connections."""
        while True:
            try:
                with self._open("GET", f"/sessions/{session}/events?kinds=*", None, {"Last-Event-ID": after}) as stream:
                    for line in stream:
                        if line.startswith(b"data: "):
                            event = json.loads(line[6:])
                            after = event["context"]["id"]
                            yield event
            except (ConnectionError, TimeoutError):
                continue

    def _open(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Any:
        data = None if body is None else json.dumps(body).encode()
        sent = {"Content-Type": "application/json", **self._headers, **headers}
        request = urllib.request.Request(self._address + path, data, sent, method=method)
        return urllib.request.urlopen(request, timeout=60)


def say(server: Server, session: str, text: str) -> None:
    """Send a message, and print what comes of it."""
    cursor = server.ask("GET", f"/sessions/{session}/snapshot")["id"]
    sent = server.ask("POST", f"/sessions/{session}/messages", {"content": text}, Prefer="respond-async")
    for event in server.events(session, cursor):
        if event["kind"] == "text_delta":
            print(event["content"], end="", flush=True)
        elif event["kind"] == "tool_call":
            print(f"[{event['name']} {event['arguments']}]")
        elif event["kind"] == "question":
            yes = input(f"Run {event['tool']} {event['arguments']}? [y/N] ").lower() in ("y", "yes")
            decision = {"decision": "approve" if yes else "deny"}
            server.ask("POST", f"/sessions/{session}/questions/{event['key']}", decision)
        elif event["kind"] == "error":
            print(f"({event['code']}: {event['message']})")
        if event.get("phase") == "done" and event["context"].get("message") == sent["id"]:
            print()
            return


def main() -> None:
    server = Server(sys.argv[1])
    known = {"thread_id": sys.argv[2]} if len(sys.argv) > 2 else {}
    session = server.ask("POST", "/sessions", known)["id"]
    print("session:", session, file=sys.stderr)
    for line in sys.stdin:
        if line.strip():
            say(server, session, line.strip())


if __name__ == "__main__":
    main()
