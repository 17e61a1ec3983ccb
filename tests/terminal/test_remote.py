"""The same screen over a running server: `ore chat --connect`."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from ore import Agent, tool
from ore.app import live_sessions
from ore.artifact import Notice, ReasoningDelta, Severity, Text, TextDelta, ToolResult, Unknown
from ore.errors import InputError, OreError
from ore.event import Entry, EventContext, Lifecycle, TurnComplete, snapshot_json
from ore.ext.commands import standard_commands
from ore.ext.conduits.http import HttpConduit, HttpOptions
from ore.ext.conduits.terminal import ScreenSettings
from ore.ext.conduits.terminal.app import TerminalApp
from ore.ext.conduits.terminal.conversation import Conversation
from ore.ext.conduits.terminal.folding import fold
from ore.ext.conduits.terminal.remote import RemoteLink
from ore.ext.conduits.terminal.remote_events import decode_entry, decode_snapshot
from ore.ledger import MemoryStore, Outcome, Role, Turn
from ore.session import Manager
from ore.testing import ScriptedProvider
from terminal.scene import call, screen_lines, stage, until


class Relay:
    """Stands between a client and a server; its lines can be cut."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._writers: set[asyncio.StreamWriter] = set()
        self.is_open = True
        self.came = 0

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.came += 1
        self._writers.add(writer)
        try:
            if not self.is_open:
                return
            there, back = await asyncio.open_connection("127.0.0.1", self._port)
            self._writers.add(back)
            async with asyncio.TaskGroup() as group:
                group.create_task(_pipe(reader, back))
                group.create_task(_pipe(there, writer))
        except* OSError:
            pass
        finally:
            writer.close()

    def cut(self) -> None:
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while piece := await reader.read(65536):
            writer.write(piece)
            await writer.drain()
    writer.close()


@asynccontextmanager
async def served(
    *calls: Any, tools: Sequence[Any] = (), token: str | None = None
) -> AsyncIterator[tuple[str, Relay, Manager]]:
    """A server, and the address of a relay before it."""
    agent = Agent(ScriptedProvider(*calls), tools=list(tools), name="main").with_(interceptors=(standard_commands(),))
    lines: asyncio.Queue[str] = asyncio.Queue()
    async with live_sessions([agent], store=MemoryStore()) as sessions:
        conduit = HttpConduit(port=0, options=HttpOptions(token=token), listening=lines.put_nowait, drain_s=0.0)
        task = asyncio.create_task(conduit.serve(sessions))
        try:
            address = (await lines.get()).split()[2]
            relay = Relay(int(address.rpartition(":")[2]))
            before = await asyncio.start_server(relay, "127.0.0.1", 0)
            port = before.sockets[0].getsockname()[1]
            try:
                yield f"http://127.0.0.1:{port}", relay, sessions
            finally:
                relay.cut()
                before.close()
        finally:
            task.cancel()
            await asyncio.wait((task,))


@asynccontextmanager
async def connected(url: str, session: str | None = None, **more: Any) -> AsyncIterator[TerminalApp]:
    """A screen over a server."""
    link = RemoteLink(url, **more)
    try:
        snapshot = await link.open(session)
        app = TerminalApp(link, snapshot, ScreenSettings(quiet_s=0.0, has_bell=False))
        async with app.run_test(size=(90, 30)):
            yield app
    finally:
        await link.aclose()


def shows(app: TerminalApp, *texts: str) -> bool:
    screen = "\n".join(screen_lines(app))
    return all(text in screen for text in texts)


async def send(app: TerminalApp, text: str) -> None:
    app.composer.put(text)
    app.composer.action_submit()


async def test_a_session_that_is_named_is_made_or_gone_on_with_as_without_a_server() -> None:
    async with served([TextDelta(content="Hello.")]) as (url, _, sessions):
        async with connected(url, "trip") as one:
            await send(one, "Hi there")
            await until(lambda: shows(one, "Hello."))
        assert [stream.id for stream in sessions.list()] == ["trip"]
        async with connected(url, "trip") as again:
            await until(lambda: shows(again, "Hi there", "Hello."))


