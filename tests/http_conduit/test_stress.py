"""Many readers, many sessions, readers that come and go, and one that does not read: over real sockets."""

import asyncio
import gc
import json
import os
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from ore.agent import AgentSpec
from ore.artifact import Artifact, TextDelta
from ore.ext.conduits.http import HttpConduit
from ore.ledger import State
from ore.models import Spec
from ore.provider import Option
from ore.session import Manager
from peak import growth
from session.watch import until

pytestmark = pytest.mark.slow


class Talking:
    """A provider that says what the message asks for: so many pieces of such a length."""

    name = "talking"

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Sequence[Artifact], None]:
        count, length = map(int, state.turns[-1].artifacts[0].for_human().split())
        for start in range(0, count, 16):
            yield [TextDelta(content=f"{n:06} " + "x" * (length - 7)) for n in range(start, min(start + 16, count))]
            await asyncio.sleep(0)


def text(count: int, length: int) -> str:
    return "".join(f"{n:06} " + "x" * (length - 7) for n in range(count))


@asynccontextmanager
async def server() -> AsyncIterator[tuple[Manager, aiohttp.ClientSession]]:
    """Sessions behind a server, and a client of it without a limit on its connections."""
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    async with Manager(AgentSpec(name="agent", provider=Talking())) as sessions:
        conduit = HttpConduit(port=0, drain_s=0, listening=ready.set_result)
        task = asyncio.ensure_future(conduit.serve(sessions))
        try:
            address = (await ready).removeprefix("listening on ")
            connector = aiohttp.TCPConnector(limit=0)
            async with aiohttp.ClientSession(address, connector=connector, read_bufsize=1 << 20) as client:
                yield sessions, client
        finally:
            task.cancel()
            await asyncio.wait((task,))


async def session_of(client: aiohttp.ClientSession) -> str:
    async with client.post("/sessions") as answer:
        id: str = (await answer.json())["id"]
        return id


async def said(client: aiohttp.ClientSession, session: str, what: str, *kinds: str) -> list[Any]:
    body = {"content": what, "kinds": [*kinds]}
    async with client.post(f"/sessions/{session}/messages", json=body) as answer:
        return [json.loads(line) for line in (await answer.read()).splitlines()]


def told(lines: Sequence[Any]) -> str:
    """The text of the fragments; a complete block stands for those that were left out."""
    whole = [line["content"] for line in lines if line["kind"] == "text"]
    return whole[0] if whole else "".join(line["content"] for line in lines if line["kind"] == "text_delta")


async def events(answer: aiohttp.ClientResponse) -> AsyncIterator[Any]:
    """The events of a stream, as they come."""
    buffer = b""
    async for piece in answer.content.iter_any():
        *frames, buffer = (buffer + piece).split(b"\n\n")
        for frame in frames:
            if b"data: " in frame:
                yield json.loads(frame.partition(b"data: ")[2])


@pytest.mark.requirement("B82")
async def test_two_hundred_readers_of_one_session_see_the_same() -> None:
    async with server() as (_, client):
        session = await session_of(client)
        ready = asyncio.Barrier(201)

        async def read() -> tuple[str, list[str]]:
            async with client.get(f"/sessions/{session}/events?kinds=*") as answer:
                await answer.content.readuntil(b"\n\n")
                await ready.wait()
                found = []
                async for event in events(answer):
                    found.append(event)
                    if event.get("phase") == "done":
                        break
                return told(found), [event["context"]["id"] for event in found if event["kind"] != "text_delta"]

        async with asyncio.TaskGroup() as group:
            readers = [group.create_task(read()) for _ in range(200)]
            await ready.wait()
            await said(client, session, "1000 20", "text")
        assert {reader.result()[0] for reader in readers} == {text(1_000, 20)}
        assert len({tuple(reader.result()[1]) for reader in readers}) == 1


@pytest.mark.requirement("B84")
async def test_a_thousand_readers_that_come_and_go_leave_nothing_behind() -> None:
    """Half of them in the middle of a message, which comes to its end."""
    async with server() as (sessions, client):
        session = await session_of(client)
        fan_out = sessions.get(session)._core.bus.fan_out
        await said(client, session, "10 10", "text")

        def state() -> tuple[int, int, int]:
            gc.collect()
            return len(os.listdir("/proc/self/fd")), len(asyncio.all_tasks()), len(gc.get_objects())

        async def come_and_go(number: int) -> None:
            if number % 2:
                path, body = f"/sessions/{session}/messages", {"content": "50 10", "kinds": ["*"]}
                async with client.post(path, json=body) as answer:
                    await answer.content.readany()
                    answer.close()
            else:
                async with client.get(f"/sessions/{session}/events?kinds=*") as answer:
                    await answer.content.readany()
                    answer.close()

        async def rest() -> None:
            await sessions.get(session).idle()
            await until(lambda: not fan_out._readers.alive())
            for _ in range(50):
                await asyncio.sleep(0)

        for number in range(100):
            await come_and_go(number)
        await rest()
        before = state()
        for number in range(1_000):
            await come_and_go(number)
        await rest()
        after = state()
        assert after[0] - before[0] <= 2 and after[1] - before[1] <= 2
        turns = 2 * 500  # they are kept, a few objects each
        assert after[2] - before[2] < 30 * turns
        assert len(sessions.get(session).turns) == 2 * (1 + 50 + 500)


async def test_two_hundred_sessions_stream_at_once_and_nothing_is_lost() -> None:
    async with server() as (_, client):
        ids = [await session_of(client) for _ in range(200)]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(said(client, id, "500 12", "*")) for id in ids]
        for task in tasks:
            lines = task.result()
            assert told(lines) == text(500, 12)
            assert lines[-1]["outcome"] == "done"
        assert len({line["context"]["message"] for task in tasks for line in task.result()}) == 200


@pytest.mark.requirement("B82")
async def test_a_reader_that_reads_nothing_costs_little_and_delays_nobody() -> None:
    """50 MB of fragments; when it reads again it gets the state, and the end."""
    async with server() as (_, client):
        session = await session_of(client)
        host, port = str(client._base_url.host), client._base_url.port  # type: ignore[union-attr]
        reader, writer = await asyncio.open_connection(host, port, limit=1 << 12)
        transport: Any = writer.transport
        try:
            request = f"GET /sessions/{session}/events?kinds=* HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n"
            writer.write(request.encode())
            await reader.readuntil(b": here\n\n")
            transport.pause_reading()
            with growth() as grown_bytes:
                for _ in range(200):
                    lines = await said(client, session, "1000 250", "text")
                    assert lines[-1]["outcome"] == "done" and len(lines[0]["content"]) == 250_000
                assert grown_bytes() < 150 << 20  # the turns themselves are 50 MB, and stay
            transport.resume_reading()
            seen = b""
            while b"event: gap\ndata: " not in seen:
                piece = await reader.read(1 << 20)
                assert piece
                seen = seen[-20:] + piece
        finally:
            transport.abort()
