"""What each command does."""

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commands.typing import said, texts, typing
from ore import Agent
from ore.app import ProviderSettings, Resolver
from ore.artifact import Image, Reasoning, Text, ToolCall, Usage
from ore.event import Properties, provenance
from ore.ext.commands import standard_commands
from ore.ext.providers.capture_switch import CaptureSwitch
from ore.ext.providers.ollama import VENDOR
from ore.ext.providers.transport import Limits, Reply, Transport
from ore.ext.providers.vendor import Access, connect
from ore.ledger import MemoryStore, Role, read_export
from ore.models import ThinkingLevel
from ore.provider import Batch
from ore.session import Manager
from ore.testing import ScriptedProvider
from ore.tool import tool


def files(folder: Path) -> list[Path]:
    """What is in a folder."""
    return sorted(folder.iterdir())


@pytest.mark.requirement("D-commands")
async def test_model_changes_who_answers_and_says_what_it_cannot_take() -> None:
    async with typing(said("one"), said("two"), said("three")) as typist:
        assert await typist.notices("/model") == ["usage: /model PROVIDER:NAME, or default", "scripted answers"]
        await typist.type([Text(content="look"), Image(data=b"\x89PNG\r\n\x1a\n")])
        told = await typist.notices("/model  deepseek:deepseek-chat ")
        assert told[0] == "scripted:deepseek:deepseek-chat answers from now on"
        await typist.type("again")
        assert [one.spec.name for one in typist.provider.invocations] == [None, "deepseek:deepseek-chat"]
        assert typist.stream.metadata.get("ore.model.name") == "deepseek:deepseek-chat"
        await typist.type("/model default")
        await typist.type("and again")
        assert typist.provider.invocations[2].spec.name is None


@pytest.mark.requirement("D-commands")
async def test_a_model_that_nobody_knows_changes_nothing() -> None:
    async with typing(said("one")) as typist:
        await typist.type("/model p:one")
        (told,) = await typist.notices("/model none:two")
        assert "no such provider" in told
        assert typist.stream.metadata.get("ore.model.name") == "p:one"


@pytest.mark.requirement("D-commands")
async def test_thinking_and_temperature_are_set_checked_shown_and_taken_back() -> None:
    async with typing(said("one"), said("two")) as typist:
        assert await typist.notices("/thinking high") == ["thinking: high"]
        assert await typist.notices("/temperature 0") == ["temperature: 0"]
        await typist.type("hi")
        spec = typist.provider.invocations[0].spec
        assert (spec.thinking_level, spec.temperature) == (ThinkingLevel.HIGH, 0.0)
        assert (await typist.notices("/thinking"))[1] == "thinking: high"
        assert (await typist.notices("/temperature"))[1] == "temperature: 0"
        assert "expected a number, got 'hot'" in await typist.notice("/temperature hot")
        assert "expected one of off, minimal" in await typist.notice("/thinking deeply")
        await typist.type("/thinking default")
        await typist.type("/temperature default")
        await typist.type("hi")
        spec = typist.provider.invocations[1].spec
        assert (spec.thinking_level, spec.temperature) == (None, None)
        assert (await typist.notices("/thinking"))[1] == "thinking: default"
        assert (await typist.notices("/temperature"))[1] == "temperature: default"


@pytest.mark.requirement("D-commands")
async def test_name_is_a_fact_of_the_session_which_lists_show() -> None:
    async with typing() as typist:
        assert await typist.notice("/name") == "usage: /name A FEW WORDS"
        assert await typist.notice("/name  To the\nmoon ") == "this session is called 'To the moon'"
        changes = [entry.event for entry in typist.seen.entries if isinstance(entry.event, Properties)]
        assert [[(one.key, one.value) for one in event.operations] for event in changes] == [
            [("ore.title", "To the moon")]
        ]
        (summary,) = (await typist.manager.list_threads()).threads
        assert summary.title == "To the moon"


@pytest.mark.requirement("D-commands")
async def test_undo_and_redo_move_in_the_conversation() -> None:
    async with typing(said("one"), said("two"), said("three")) as typist:
        await typist.type("first")
        await typist.type("second")
        assert await typist.notice("/undo") == "undone: second; /redo brings it back"
        assert texts(typist.stream.turns) == ["first", "one"]
        assert await typist.notice("/redo") == "there again: second"
        assert texts(typist.stream.turns) == ["first", "one", "second", "two"]
        await typist.type("/undo")
        await typist.type("/undo")
        assert "nothing to undo" in await typist.notice("/undo")
        await typist.type("third")
        assert texts(typist.stream.turns) == ["third", "three"]
        assert len(typist.stream.history.all_turns) == 6


