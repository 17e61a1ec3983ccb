"""Which messages are commands, and that none of those is ever lost or sent to a model."""

import asyncio
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.script import until
from commands.typing import said, texts, typing
from ore.artifact import Image, Severity, Text, ToolCall
from ore.event import Mode, UserMessage
from ore.ext.commands import Commands, Invocation, standard_commands
from ore.ext.commands.parsing import escaped, typed
from ore.ledger import Outcome
from ore.testing import Recorder
from ore.tool import tool

LINES = [
    "/analytics",
    "/compact",
    "/compact the names",
    "/debug request",
    "/export",
    "/export text",
    "/fork",
    "/fork nowhere",
    "/help",
    "/model",
    "/model p:other",
    "/model none:x",
    "/name A title",
    "/new",
    "/redo",
    "/temperature 0.5",
    "/temperature hot",
    "/thinking low",
    "/thinking deeply",
    "/tools",
    "/undo",
    "/usage",
    "/nobody knows me",
]
"""Each command, used well and not."""


def test_there_is_a_line_for_each_command() -> None:
    assert {typed(line).name for line in LINES if typed(line)} - {"nobody"} == set(standard_commands().bound)  # type: ignore[union-attr]


@pytest.mark.requirement("D-commands-never-sent")
@pytest.mark.parametrize("mode", ["queue", "steer", "interrupt"])
@pytest.mark.parametrize("line", LINES)
async def test_on_a_session_with_a_queue_and_a_running_turn_no_command_reaches_a_model(line: str, mode: Mode) -> None:
    """It has an ending and is answered, and what stood in the queue is worked on all the same."""
    began, hold = asyncio.Event(), asyncio.Event()

    @tool
    async def work() -> str:
        """Work."""
        began.set()
        await hold.wait()
        return "worked"

    call = [ToolCall(id="c", name="work", arguments="{}")]
    async with asyncio.timeout(10), typing(call, *[said("ok")] * 6, tools=[work]) as typist:
        running = typist.stream.submit("first message")
        waiting = typist.stream.submit("second message")
        await began.wait()
        command = typist.stream.submit(UserMessage(content=line, mode=mode))
        await until(lambda: command.is_accepted)
        hold.set()
        outcomes = [(await ticket).status for ticket in (running, waiting, command)]
        assert outcomes[0] == ("cancelled" if mode == "interrupt" else Outcome.DONE)
        assert outcomes[1:] == [Outcome.DONE, Outcome.DONE]
        told = {entry.kind for entry in typist.seen.of(command.id)}
        assert "notice" in told
        assert line not in " ".join(typist.heard)
        assert not any(heard.startswith("/") for heard in typist.heard)
        assert "second message" in " ".join(typist.heard)


# ── What is one ──────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-commands-messages")
@pytest.mark.parametrize(
    "text",
    [
        "/etc/hosts is broken",
        "/",
        "/ is the root",
        "/etc/hosts",
        "/.bashrc",
        "/a.txt",
        "/über",
        "/1st",
        "and /help",
        "/a:b",
    ],
)
async def test_a_path_is_a_message_like_any_other(text: str) -> None:
    async with typing(said("ok")) as typist:
        await typist.type(text)
        assert typist.heard == [text]


@pytest.mark.requirement("D-commands-messages")
@pytest.mark.parametrize(("text", "sent"), [("//help", "/help"), (" //usr/bin", " /usr/bin"), ("///", "//")])
async def test_two_slashes_stand_for_one(text: str, sent: str) -> None:
    async with typing(said("ok")) as typist:
        await typist.type([Text(content=text), Image(url="http://a/b.png")])
        assert typist.heard == [sent]
        assert len(typist.stream.turns[0].artifacts) == 2


@pytest.mark.requirement("D-commands-messages")
async def test_an_unknown_command_says_so_and_what_was_typed() -> None:
    async with typing() as typist:
        assert await typist.notice("/hlep me\nnow") == (
            "there is no command /hlep; did you mean /help? To send it as text, begin with //. "
            "Nothing was sent: /hlep me now"
        )
        assert "/help lists those that there are" in await typist.notice("/zzzzzz")
        assert (await typist.notice(f"/x {'y' * 500}")).endswith("y…")
        assert typist.stream.turns[:] == []