async def test_two_terminals_show_the_same_conversation_as_it_comes() -> None:
    hold = asyncio.Event()
    calls = [[ReasoningDelta(content="Hm."), TextDelta(content="Hello **wor"), hold, TextDelta(content="ld**.")]]
    async with served(*calls) as (url, _, _sessions), connected(url) as one:
        await send(one, "Hi there")
        await until(lambda: shows(one, "Hi there", "Hello **wor", "Thinking"))
        async with connected(url, one.link.session_id) as other:
            # It came in the middle, and sees what was closed before as well.
            await until(lambda: shows(other, "Hi there", "Hello **wor", "Thinking"))
            hold.set()
            for app in (one, other):
                await until(lambda app=app: shows(app, "Hello world.", "ready"))  # type: ignore[misc]
            assert [cell.text for cell in one.view.cells] == [cell.text for cell in other.view.cells]


async def test_a_line_that_is_cut_is_taken_up_where_it_was() -> None:
    hold, more = asyncio.Event(), asyncio.Event()
    async with (
        served([TextDelta(content="One, "), hold, TextDelta(content="two, "), more, TextDelta(content="three.")]) as (
            url,
            relay,
            _,
        ),
        connected(url) as app,
    ):
        await send(app, "Count.")
        await until(lambda: shows(app, "One,"))
        relay.is_open = False
        relay.cut()
        await until(lambda: shows(app, "reconnecting"))
        hold.set()
        relay.is_open = True
        await until(lambda: shows(app, "One, two,"))
        more.set()
        await until(lambda: shows(app, "One, two, three.", "ready"))
        assert [cell.text for cell in app.view.cells] == ["Count.", "One, two, three."]


async def test_a_message_that_is_sent_while_the_line_is_down_is_one_message() -> None:
    async with served([TextDelta(content="Once.")]) as (url, relay, sessions), connected(url) as app:
        await until(lambda: app.line_state == "live")
        relay.is_open = False
        relay.cut()
        came = relay.came
        await send(app, "Only once")
        await until(lambda: relay.came > came + 1, "more than one try")
        relay.is_open = True
        await until(lambda: shows(app, "Once.", "ready"))
        turns = (await sessions.get_thread(app.link.session_id)).turns
        assert [turn.role for turn in turns] == [Role.USER, Role.ASSISTANT]


async def test_a_question_is_answered_from_afar() -> None:
    @tool(approve=True)
    def book(city: str) -> str:
        """Book a hotel."""
        return f"booked in {city}"

    calls = [call("book", '{"city": "Porto"}'), [TextDelta(content="Done.")]]
    async with served(*calls, tools=[book]) as (url, _, _sessions), connected(url) as app:
        await send(app, "Book it.")
        await until(lambda: shows(app, "Run book?", '"city": "Porto"'))
        await until(lambda: app.panel.has_focus, "the question to take keys")
        question = app.panel.question
        assert question is not None
        await app.keys.answered(question, "approve")
        await until(lambda: shows(app, "booked in Porto", "Done.", "ready"))


async def test_what_waits_is_taken_back_stopped_and_gone_back_before_from_afar() -> None:
    async with served([TextDelta(content="Half"), asyncio.Event()]) as (url, _, _sessions), connected(url) as app:
        await send(app, "first")
        await until(lambda: shows(app, "Half"))
        await send(app, "second")
        await until(lambda: shows(app, "1. second"))
        await app.keys.pressed("up")
        await until(lambda: app.composer.text == "second" and not app.view.waiting)
        await app.keys.pressed("escape")
        await until(lambda: shows(app, "[interrupted]", "ready"))
        await app.link.move(None)
        await until(lambda: not shows(app, "first"))
        fork = await app.link.fork(None)
        page = await app.link.threads("")
        assert app.link.session_id in {one.id for one in page.threads}
        await app.link.describe(fork, {"ore.title": "A fork"})
        await app.link.delete(fork)
        assert not await app.link.withdraw("unknown")