@pytest.mark.requirement("D-commands")
async def test_compact_sums_up_and_undo_brings_all_of_it_back() -> None:
    async with typing(
        *[said(f"answer {n}") for n in range(4)], said("the summary"), said("after"), said("again")
    ) as typist:
        assert await typist.notice("/compact") == "there is nothing to sum up"
        for number in range(4):
            await typist.type(f"question {number} {'word ' * 200}")
        before = typist.stream.turns[:]
        assert "summed up; /undo shows them again" in await typist.notice("/compact the numbers")
        assert "the numbers" in texts(typist.provider.invocations[4].turns)[-1]
        await typist.type("go on")
        sent = " ".join(texts(typist.provider.invocations[5].turns))
        assert "the summary" in sent and "question 1" not in sent
        await typist.type("/undo")
        assert "the compaction is undone" in await typist.notice("/undo")
        await typist.type("go on")
        assert [turn.id for turn in typist.provider.invocations[6].turns][: len(before)] == [turn.id for turn in before]


@pytest.mark.requirement("D-commands")
async def test_without_compaction_compact_says_so() -> None:
    manager = Manager(Agent(ScriptedProvider()).spec(), interceptors=[standard_commands()])
    stream = await manager.create()
    async with stream.subscribe("notice") as notices:
        await stream.process("/compact")
        assert "no Compaction" in (await anext(notices)).event.content  # type: ignore[union-attr]
    await manager.close_all()


@pytest.mark.requirement("D-commands")
async def test_fork_goes_on_in_a_new_session_from_any_turn() -> None:
    async with typing(said("one"), said("two")) as typist:
        await typist.type("/name Trip")
        await typist.type("first")
        await typist.type("second")
        await typist.type("/fork")
        await typist.type(f"/fork {typist.stream.turns[1].id}")
        whole, half = [await typist.manager.get_thread(name) for name in typist.switched]
        assert (texts(whole.turns), texts(half.turns)) == (["first", "one", "second", "two"], ["first", "one"])
        assert whole.metadata == {"ore.title": "Trip"}
        assert "nowhere" in await typist.notice("/fork nowhere")
        assert len(typist.switched) == 2


@pytest.mark.requirement("D-commands")
async def test_new_is_an_empty_session_with_the_same_model() -> None:
    async with typing(said("one"), said("two")) as typist:
        await typist.type("/model p:m")
        await typist.type("/name Trip")
        await typist.type("hi")
        await typist.type("/new")
        (name,) = typist.switched
        stream = await typist.manager.attach(name)
        assert (texts(stream.turns), stream.metadata.all()) == ([], {"ore.model.name": "p:m"})
        await stream.process("there")
        assert typist.provider.invocations[1].spec.name == "p:m"


@pytest.mark.requirement("D-commands")
async def test_tools_lists_what_the_next_inference_has() -> None:
    @tool(approve=True)
    def send(text: str) -> None:
        """Send it.

        At once.
        """

    @tool
    def plain() -> None: ...

    async with typing(tools=[send, plain]) as typist:
        assert await typist.notice("/tools") == "- send: Send it. (asks first)\n- plain"
    async with typing() as typist:
        assert await typist.notice("/tools") == "there are no tools"


@pytest.mark.requirement("D-commands")
async def test_usage_tells_tokens_by_message_model_and_agent() -> None:
    async with typing(said("one"), said("two")) as typist:
        assert await typist.notice("/usage") == "nothing was used yet"
        await typist.type("hi")
        await typist.type("/model p:m")
        await typist.type("hi")
        assert (await typist.notice("/usage")).splitlines() == [
            "session: 20 tokens (18 sent, 2 received)",
            "last message: 10 tokens (9 sent, 1 received)",
            "scripted: 10 tokens (9 sent, 1 received)",
            "scripted:p:m: 10 tokens (9 sent, 1 received)",
        ]
    child = Agent(ScriptedProvider(said("x")), name="child", description="Helps.").as_tool()
    call = [ToolCall(id="c", name="child", arguments='{"prompt": "go"}')]
    async with typing(call, said("two"), tools=[child]) as typist:
        await typist.type("hi")
        assert "agents inside calls: 10 tokens (9 sent, 1 received)" in await typist.notice("/usage")


async def test_a_total_that_the_vendor_did_not_say_is_added_up() -> None:
    used = [Usage(prompt_tokens=9, completion_tokens=1), Usage(prompt_tokens=5)]
    async with typing(*([Text(content="ok"), usage] for usage in used)) as typist:
        await typist.type("one")
        assert await typist.notice("/usage") == (
            "session: 10 tokens (9 sent, 1 received)\nlast message: 10 tokens (9 sent, 1 received)"
        )
        await typist.type("two")
        assert "last message: ? tokens (5 sent, ? received)" in await typist.notice("/usage")


@pytest.mark.requirement("D-commands")
async def test_analytics_is_a_table() -> None:
    async with typing([Reasoning(content="hm"), *said("one")]) as typist:
        await typist.type("hello")
        table = await typist.notice("/analytics")
        assert "| reasoning |  | 1 | 2 B |" in table and "| **Total** |" in table


