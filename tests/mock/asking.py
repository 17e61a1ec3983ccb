"""Asking a mock server over HTTP, without any client of a vendor."""

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp

from ore.ext.mock import MockServer

OPENAI = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}]}
ANTHROPIC = {"model": "claude-sonnet-4-5", "max_tokens": 64, "messages": [{"role": "user", "content": "Hi"}]}
VERSION = {"anthropic-version": "2023-06-01"}
STREAM = {"stream": True, "stream_options": {"include_usage": True}}


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.content)

    @property
    def events(self) -> list[tuple[str, Any]]:
        """The events of a stream: name and data; data that is no JSON as text."""
        assert self.content.endswith(b"\n\n")
        found = []
        for frame in self.content.decode().removesuffix("\n\n").split("\n\n"):
            lines = dict(line.split(": ", 1) for line in frame.split("\n"))
            data = lines["data"]
            found.append((lines.get("event", ""), data if data == "[DONE]" else json.loads(data)))
        return found


async def ask(
    server: MockServer, body: Any, path: str = "/v1/chat/completions", *, method: str = "POST", **headers: str
) -> Answer:
    """Ask, and read the answer to its end."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    async with (
        aiohttp.ClientSession() as session,
        session.request(method, f"{server.url}{path}", data=io.BytesIO(content), headers=names) as response,
    ):
        return Answer(response.status, response.headers.copy(), await response.read())


async def ask_anthropic(server: MockServer, body: Any, **headers: str) -> Answer:
    return await ask(server, body, "/v1/messages", **{"anthropic_version": "2023-06-01", **headers})


def deltas(answer: Answer) -> list[Any]:
    """The deltas of the one choice of a chat completion."""
    return [event["choices"][0]["delta"] for _, event in answer.events if event != "[DONE]" and event["choices"]]
