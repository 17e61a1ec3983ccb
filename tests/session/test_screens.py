"""An agent looks at messages before it takes them in, wherever it works."""

import asyncio

import pytest
from msgspec.structs import replace

from ore.agent import AgentSpec, Screened
from ore.artifact import Notice, Severity, Text
from ore.event import Lifecycle, UserMessage
from ore.ledger import MemoryStore, Message
from ore.session import Intercepted, Manager, Stream
from ore.testing import Recorder, ScriptedProvider, check_order


@pytest.mark.requirement("D-screens")
async def test_an_agent_looks_at_messages_behind_the_interceptors_and_takes_in_what_it_will() -> None:
    class Louder:
        async def intercept(self, stream: Stream, message: UserMessage) -> Intercepted:
            return Intercepted(message=replace(message, content=f"{message.content[0].content}!"))  # type: ignore[union-attr]  # it is text

    class Strict:
        async def screen(self, message: UserMessage) -> Screened:
            said.append(message.content)
            if message.content == (Text(content="bad!"),):
                return Screened(message=None, notices=(Notice(content="not that", severity=Severity.WARN),))
            return Screened(message=replace(message, content="something good"))

    said: list[object] = []
    provider = ScriptedProvider([Text(content="ok")])
    spec = AgentSpec(name="a", provider=provider, screens=(Strict(),))
    async with await Manager(spec, interceptors=[Louder()]).create() as stream, Recorder(stream) as seen:
        assert (await stream.process("bad")).turn is None
        assert (await stream.process("good")).turn is not None
    assert said == [(Text(content="bad!"),), (Text(content="good!"),)]
    assert [turn.artifacts[0] for turn in stream.turns][:1] == [Text(content="something good")]
    assert [entry.event for entry in seen.entries if entry.kind == "notice"] == [
        Notice(content="not that", severity=Severity.WARN)
    ]
    check_order(seen.entries)


@pytest.mark.requirement("D-screens")
async def test_an_agent_screens_what_steers_and_what_an_earlier_process_left() -> None:
    class Strict:
        async def screen(self, message: UserMessage) -> Screened:
            said.append(message.content)
            return Screened(message=message)

    said: list[object] = []
    hold = asyncio.Event()
    store = MemoryStore()
    await store.create("s", {})
    await store.submit("s", Message(id="m", artifacts=(Text(content="left"),)))
    provider = ScriptedProvider([hold, Text(content="a")], [Text(content="b")])
    manager = Manager(AgentSpec(name="a", provider=provider, screens=(Strict(),)), store)
    async with asyncio.timeout(5), await manager.attach("s") as stream, Recorder(stream, after="") as seen:
        await seen.until(lambda entry: isinstance(entry.event, Lifecycle) and entry.event.phase == "submitted")
        ticket = stream.submit(UserMessage(content="steered", mode="steer"))
        await ticket.accepted()
        hold.set()
        await ticket
    assert said == [(Text(content="left"),), (Text(content="steered"),)]
