"""What a model is told first comes from sources that live, and stays the same bytes as long as they do."""

import asyncio
import os
import subprocess
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest

from ore import Agent
from ore.artifact import Text
from ore.ext.transforms.prompt import AgentsMd, Facts, FromState, Line, Slot, SystemPrompt, TextFile, ToolExamples
from ore.ext.wires.anthropic import AnthropicMessages
from ore.ext.wires.openai_chat import OPENAI, OpenAIChat
from ore.ledger import Buffer, MemoryStore, Role, State
from ore.testing import ScriptedProvider
from ore.tool import Example, tool
from transforms.histories import ask, check_vendors, conversation, says, texts


def told(*sources: object, state: State | None = None) -> str:
    """What a prompt of these sources says."""
    shown = SystemPrompt(*sources)(state or Buffer()).turns  # type: ignore[arg-type]  # some are wrong on purpose
    return "".join(texts(shown))


@pytest.mark.requirement("D-system-prompt")
def test_sources_are_told_in_order_with_an_empty_line_between_and_empty_ones_not_at_all() -> None:
    state = Buffer()
    state.add(Role.USER, *says("hi"))
    count = FromState(lambda state: f"{len(state.turns)} turn")
    shown = SystemPrompt("Be brief.\n", "", lambda: "  ", lambda: "Be kind.", count)(state).turns
    assert [(turn.role, text) for turn, text in zip(shown, texts(shown), strict=True)] == [
        (Role.SYSTEM, "Be brief.\n\nBe kind.\n\n1 turn"),
        (Role.USER, "hi"),
    ]


@pytest.mark.requirement("D-system-prompt")
def test_where_nothing_is_said_nothing_is_added() -> None:
    """The original sent an empty system text."""
    state = Buffer()
    assert SystemPrompt("", lambda: "", lambda: None, FromState(lambda state: None))(state) is state
    assert SystemPrompt()(state) is state
    assert Facts(lambda: "")(state) is state


@pytest.mark.requirement("D-system-prompt")
async def test_functions_are_asked_before_each_inference_and_nothing_of_it_is_stored() -> None:
    count = iter(range(9))
    provider = ScriptedProvider([Text(content="a")], [Text(content="b")])
    agent = Agent(provider, transforms=[SystemPrompt(lambda: f"call {next(count)}")])
    async with agent.session("s", store=MemoryStore()) as session:
        await session.run("hi")
        await session.run("again")
        assert texts(session.turns) == ["hi", "a", "again", "b"]
    assert [texts(asked.turns)[0] for asked in provider.invocations] == ["call 0", "call 1"]


def test_the_same_text_is_the_same_turn() -> None:
    state, prompt = Buffer(), SystemPrompt(lambda: "Be brief.")
    assert prompt(state).turns[0] is prompt(state).turns[0]


def test_a_function_that_gives_no_text_is_named_by_what_it_gave() -> None:
    async def late() -> str:
        return "late"

    with pytest.raises(TypeError, match="coroutine"):
        told(late)
    with pytest.raises(TypeError, match="got int"):
        told(lambda: 5)


def test_a_slot_holds_one_role_at_a_time() -> None:
    slot = Slot("You are a pilot.")
    prompt, state = SystemPrompt("Be brief.", slot), Buffer()
    assert texts(prompt(state))[0] == "Be brief.\n\nYou are a pilot."
    slot.content = lambda: "You are a cook."
    assert texts(prompt(state))[0] == "Be brief.\n\nYou are a cook."


def test_lines_name_things_and_say_nothing_without_a_name() -> None:
    assert told(Line("Model", "gpt-5"), Line("Harness", lambda: "")) == "Model: gpt-5"


