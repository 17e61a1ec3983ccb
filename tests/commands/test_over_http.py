"""Commands that come over HTTP: the same, and none is ever sent to a model."""

import asyncio

import pytest

pytest.importorskip("starlette", reason="the HTTP conduit needs the http extra")

from app.script import until
from commands.test_registry import LINES
from commands.typing import said, typing
from http_conduit.client import Client
from http_conduit.scene import Scene
from ore.artifact import ToolCall
from ore.ext.conduits.http import HttpOptions
from ore.ext.conduits.http.app import app_of
from ore.ext.conduits.http.front import Front
from ore.tool import tool


@pytest.mark.requirement("D-commands-never-sent")
@pytest.mark.parametrize("mode", ["queue", "steer"])
async def test_every_command_works_over_http_beside_a_running_turn_and_a_queue(mode: str) -> None:
    began, hold = asyncio.Event(), asyncio.Event()

    @tool
    async def work() -> str:
        """Work."""
        began.set()
        await hold.wait()
        return "worked"

    call = [ToolCall(id="c", name="work", arguments="{}")]
    async with asyncio.timeout(15), typing(call, *[said("ok")] * 9, tools=[work]) as typist:
        front = Front(typist.manager, HttpOptions())
        on = Scene(front, Client(app_of(front)), typist.provider)
        await on.submit("s", "first message")
        await began.wait()
        await on.submit("s", "second message")
        waiting = [await on.submit("s", line, mode=mode) for line in LINES]
        last = asyncio.create_task(on.say("s", "/help"))
        await until(lambda: len(typist.stream.snapshot().queue) == len(LINES) + 3)
        hold.set()
        # What /undo and /redo change is told to whoever reads the session, with a gap.
        lines = [line for line in (await last).lines if line["kind"] != "gap"]
        assert [line["kind"] for line in lines] == ["lifecycle", "notice", "lifecycle"]
        assert "- /usage: what the session used" in lines[1]["content"]
        assert lines[-1]["outcome"] == "done"
        for name in waiting:
            answer = await on.client.get(f"/sessions/s/messages/{name}")
            assert (answer.json["status"], answer.json["outcome"]) == ("done", "done")
            assert "notice" in {entry.kind for entry in typist.seen.of(name)}
        heard = " ".join(typist.heard)
        assert "second message" in heard
        assert [line for line in LINES if line in heard] == []
        for name in typist.switched:
            assert (await on.client.get(f"/sessions/{name}/snapshot")).status == 200
