"""What waits for a person is seen to wait, also in the process that found it."""

import asyncio
from pathlib import Path

import pytest

from ore import Agent, Answer, Stream, Text, ToolCall, tool
from ore.app import live_sessions
from ore.testing import ScriptedProvider


@tool(approve=True)
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


def agent(*calls: list[Text | ToolCall]) -> Agent:
    return Agent(ScriptedProvider(*calls), tools=[pay])


async def asked(stream: Stream) -> str:
    """The key of the open question, once there is one."""
    _, events = stream.snapshot_and_subscribe("question")
    async with events:
        while not stream.snapshot().questions or stream.snapshot().phase != "waiting":
            await anext(events)
    return stream.snapshot().questions[0].key


@pytest.mark.slow
async def test_a_session_that_was_left_with_a_question_waits_and_is_not_merely_queued(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'ore.db'}"
    call = ToolCall(id="c1", name="pay", arguments='{"amount": 5}')
    async with asyncio.timeout(100):
        async with live_sessions([agent([call])], store=store) as sessions:
            stream = await sessions.open("a")
            await stream.submit("Pay 5.").accepted()
            key = await asked(stream)
        async with live_sessions([agent([Text(content="Paid.")])], store=store) as sessions:
            stream = await sessions.open("a")
            assert await asked(stream) == key
            await stream.answer(key, Answer(key=key, decision="approve"))
            await stream.idle()
            assert stream.turns[-1].artifacts[0] == Text(content="Paid.")