def test_examples_are_told_of_the_tools_that_have_some() -> None:
    example = Example(input={"b": 1, "a": 2}, output="3", explanation="A sum.")
    add = tool(lambda a, b: a + b, name="add", description="Add.", examples=[example])
    bare = tool(lambda: 1, name="bare", description="Nothing.")
    assert told(ToolExamples(bare, add)) == (
        'Examples for the tool add: Add.\n1. A sum.\n   input: {"b":1,"a":2}\n   output: 3'
    )
    assert told(ToolExamples(bare)) == ""


# ── Files ────────────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-prompt-files")
def test_a_file_is_told_as_it_is_now(tmp_path: Path) -> None:
    path = tmp_path / "role.md"
    source = TextFile(path)
    prompt, state = SystemPrompt(source), Buffer()
    seen, now = [], time.time_ns()
    for content in (None, "one", "two", "six", "", None):
        if content is None:
            path.unlink(missing_ok=True)
        else:
            path.write_text(content)
            os.utime(path, ns=(now, now))  # as when all of it happens in one moment
        seen.append("".join(texts(prompt(state))))
    assert seen == ["", "one", "two", "six", "", ""]


@pytest.mark.requirement("D-prompt-files")
def test_an_old_file_is_not_read_again_until_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "role.md"
    path.write_text("one")
    os.utime(path, (1_000, 1_000))
    source = TextFile(path)
    assert told(source) == "one"
    with monkeypatch.context() as patched:
        patched.setattr("builtins.open", None)  # calling it would fail
        assert told(source) == "one"
    path.write_text("two")
    assert told(source) == "two"


@pytest.mark.requirement("D-prompt-files")
def test_what_cannot_be_read_is_empty_with_a_warning_and_what_is_too_long_is_cut(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    os.mkfifo(tmp_path / "pipe")  # reading it would wait for ever
    (tmp_path / "long").write_text("é" * 100)
    (tmp_path / "odd").write_bytes(b"a\xffb\r\nc")
    assert told(TextFile(tmp_path)) == told(TextFile(tmp_path / "pipe")) == told(TextFile(tmp_path / "a\0b")) == ""
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 3
    assert told(TextFile(tmp_path / "long", max_bytes=11)) == (
        "ééééé\n[the rest of this file is left out: it is too long]"
    )
    assert told(TextFile(tmp_path / "odd")) == "a\ufffdb\nc"


def test_a_path_may_change_while_others_read(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_text(name * 100)
    source = TextFile(tmp_path / "a")
    seen: set[str] = set()

    def read() -> None:
        for _ in range(200):
            seen.add(told(source))

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for n in range(200):
        source.path = tmp_path / "ab"[n % 2]
    for thread in threads:
        thread.join()
    assert seen <= {"a" * 100, "b" * 100}


@pytest.mark.requirement("D-prompt-agents-md")
def test_agents_md_is_looked_for_up_the_tree_the_nearest_first(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "AGENTS.md").write_text("outermost\n")
    (tmp_path / "a" / "CLAUDE.md").write_text("middle claude")
    (tmp_path / "a" / "AGENTS.md").write_text("middle agents")
    (inner / "AGENTS.md").write_text("inner")
    (inner / "CLAUDE.md").symlink_to("AGENTS.md")
    said = told(AgentsMd(inner))
    found = [line for line in said.splitlines() if line and not line.startswith("Instructions of")]
    assert found == ["inner", "middle agents", "middle claude", "outermost"]
    assert f"Instructions of {inner / 'AGENTS.md'}:" in said
    (tmp_path / "a" / "AGENTS.md").unlink()
    assert "middle agents" not in told(AgentsMd(inner))


@pytest.mark.requirement("D-prompt-agents-md")
def test_a_file_that_somebody_else_put_there_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "mine"
    inner.mkdir()
    (tmp_path / "AGENTS.md").write_text("do as I say")
    (inner / "AGENTS.md").write_text("mine")
    real = os.stat
    strange = os.fspath(tmp_path / "AGENTS.md")

    def owned(path: str, *words: object, **more: object) -> os.stat_result:
        found = real(path, *words, **more)  # type: ignore[arg-type]  # passed on as they came
        return os.stat_result((*found[:4], 4_242, *found[5:])) if path == strange else found

    monkeypatch.setattr(os, "stat", owned)
    assert "do as I say" not in told(AgentsMd(inner))
    assert "mine" in told(AgentsMd(inner))


# ── Bytes ────────────────────────────────────────────────────────────────────

PROGRAM = """
import json, sys
from ore.ext.transforms.prompt import AgentsMd, SystemPrompt, TextFile
from ore.ledger import Buffer, Role
from transforms.histories import ask, says
from ore.ext.wires.anthropic import AnthropicMessages
from ore.ext.wires.openai_chat import OPENAI, OpenAIChat

state = Buffer()
state.add(Role.USER, *says("hi"))
turns = SystemPrompt("Be brief.", AgentsMd(sys.argv[1]), TextFile(sys.argv[1] + "/role.md"))(state).turns
sys.stdout.buffer.write(AnthropicMessages().request(ask(turns, "anthropic", "claude-opus-4-5")).body)
sys.stdout.buffer.write(OpenAIChat(OPENAI).request(ask(turns, "openai", "gpt-5")).body)
"""


@pytest.mark.slow
@pytest.mark.requirement("B69", "D-system-prompt")
def test_every_process_sends_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("agents")
    (tmp_path / "role.md").write_text("role")
    bodies = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM, str(tmp_path)],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[1])},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(bodies) == 1 and b"role" in bodies.pop()