@pytest.mark.requirement("D-commands-messages")
async def test_an_attachment_is_never_lost_with_a_command() -> None:
    image = Image(url="http://a/b.png")
    async with typing(said("ok"), said("ok")) as typist:
        assert "takes no attachments" in await typist.notice([Text(content="/name x"), image])
        await typist.type([Text(content="/nobody knows"), image])
        await typist.type([image, Text(content="/help")])
        assert typist.heard[0] == "/nobody knows"
        assert [len(turn.artifacts) for turn in typist.stream.turns][::2] == [2, 2]


@given(st.text(max_size=30))
def test_whatever_is_typed_is_a_command_an_escaped_text_or_a_message(text: str) -> None:
    for line in (text, f"/{text}", f"//{text}"):
        command, plain = typed(line), escaped(line)
        assert command is None or plain is None
        if command is not None:
            assert command.name and line.lstrip().startswith(f"/{command.name}")
            assert line.endswith(command.text)
        if plain is not None:
            assert plain.lstrip().startswith("/") and len(plain) == len(line) - 1
    assert typed(f"/name {text}") == ("name", text)


# ── The registry ─────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-commands-registry")
async def test_help_lists_what_is_bound_and_registries_are_independent() -> None:
    commands, other = Commands(), Commands()

    async def shout(invocation: Invocation) -> UserMessage:
        invocation.say(f"{invocation.name} {invocation.words}", Severity.WARN)
        return UserMessage(content=invocation.text.upper())

    commands.bind("zshout", "no", shout)
    commands.bind("zshout", "send it in capitals", shout)
    async with typing(said("ok"), commands=commands) as typist:
        assert (await typist.notice("/help")).splitlines() == [
            "- /help: what commands there are",
            "- /zshout: send it in capitals",
            "A message that begins with // is sent, with one slash.",
        ]
        assert await typist.notice("/zshout a  b") == "zshout ['a', 'b']"
        assert typist.heard == ["A  B"]
    assert list(other.bound) == ["help"]
    with pytest.raises(ValueError, match="got 'a/b'"):
        commands.bind("a/b", "", shout)


@pytest.mark.requirement("D-commands-registry")
async def test_a_command_that_fails_is_a_notice_and_what_it_said_itself_holds(caplog: pytest.LogCaptureFixture) -> None:
    commands = Commands()

    async def fail(invocation: Invocation) -> None:
        if invocation.words:
            invocation.say("own words")
        raise ValueError("wrong")

    commands.bind("fail", "fails", fail)
    async with typing(commands=commands) as typist:
        with caplog.at_level(logging.CRITICAL):
            assert await typist.notice("/fail") == "/fail: ValueError: wrong"
            assert await typist.notice("/fail now") == "own words"
        assert (await typist.type("/fail")).status is Outcome.DONE


async def test_a_command_that_takes_its_time_is_cancelled_like_any_message() -> None:
    commands, began = Commands(), asyncio.Event()

    async def hang(invocation: Invocation) -> None:
        began.set()
        await asyncio.Event().wait()

    commands.bind("hang", "hangs", hang)
    async with asyncio.timeout(5), typing(commands=commands) as typist:
        ticket = typist.stream.submit("/hang")
        await began.wait()
        assert await ticket.cancel()
        assert (await ticket).status == "cancelled"
        assert "there is no command" in await typist.notice("/next")


async def test_a_command_typed_before_a_restart_is_done_once_it_goes_on() -> None:
    """It stood in the inbox when its process ended."""
    from ore.agent import AgentSpec
    from ore.ledger import MemoryStore, Message
    from ore.session import Manager
    from ore.testing import ScriptedProvider

    store = MemoryStore()
    await store.create("s", {})
    await store.submit("s", Message(id="m", artifacts=(Text(content="/name Later"),)))
    provider = ScriptedProvider()
    manager = Manager(AgentSpec(name="a", provider=provider), store, interceptors=[standard_commands()])
    stream = await manager.attach("s")
    seen = Recorder(stream, after="")
    await stream.idle()
    assert stream.metadata.get("ore.title") == "Later"
    assert (texts(stream.turns), provider.invocations, "notice" in seen.kinds) == ([], [], True)
    await manager.close_all()
