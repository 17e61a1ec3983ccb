"""Commands typed into `ore chat --plain`: the same as everywhere, on a session in which something ran and waited."""

import asyncio
from pathlib import Path

import pytest

from cli.command import delta, ore, script
from commands.test_registry import LINES
from commands.typing import words
from ore.agent import AgentSpec
from ore.artifact import TextDelta
from ore.ext.stores.sqlite import SqliteStore
from ore.ledger import Role
from ore.session import Manager
from ore.testing import ScriptedProvider


async def left(path: Path) -> None:
    """A process that ends in the middle of a turn, with a message in the queue."""
    store, began = SqliteStore(path), asyncio.Event()
    provider = ScriptedProvider([TextDelta(content="I was"), began, asyncio.Event()])
    manager = Manager(AgentSpec(name="agent", provider=provider), store)
    stream = await manager.create_with_id("s")
    async with stream.subscribe("text_delta") as events:
        first, second = stream.submit("first message"), stream.submit("second message")
        await first.accepted()
        await second.accepted()
        await anext(events)
    await manager.leave(0.0)
    await store.aclose()


async def questions(path: Path) -> list[str]:
    """All that users said, in every session of a store."""
    store = SqliteStore(path)
    threads = [await store.load(one.id) for one in (await store.list()).threads]
    await store.aclose()
    return [words(turn) for thread in threads for turn in thread.turns if turn.role is Role.USER]


@pytest.mark.requirement("D-commands-never-sent")
def test_every_command_works_in_the_plain_chat_behind_what_ran_and_what_waited(tmp_path: Path) -> None:
    path = tmp_path / "ore.db"
    asyncio.run(left(path))
    model = script(tmp_path, [delta("ok")], repeat=True)
    command = ("chat", "--plain", "--model", model, "--session", "s", "--store", f"sqlite:{path}")
    done = ore(*command, folder=tmp_path, stdin="\n".join([*LINES, "/etc/hosts", "//help"]))
    assert done.status == 0, done.err
    asked = asyncio.run(questions(path))
    assert {text for text in asked if text.startswith("/")} == {"/etc/hosts", "/help"}  # `//help` is text
    assert {"first message", "second message"} <= set(asked)
    for told in (
        "| **Total** |",
        "are summed up; /undo shows them again",
        "scripted sends nothing over a network",
        f"written to {tmp_path}/ore-s.html",
        f"written to {tmp_path}/ore-s.txt",
        "going on in session",
        "/fork: ",
        "- /usage: what the session used",
        "usage: /model PROVIDER:NAME",
        "/model: model 'p:other'",
        "/model: model 'none:x'",
        "this session is called 'A title'",
        "a new session: ",
        "/redo: nothing to redo",
        "temperature: 0.5",
        "/temperature: ",
        "thinking: low",
        "/thinking: ",
        "there are no tools",
        "/undo: nothing to undo",
        "nothing was used yet",
        "there is no command /nobody",
    ):
        assert told in done.err, told
