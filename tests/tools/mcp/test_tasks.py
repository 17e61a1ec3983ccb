"""A server is opened, used and closed from different tasks, and leaves nothing behind."""

import asyncio
import gc
import logging
import os
import signal
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.script import until
from calls.stage import Stage, arguments, ask
from ore.errors import InputError, ToolError
from ore.ext.tools.mcp import McpOptions, McpServer, McpServers
from processes import is_alive
from tools.mcp.serving import Web, notes, tiny


@pytest.fixture
async def faults(caplog: pytest.LogCaptureFixture) -> AsyncIterator[list[object]]:
    """What the loop's handler of exceptions was given; nothing, when the test is over."""
    found: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: found.append(context))
    yield found
    gc.collect()
    await asyncio.sleep(0)
    assert found == []
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == []


def processes() -> set[int]:
    """The children of this process."""
    listed = [path.read_text() for path in Path("/proc/self/task").glob("*/children")]
    return {int(pid) for pids in listed for pid in pids.split() if is_alive(int(pid))}


@pytest.mark.requirement("B76")
@pytest.mark.parametrize("transport", ["stdio", "auto", "legacy"])
@pytest.mark.usefixtures("faults")
async def test_one_task_opens_others_use_and_another_closes(transport: str, shared: Web) -> None:
    """With a time-out around the opening, and calls side by side."""
    server = tiny() if transport == "stdio" else shared.client("tiny", McpOptions(handshake=transport))  # type: ignore[arg-type]  # one of the two
    name = "tiny__echo" if transport == "stdio" else "tiny__say"

    async def connect() -> None:
        async with asyncio.timeout(5):
            await server.open()

    async def use() -> list[bool]:
        stage = Stage(*server.tools())
        results = await stage.results(*(ask(name, arguments(text="x"), id=str(n)) for n in range(5)))
        return [result.is_error for result in results]

    await asyncio.create_task(connect())
    users = [asyncio.create_task(use()) for _ in range(2)]
    assert [await user for user in users] == [[False] * 5] * 2
    await server.close()
    with pytest.raises(RuntimeError, match="is not open"):
        server.tools()


@pytest.mark.requirement("B76")
@pytest.mark.usefixtures("faults")
async def test_opening_that_takes_too_long_leaves_no_process() -> None:
    """However it ends: the caller's own limit, the server's, or a cancellation."""
    before = processes()
    server = tiny(mute=True, wait=True, options=McpOptions(close_s=0.2))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5):
            await server.open()
    assert processes() == before

    server = tiny(mute=True, wait=True, options=McpOptions(connect_s=0.5, close_s=0.2))
    with pytest.raises(ToolError, match=r"did not answer within 0\.5 s"):
        await server.open()
    assert processes() == before

    async with notes() as told:
        server = tiny(mute=True, notes=told.path)
        task = asyncio.create_task(server.open())
        await told.until("server/discover")
        task.cancel()
        await asyncio.wait((task,))
    assert task.cancelled()
    assert processes() == before


@pytest.mark.usefixtures("faults")
async def test_a_server_that_does_not_want_to_end_is_killed() -> None:
    """It ignores its closed input and the signal that asks it to end."""
    before = processes()
    server = tiny(wait=True, options=McpOptions(close_s=0.2))
    async with asyncio.timeout(10):
        async with server:
            assert len(processes() - before) == 1
    assert processes() == before


@pytest.mark.usefixtures("faults")
async def test_what_is_opened_more_than_once_is_closed_by_the_last() -> None:
    """Side by side too; and it may be opened again afterwards."""
    before = processes()
    server = tiny()
    async with asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(server.open())
    assert len(processes() - before) == 1
    await server.close()
    await server.close()
    assert [found.name for found in server.tools()] == ["tiny__echo"]
    await server.close()
    assert processes() == before
    async with server:
        assert (await Stage(*server.tools()).result("tiny__echo")).content == "echo {}"


@pytest.mark.usefixtures("faults")
async def test_closing_fails_what_runs_and_says_why() -> None:
    server = tiny(tools=["hang"])
    await server.open()
    stage = Stage(*server.tools())
    task = asyncio.create_task(stage.turn(ask("tiny__hang")))
    await until(lambda: bool(stage.handler.running))
    await server.close()
    async with asyncio.timeout(10):
        await task
    assert "mcp server 'tiny' was closed during the call" in stage.last_results[0].content


def test_a_loop_that_ends_ends_the_server_too() -> None:
    """Whoever forgets to close leaves no process either."""
    before = processes()

    async def forget() -> int:
        await tiny().open()
        (pid,) = processes() - before
        return pid

    assert not is_alive(asyncio.run(forget()))


def test_one_server_serves_one_loop_after_the_other_but_not_two_at_once() -> None:
    server = tiny()

    async def once() -> str:
        async with server:
            return (await Stage(*server.tools()).result("tiny__echo")).content

    assert [asyncio.run(once()) for _ in range(2)] == ["echo {}"] * 2

    async def both() -> None:
        async with server:
            found: list[Exception] = []

            def elsewhere() -> None:
                try:
                    asyncio.run(once())
                except RuntimeError as error:
                    found.append(error)

            thread = threading.Thread(target=elsewhere)
            thread.start()
            await asyncio.to_thread(thread.join)
            assert "is open in another event loop" in str(found[0])
            assert (await Stage(*server.tools()).result("tiny__echo")).content == "echo {}"

    asyncio.run(both())


@pytest.mark.usefixtures("faults")
async def test_a_group_is_opened_side_by_side_and_closed_together() -> None:
    before = processes()
    servers = McpServers(tiny("b"), tiny("a", tools=["y", "x"]))
    async with servers:
        assert [found.name for found in servers.tools()] == ["a__x", "a__y", "b__echo"]
        assert len(processes() - before) == 2
    assert processes() == before
    with pytest.raises(RuntimeError, match="are not open"):
        servers.tools()
    with pytest.raises(InputError, match="different names"):
        McpServers(tiny("a"), tiny("a"))


async def test_a_group_fails_with_a_server_that_it_needs_and_goes_on_without_one_that_it_does_not(
    caplog: pytest.LogCaptureFixture,
) -> None:
    before = processes()
    with pytest.raises(ToolError, match=r"mcp server 'gone' ended \(exit status 1\)"):
        await McpServers(tiny("here"), McpServer.stdio("gone", "false")).open()
    assert processes() == before

    gone = McpServer.stdio("gone", "false", options=McpOptions(required=False))
    async with McpServers(tiny("here"), gone) as servers:
        assert [found.name for found in servers.tools()] == ["here__echo"]
    assert "mcp server 'gone' ended (exit status 1); going on without it" in caplog.text


async def test_a_server_that_was_killed_while_nobody_called_it_is_started_by_the_next_call() -> None:
    before = processes()
    async with tiny() as server:
        (pid,) = processes() - before
        os.kill(pid, signal.SIGKILL)
        await until(lambda: not is_alive(pid))
        assert (await Stage(*server.tools()).result("tiny__echo")).content == "echo {}"
        assert server.restarts == 1
