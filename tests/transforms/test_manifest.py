"""Each answer says what was sent for it, and where that leaves the request before."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from itertools import zip_longest
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore import Agent, Spec
from ore.artifact import StopReason, Text, TextDelta, Usage, to_json
from ore.errors import OverloadedError
from ore.ext.stores.sqlite import SqliteStore
from ore.ext.transforms.compaction import Compaction, compact, undo_compaction
from ore.ext.transforms.manifest import (
    Change,
    ContextManifest,
    ContextManifests,
    Difference,
    Part,
    contexts,
    manifest_of,
)
from ore.ext.transforms.manifest.locating import first_difference, place_in
from ore.ext.transforms.prompt import Facts, Slot, SystemPrompt
from ore.ext.wires.anthropic import AnthropicMessages
from ore.ext.wires.gemini import Gemini
from ore.ext.wires.openai_chat import OPENAI, OpenAIChat
from ore.ext.wires.openai_responses import OPENAI as RESPONSES
from ore.ext.wires.openai_responses import OpenAIResponses
from ore.ext.wires.wire import Ask, Wire
from ore.ledger import MemoryStore, Role, State, Store, Turn, view
from ore.loop import Transform
from ore.provider import Batch, Option, RequestOption, option, tools_of
from ore.session import Stream
from ore.testing import Recorder, ScriptedProvider, check_order
from ore.tool import Tool, tool
from transforms.histories import texts


class Wired:
    """Builds the requests of a real wire, and answers from a list.

    Attributes:
        bodies: What it would have sent.
    """

    name = "wired"

    def __init__(self, wire: Wire, model: str) -> None:
        self._wire = wire
        self._model = model
        self.bodies: list[bytes] = []
        self.seen = 0

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        named = Spec(name=self._model, max_output_tokens=1_000, temperature=spec.temperature)
        ask = Ask(
            turns=state.turns, spec=named, options=options, provider="wired", lenient=True, encoded=state.base.derived
        )
        body = self._wire.request(ask).body
        wanted = option(options, RequestOption)
        if wanted is not None:
            self.bodies.append(body)
            wanted.seen(body)
        asked = "handover" in texts(state.turns)[-1]
        yield (TextDelta(content="a summary" if asked else f"answer {len(state.turns)}"),)
        yield (StopReason(reason="stop"), Usage(prompt_tokens=9, completion_tokens=1))


WIRES: dict[str, tuple[Callable[[], Wire], str]] = {
    "anthropic": (AnthropicMessages, "claude-opus-4-5"),
    "openai-chat": (lambda: OpenAIChat(OPENAI), "gpt-4o"),
    "openai-responses": (lambda: OpenAIResponses(RESPONSES), "gpt-4o"),
    "gemini": (Gemini, "gemini-2.5-flash"),
}
EVERY_WIRE = pytest.mark.parametrize("name", WIRES)


def look(place: str) -> str:
    """Look."""
    return place


def listen(sound: str) -> str:
    """Listen."""
    return sound


class Tools:
    """A toolset that changes."""

    def __init__(self, *given: Tool) -> None:
        self.given: Sequence[Tool] = given

    def tools(self, state: State) -> Sequence[Tool]:
        return self.given


def nudged(state: State) -> State:
    """The conversation with a note before what was said last."""
    note = Turn(id="note", role=Role.USER, artifacts=(Text(content="Think first."),))
    return view(state, [*state.turns[:-1], note, *state.turns[-1:]])


def naive(before: bytes, after: bytes) -> int | None:
    pairs = enumerate(zip_longest(before, after))
    return next((place for place, (one, other) in pairs if one != other), None)


class Talk:
    """Two messages to one agent, with something in between."""

    def __init__(self, name: str) -> None:
        make, model = WIRES[name]
        self.provider = Wired(make(), model)
        self.tools = Tools(tool(look))
        self.slot = Slot("Be brief.")
        self.facts = Slot("")
        self.agent = self.agent_with(Facts(self.facts))

    def agent_with(self, transform: Transform) -> Agent:
        return Agent(
            self.provider,
            tools=self.tools,
            transforms=[SystemPrompt(self.slot), transform],
            extensions=[Compaction(), ContextManifests()],
        )

    async def difference(self, between: Callable[[Stream], Any]) -> Difference | None:
        """Where the second of two requests leaves the first; the byte is the one that a plain look finds."""
        async with self.agent.session("s", store=MemoryStore()) as session:
            await session.run("one")
            await session.run("two")
            done = between(session.handle)
            if asyncio.iscoroutine(done):
                await done
            result = await session.run("three")
        found = manifest_of(result.turns[-1])
        assert found is not None and found.compared and found.body == "request"
        before, after = self.provider.bodies[-2:]
        assert found.bytes == len(after)
        assert (found.difference.byte if found.difference else None) == naive(before, after)
        return found.difference


def root(difference: Difference | None) -> str:
    assert difference is not None
    return difference.where.partition(".")[0].partition("[")[0]


@EVERY_WIRE
@pytest.mark.requirement("D-manifest-difference")
async def test_a_new_turn_is_where_the_next_request_differs(name: str) -> None:
    talk = Talk(name)
    found = await talk.difference(lambda stream: None)
    assert found is not None and found.cause == "turn"
    assert root(found) in ("messages", "input", "contents")
    assert b"two" in talk.provider.bodies[-1][: found.byte]


@EVERY_WIRE
@pytest.mark.requirement("D-manifest-difference")
async def test_another_list_of_tools_is_where_it_differs_wherever_a_vendor_has_them(name: str) -> None:
    """The first byte decides: where tools stand behind the conversation a new turn comes first."""
    talk = Talk(name)

    def change(stream: Stream) -> None:
        talk.tools.given = (tool(listen), *talk.tools.given)

    found = await talk.difference(change)
    keys = list(json.loads(talk.provider.bodies[-1]))
    first = min(keys.index(key) for key in keys if key in ("tools", "messages", "input", "contents"))
    assert found is not None
    assert (found.cause, root(found)) == (("tools", "tools") if keys[first] == "tools" else ("turn", keys[first]))


@EVERY_WIRE
@pytest.mark.requirement("D-manifest-difference")
async def test_a_transform_that_says_something_else_is_named(name: str) -> None:
    talk = Talk(name)
    found = await talk.difference(lambda stream: setattr(talk.slot, "content", "Be kind."))
    keys = list(json.loads(talk.provider.bodies[-1]))
    behind = "systemInstruction" in keys and keys.index("systemInstruction") > keys.index("contents")
    assert found is not None and found.cause == ("turn" if behind else "SystemPrompt")


@EVERY_WIRE
@pytest.mark.requirement("D-manifest-difference")
@pytest.mark.parametrize("later", ["It is noon.", "It is one."])
async def test_facts_behind_the_conversation_give_way_to_what_was_said_since(name: str, later: str) -> None:
    """So they are no reason, whether they say the same or not."""
    talk = Talk(name)
    talk.facts.content = "It is noon."
    found = await talk.difference(lambda stream: setattr(talk.facts, "content", later))
    assert found is not None and found.cause == "turn"


@EVERY_WIRE
@pytest.mark.requirement("D-manifest-difference")
async def test_facts_are_named_where_nothing_else_is_another(name: str) -> None:
    talk = Talk(name)
    talk.facts.content = "It is noon."

    async def again(stream: Stream) -> None:
        await stream.process("three")
        await stream.history.undo()
        talk.facts.content = "It is one."

    found = await talk.difference(again)
    assert found is not None and found.cause == "Facts"


@EVERY_WIRE
@pytest.mark.requirement("D-manifest-difference")
async def test_a_transform_whose_turn_moves_is_named(name: str) -> None:
    """It stands before what was said last, which was sent before."""
    talk = Talk(name)
    talk.agent = talk.agent_with(nudged)
    found = await talk.difference(lambda stream: None)
    assert found is not None and found.cause == "nudged"


@EVERY_WIRE
@pytest.mark.requirement("D-manifest-difference")
async def test_a_compaction_is_named_and_so_is_its_undoing(name: str) -> None:
    talk = Talk(name)
    found = await talk.difference(compact)
    assert found is not None and found.cause == "compaction"

    async def twice(stream: Stream) -> None:
        await compact(stream)
        await stream.process("between")
        await undo_compaction(stream)

    again = await Talk(name).difference(twice)
    assert again is not None and again.cause == "compaction"


@EVERY_WIRE
@pytest.mark.requirement("D-manifest-difference")
async def test_another_path_through_the_ledger_is_named(name: str) -> None:
    async def back(stream: Stream) -> None:
        await stream.history.undo()
        await stream.history.undo()

    found = await Talk(name).difference(back)
    assert found is not None and found.cause == "history"


@EVERY_WIRE
@pytest.mark.requirement("D-manifest-difference")
async def test_another_setting_is_named_where_it_stands_before_the_conversation(name: str) -> None:
    talk = Talk(name)
    found = await talk.difference(lambda stream: stream.metadata.set("ore.model.temperature", "0.5"))
    keys = list(json.loads(talk.provider.bodies[-1]))
    talked = min(keys.index(key) for key in keys if key in ("messages", "input", "contents"))
    before = "temperature" in keys and keys.index("temperature") < talked
    assert found is not None and found.cause == ("settings" if before else "turn")


# ── What it says ─────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-manifest")
async def test_an_answer_says_what_it_was_made_of_by_part_and_by_transform() -> None:
    provider = ScriptedProvider([Text(content="hello")], [Text(content="a summary")], [Text(content="fine")])
    agent = Agent(
        provider,
        spec=Spec(name="m"),
        tools=[look],
        instructions="Be brief.",
        transforms=[Facts("It is noon.")],
        extensions=[Compaction(), ContextManifests()],
    )
    async with agent.session("s", store=MemoryStore()) as session:
        first = manifest_of((await session.run("hi")).turns[-1])
        await compact(session.handle)
        second = manifest_of((await session.run("and now?")).turns[-1])
    assert first is not None and second is not None
    assert (first.model, first.body, first.compared, first.difference) == ("scripted:m", "rendering", False, None)
    assert [(part.name, part.count) for part in first.parts] == [
        ("tools", 1),
        ("instructions", 1),
        ("user", 1),
        ("Facts", 1),
    ]
    assert first.transforms == (Change(transform="instructions", added=1), Change(transform="Facts", added=1))
    assert [(part.name, part.count) for part in second.parts] == [
        ("tools", 1),
        ("instructions", 1),
        ("compaction", 1),
        ("user", 1),
        ("Facts", 1),
    ]
    assert second.transforms[0] == Change(transform="compaction", removed=2, changed=1)
    assert second.compared and second.difference is not None
    assert (second.difference.where, second.difference.cause) == ("turns[1].artifacts[0].content", "compaction")
    assert first.tokens == sum(part.tokens for part in first.parts) > 20


@pytest.mark.requirement("D-manifest")
async def test_it_is_stored_told_as_an_event_and_read_again(tmp_path: Any) -> None:
    store: Store = SqliteStore(tmp_path / "s.db")
    agent = Agent(ScriptedProvider([Text(content="hello")]), extensions=[ContextManifests()])
    async with agent.session("s", store=store) as session, Recorder(session.handle) as seen:
        result = await session.run("hi")
        assert result.text == "hello"
        made = manifest_of(session.turns[-1])
    check_order(seen.entries)
    (entry,) = [entry for entry in seen.entries if entry.kind == "context"]
    assert entry.event is made and entry.context.message is not None
    stored = await store.load("s")
    assert manifest_of(stored.turns[-1]) == made
    await store.aclose()


@pytest.mark.requirement("D-manifest")
async def test_it_comes_behind_the_answer_and_no_fragment_waits_for_it() -> None:
    """The provider is asked, and every fragment passed on, before anything is looked at."""
    pieces = [TextDelta(content=str(n)) for n in range(200)]
    agent = Agent(ScriptedProvider(pieces), extensions=[ContextManifests()])
    async with agent.session("s", store=MemoryStore()) as session, Recorder(session.handle) as seen:
        await session.run("hi")
    kinds = [entry.kind for entry in seen.entries]
    assert kinds.index("context") > max(place for place, kind in enumerate(kinds) if kind in ("text_delta", "text"))
    assert kinds.count("text_delta") == 200


async def test_the_same_request_twice_has_no_difference() -> None:
    agent = Agent(Wired(AnthropicMessages(), "claude-opus-4-5"), extensions=[ContextManifests()])
    async with agent.session("s", store=MemoryStore()) as session:
        await session.run("one")
        await session.handle.history.undo()
        result = await session.run("one")
    found = manifest_of(result.turns[-1])
    assert found is not None and found.compared and found.difference is None


async def test_an_answer_that_fails_has_none_and_is_no_part_of_a_comparison() -> None:
    provider = ScriptedProvider([Text(content="a")], [Text(content="b"), OverloadedError("busy")], [Text(content="c")])
    agent = Agent(provider, spec=Spec(name="m"), extensions=[ContextManifests()])
    async with agent.session("s", store=MemoryStore()) as session:
        await session.run("one")
        with pytest.raises(OverloadedError):
            await session.run("two")
        result = await session.run("three")
        assert [manifest_of(turn) is not None for turn in session.turns if turn.role is Role.ASSISTANT] == [
            True,
            False,
            True,
        ]
    found = manifest_of(result.turns[-1])
    assert found is not None and found.difference is not None and found.difference.where.startswith("turns[1]")


async def test_an_answer_without_content_stays_one_that_is_not_sent() -> None:
    provider = ScriptedProvider([StopReason(reason="stop")], [Text(content="b")])
    agent = Agent(provider, spec=Spec(name="m"), extensions=[ContextManifests()])
    async with agent.session("s", store=MemoryStore()) as session:
        await session.run("one")
        await session.run("two")
    assert texts(provider.invocations[1].turns) == ["one", "two"]


async def test_a_summary_is_asked_for_without_one() -> None:
    provider = Wired(OpenAIChat(OPENAI), "gpt-4o")
    agent = Agent(provider, spec=Spec(name="m"), extensions=[Compaction(), ContextManifests()])
    async with agent.session("s", store=MemoryStore()) as session:
        await session.run("one")
        await compact(session.handle)
    assert len(provider.bodies) == 1


# ── Without one ──────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-manifest-recomputed")
async def test_what_answers_say_nothing_of_is_told_from_the_ledger() -> None:
    provider = ScriptedProvider(*[[Text(content=text)] for text in ("a", "b", "a summary", "c")])
    agent = Agent(provider, spec=Spec(name="m"), instructions="Be brief.", extensions=[Compaction()])
    async with agent.session("s", store=MemoryStore()) as session:
        await session.run("one")
        await session.run("two")
        await compact(session.handle)
        await session.run("three")
        found = list(contexts(session.turns))
        assert [one.turn for one in found] == [turn for turn in session.turns if turn.role is Role.ASSISTANT]
    assert [one.stored for one in found] == [False] * 3
    assert [one.manifest.difference and one.manifest.difference.cause for one in found] == [None, "turn", "compaction"]
    assert [(part.name, part.count) for part in found[1].manifest.parts] == [("user", 2), ("assistant", 1)]
    assert [part.name for part in found[2].manifest.parts] == ["compaction", "user"]
    assert found[0].manifest.model == "scripted:m"
    assert [one.turn for one in contexts(session.turns, latest=1)] == [session.turns[-1]]


# ── Places ───────────────────────────────────────────────────────────────────


@given(st.binary(max_size=40), st.binary(max_size=40), st.binary(max_size=40))
def test_the_first_difference_is_the_one_that_a_plain_look_finds(start: bytes, one: bytes, other: bytes) -> None:
    assert first_difference(start + one, start + other) == naive(start + one, start + other)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(JSON, st.integers(0, 200))
def test_every_byte_of_any_json_has_a_place_that_leads_to_it(value: Any, offset: int) -> None:
    place_in(to_json(value), offset)  # whatever it is


def test_a_byte_is_found_where_it_stands() -> None:
    body = b'{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"x","content":[{"text":"abc"}]}],"n":1}'
    for needle, place in {
        b'"model"': "model",
        b'"m",': "model",
        b'"messages"': "messages",
        b'[{"role":"user"': "messages",
        b'{"role":"user"': "messages[0]",
        b'"role":"user"': "messages[0].role",
        b'hi"': "messages[0].content",
        b',{"role":"x"': "messages[1]",
        b'abc"': "messages[1].content[0].text",
        b'],"n"': "messages",
        b',"n"': "n",
        b"1}": "n",
    }.items():
        assert place_in(body, body.index(needle)) == place, needle
    assert place_in(body, len(body)) == place_in(b"no json", 3) == place_in(b"", 0) == ""


def test_it_is_no_part_of_what_models_get() -> None:
    manifest = ContextManifest(
        model="m", bytes=1, body="rendering", tokens=1, parts=(Part(name="u", count=1, tokens=1),)
    )
    assert (manifest.sendable, manifest.for_model(), tools_of(())) == (False, "", ())