async def test_commands_are_said_to_a_server_as_well() -> None:
    async with served([TextDelta(content="x")]) as (url, _, _sessions), connected(url) as app:
        await send(app, "/name Far away")
        await until(lambda: app.view.metadata.get("ore.title") == "Far away")
        await send(app, "/new")
        before = app.link.session_id
        await until(lambda: app.link.session_id != before, "another session to be shown")


async def test_whoever_has_no_token_is_told_so() -> None:
    async with served(token="sesame") as (url, _, _sessions):
        link = RemoteLink(url)
        with pytest.raises(InputError, match="--token or ORE_TOKEN says it"):
            await link.open(None)
        await link.aclose()
        async with connected(url, token="sesame") as app:
            await until(lambda: app.line_state == "live")


async def test_a_server_that_is_not_there_and_an_address_that_is_none_are_told() -> None:
    with pytest.raises(InputError, match="expected an address"):
        RemoteLink("nowhere")
    listener = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    link = RemoteLink(f"http://127.0.0.1:{port}")
    with pytest.raises(OreError, match="was not reached"):
        await link.open(None)
    listener.close()
    await listener.wait_closed()
    with pytest.raises(OreError, match="connection refused; is the address right, and does `ore serve` run there"):
        await link.open(None)
    await link.aclose()


@pytest.mark.parametrize("status", ["404 Not Found", "501 Unsupported", "302 Found"])
async def test_a_server_of_something_else_is_told(status: str) -> None:
    async def answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 {status}\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno".encode())
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answered, "127.0.0.1", 0) as server:
        link = RemoteLink(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        with pytest.raises(InputError, match="is it the address of an `ore serve`"):
            await link.open(None)
        await link.aclose()


def entry(number: int, event: Any, **context: Any) -> Entry:
    return Entry(3, number, event.kind, EventContext(**context), event)


@pytest.mark.parametrize(
    "event",
    [
        TextDelta(content="hi"),
        ToolResult(tool_call_id="c", content="x"),
        Notice(content="so", severity=Severity.WARN),
        Lifecycle(phase="done", outcome=Outcome.CLEARED, content=(Text(content="back"),)),
        TurnComplete(turn=Turn(id="t1", role=Role.USER, artifacts=(Text(content="hi"),))),
    ],
)
def test_an_event_that_went_over_the_wire_is_the_same(event: Any) -> None:
    sent = entry(7, event, message="m1", block="t1:1", path=("t0:0",))
    came = decode_entry(sent.json)
    assert (came.id, came.kind, came.event) == ("3-7", sent.kind, event)
    assert (came.context.message, came.context.block, came.context.path) == ("m1", "t1:1", ("t0:0",))


def test_an_event_of_a_kind_that_nobody_knows_is_kept_as_it_came() -> None:
    came = decode_entry(b'{"kind": "confetti", "colour": "red", "context": {"id": "1-2"}}')
    assert isinstance(came.event, Unknown) and came.id == "1-2"
    fold(Conversation(), [came])


async def test_a_snapshot_that_went_over_the_wire_is_the_same() -> None:
    async with stage([TextDelta(content="Half"), asyncio.Event()]) as on:
        await on.send("first")
        await on.shows("Half")
        await on.send("second")
        await on.shows("1. second")
        snapshot = on.stream.snapshot()
        came = decode_snapshot(snapshot_json(snapshot))
        one, other = Conversation(), Conversation()
        one.load(snapshot)
        other.load(came)
        assert [(cell.kind, cell.text) for cell in one.cells] == [(cell.kind, cell.text) for cell in other.cells]
        assert [item.text for item in one.waiting] == [item.text for item in other.waiting] == ["second"]
        assert (one.cursor, one.phase, one.running) == (other.cursor, other.phase, other.running)