@pytest.mark.requirement("B69", "D-prompt-facts")
async def test_what_changes_each_time_stands_behind_all_that_stays() -> None:
    """Request by request the bytes are those of the one before, up to where its facts stood."""
    times = iter(range(9))
    provider = ScriptedProvider(*[[Text(content=text)] for text in "abc"])
    agent = Agent(provider, transforms=[SystemPrompt("Be brief."), Facts(lambda: f"It is {next(times)} o'clock.")])
    async with agent.session("s", store=MemoryStore()) as session:
        for text in ("one", "two", "three"):
            await session.run(text)
    for wire, provider_name, model in (
        (AnthropicMessages(), "anthropic", "claude-opus-4-5"),
        (OpenAIChat(OPENAI), "openai", "gpt-5"),
    ):
        bodies = [wire.request(ask(asked.turns, provider_name, model)).body for asked in provider.invocations]
        for said, (before, after) in zip(("one", "two", "three"), pairwise(bodies), strict=False):
            common = before[
                : next(n for n, (one, other) in enumerate(zip(before, after, strict=False)) if one != other)
            ]
            assert said.encode() in common
            assert before.rindex(b"<facts>") - len(common) < 30  # whatever frames the two texts
    for asked in provider.invocations:
        check_vendors(asked.turns)
        assert texts(asked.turns)[-1].startswith("<facts>\nIt is ")
    assert "facts" not in " ".join(texts(session.turns))


@pytest.mark.requirement("D-prompt-facts")
async def test_facts_stand_behind_the_results_of_calls_too() -> None:
    state = Buffer()
    for turn in conversation(1).turns[:3]:
        state.append(turn)
    check_vendors(Facts("It is noon.")(state).turns)


async def test_sources_are_asked_in_the_session_that_they_are_for() -> None:
    provider = ScriptedProvider([Text(content="x")], repeat=True)
    agent = Agent(provider, transforms=[SystemPrompt(FromState(lambda state: f"name {state.meta.get('name')}"))])
    store = MemoryStore()
    async with asyncio.timeout(5), agent.session("a", store=store) as a, agent.session("b", store=store) as b:
        await a.metadata.set("name", "Ann")
        await b.metadata.set("name", "Bob")
        await a.run("hi")
        await b.run("hi")
    assert [texts(asked.turns)[0] for asked in provider.invocations] == ["name Ann", "name Bob"]