@pytest.mark.requirement("D-commands")
async def test_export_writes_a_new_file_for_the_user_alone_and_never_where_somebody_says(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    async with typing(said("one"), folder=folder) as typist:
        await typist.type("hi")
        assert await typist.notice("/export") == f"written to {folder}/ore-s.html"
        assert await typist.notice("/export html") == f"written to {folder}/ore-s-2.html"
        await typist.type("/export json")
        await typist.type("/export text")
        assert await typist.notice("/export html /etc/passwd") == "usage: /export html | json | text"
        made = files(folder)
        assert [path.name for path in made] == ["ore-s-2.html", "ore-s.html", "ore-s.json", "ore-s.txt"]
        assert {path.stat().st_mode & 0o777 for path in made} == {0o600}
        assert [turn.role for turn in read_export((folder / "ore-s.json").read_bytes()).turns] == [
            *(Role.USER, Role.ASSISTANT)
        ]
    async with typing() as typist:
        assert await typist.notice("/export") == (
            "no file can be written here; use: ore sessions export s --format html"
        )
    (tmp_path / "file").write_text("")
    async with typing(folder=tmp_path / "file" / "x") as typist:
        assert "cannot be written to: Not a directory" in await typist.notice("/export")


class Network:
    """A transport that answers nothing, and counts."""

    def __init__(self) -> None:
        self.count = 0

    async def post(self, url: str, body: bytes, headers: object, limits: Limits) -> Reply:
        self.count += 1
        raise ConnectionError("no network here")


class Posting:
    """A provider that is asked over a network."""

    name = "vendor"

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def invoke(self, state: object, spec: object, *options: object) -> AsyncGenerator[Batch, None]:
        headers = {"authorization": "Bearer secret-key"}
        await self._transport.post("https://vendor.example/v1", b'{"q": 1}', headers, Limits())
        yield ()


@pytest.mark.requirement("D-commands")
async def test_debug_request_writes_the_next_request_of_this_session_down_without_its_key(tmp_path: Path) -> None:
    network, switch = Network(), CaptureSwitch()
    switch.serve("vendor")
    posting = Posting(switch.around(network))
    async with typing(folder=tmp_path, capture=switch, provider=posting) as typist:
        await typist.type("before")
        other = await typist.manager.create_with_id("other")
        told = await typist.notice("/debug request")
        assert f"will be in {tmp_path}/ore-request-s.json" in told
        await other.submit("elsewhere")
        await typist.type("this one")
        await typist.type("after")
        (made,) = files(tmp_path)
        capture = json.loads(made.read_text())
        assert (capture["request"]["body"], network.count) == ({"q": 1}, 4)
        assert "secret-key" not in made.read_text()
        assert made.stat().st_mode & 0o777 == 0o600
        assert await typist.notice("/debug") == "usage: /debug request"


@pytest.mark.requirement("D-commands")
async def test_where_nothing_can_be_written_down_debug_says_so(tmp_path: Path) -> None:
    async with typing(folder=tmp_path, capture=CaptureSwitch()) as typist:
        assert "scripted sends nothing over a network" in await typist.notice("/debug request")
    async with typing(provider=Posting(Network())) as typist:
        assert "use: ore run --capture FILE" in await typist.notice("/debug request")
    async with typing(folder=tmp_path, capture=CaptureSwitch(), provider=Posting(Network())) as typist:
        assert "vendor was not made by this command" in await typist.notice("/debug request")
    assert files(tmp_path) == []


@pytest.mark.requirement("D-commands")
async def test_debug_request_knows_which_providers_it_can_write_down() -> None:
    """Those whose network goes through the switch, by their names; not one that an agent brings along."""
    switch = CaptureSwitch()
    settings = ProviderSettings(base_url="http://127.0.0.1:9", capture_switch=switch)
    assert not switch.serves("ollama")
    Resolver(settings)("ollama:m")
    assert switch.serves("ollama")
    connect(VENDOR, Access(name="mine", base_url="http://127.0.0.1:9"))
    assert not switch.serves("mine")
    connect(VENDOR, Access(name="mine", base_url="http://127.0.0.1:9", transport=switch.around(Network())))
    assert switch.serves("mine")


@pytest.mark.requirement("D-commands")
async def test_commands_of_any_front_end_are_the_same() -> None:
    """What comes over HTTP is a message with that provenance."""
    async with typing(said("one")) as typist:
        with provenance("http"):
            ticket = typist.stream.submit("/name From afar")
        await ticket
        assert {entry.context.provenance for entry in typist.seen.of(ticket.id)} == {"http"}
        assert typist.stream.metadata.get("ore.title") == "From afar"


@pytest.mark.requirement("D-commands")
async def test_an_agent_takes_commands_and_the_one_inside_its_call_does_not() -> None:
    """What a model writes to another model is no command."""
    child = ScriptedProvider(said("x"))
    inner = Agent(child, name="child", description="Helps.").as_tool()
    call = [ToolCall(id="c", name="child", arguments='{"prompt": "/new"}')]
    agent = Agent(ScriptedProvider(call, said("two")), tools=[inner], interceptors=[standard_commands()])
    async with asyncio.timeout(5), agent.session("s", store=MemoryStore()) as session:
        await session.run("/name Trip")
        await session.run("go")
        assert session.metadata.all() == {"ore.title": "Trip"}
    assert texts(child.invocations[0].turns) == ["/new"]
