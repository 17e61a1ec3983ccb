"""What is known of a model is looked at before it is asked, and used for what its answer cost."""

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ore import Agent
from ore.app import UsageLimits
from ore.artifact import Artifact, Image, Notice, Severity, Text, ToolCall, ToolResult
from ore.errors import LimitError, UnsupportedError
from ore.event import Entry
from ore.ext.catalog import Target, fitted
from ore.ext.catalog.catalog import shared_catalog
from ore.ext.providers.aiohttp_transport import AiohttpTransport
from ore.ext.providers.knowledge import Knowledge
from ore.ext.providers.openai import VENDOR
from ore.ext.providers.vendor import Access, connect
from ore.ext.wires.wire import Ask
from ore.ledger import Buffer, Role, Turn
from ore.models import Spec
from ore.provider import Provider, WithTools
from ore.testing.contracts.provider import Answer
from ore.tool import tool
from providers.loopback import Server, serving
from providers.vendor_answers import answering
from strategies import turns as any_turns

HELLO = Answer(text=("Hel", "lo"), prompt_tokens=1_000, completion_tokens=100)
SEES, BLIND, TOOLLESS, SMALL = "gpt-5.2", "o3-mini", "gpt-5-search-api", "gpt-4"
PICTURE = Image(data=b"\x89PNG\r\n\x1a\nxxxx", media_type="image/png", name="plan.png")


@tool
async def weather(city: str) -> str:
    """Weather in a city."""
    return city


def openai(server: Server, *, lenient: bool = False) -> Provider:
    return connect(VENDOR, Access(base_url=server.url, transport=AiohttpTransport(), lenient=lenient))


def agent(server: Server, model: str, *, lenient: bool = False, **more: Any) -> Agent:
    return Agent(openai(server, lenient=lenient), spec=Spec(name=model), **more)


async def notices(asked: Agent, *contents: Any, then: str | None = None) -> list[str]:
    """What people are told while messages of one session are answered; the last one by another model."""
    seen: list[Entry] = []
    async with asked.session() as session:
        for place, content in enumerate(contents):
            if then is not None and place == len(contents) - 1:
                await session.metadata.set("ore.model.name", then)
            reader = session.handle.subscribe(after="" if not seen else seen[-1].id)
            await session.run(content)
            seen += reader.take()
            reader.close()
    return [entry.event.content for entry in seen if isinstance(entry.event, Notice)]


# ── What it cost ─────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-cost-priced")
async def test_an_answer_says_what_it_cost() -> None:
    async with serving(answering([HELLO, HELLO])) as server:
        result = await agent(server, "gpt-6-sol").run("Hi")
        unknown = await agent(server, "gpt-unheard-of").run("Hi")
    assert result.usage.cost_usd == Decimal("0.003")
    assert (unknown.usage.prompt_tokens, unknown.usage.cost_usd) == (1_000, None)


@pytest.mark.requirement("D-cost-priced")
async def test_a_provider_of_another_name_asks_at_its_vendor_s_prices() -> None:
    async with serving(answering([HELLO])) as server:
        ours = connect(VENDOR, Access(name="ours", base_url=server.url, transport=AiohttpTransport()))
        result = await Agent(ours, spec=Spec(name="gpt-6-sol")).run("Hi")
    assert result.usage.cost_usd == Decimal("0.003")


@pytest.mark.requirement("D-cost-priced", "D-usage-limits")
async def test_a_message_stops_at_its_limit_of_dollars() -> None:
    call = Answer(
        call=ToolCall(id="c1", name="weather", arguments='{"city": "Lisbon"}'),
        reason="tool_use",
        prompt_tokens=1_000,
        completion_tokens=100,
    )
    async with serving(answering([call] * 9)) as server:
        limits = UsageLimits(cost_usd=Decimal("0.005"))
        with pytest.raises(LimitError, match=r"at most 0\.005 USD, used 0\.0056"):
            await agent(server, "gpt-4.1", tools=[weather], limits=limits).run("Hi")
        assert len(server.requests) == 2


# ── What is told ─────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-preflight-unknown")
async def test_a_model_that_nobody_lists_is_asked_and_that_is_told_once_in_a_session() -> None:
    async with serving(answering([HELLO] * 3)) as server:
        told = await notices(agent(server, "gpt-unheard-of", tools=[weather]), "Hi", [PICTURE], "And now?")
    assert told == [
        "nothing is known of openai:gpt-unheard-of: no window, no price, no abilities; it is asked as it is"
    ]
    assert [exchange.asked["model"] for exchange in server.requests] == ["gpt-unheard-of"] * 3


@pytest.mark.requirement("D-switching")
async def test_of_a_model_that_takes_everything_nothing_is_told() -> None:
    async with serving(answering([HELLO] * 2)) as server:
        assert await notices(agent(server, SEES, tools=[weather]), [Text(content="Look"), PICTURE], "Hi") == []


@pytest.mark.requirement("D-switching")
async def test_pictures_that_another_model_saw_are_named_to_one_that_sees_none() -> None:
    async with serving(answering([HELLO] * 2)) as server:
        provider = openai(server)
        asked = Agent(provider, spec=Spec(name=SEES), resolve=lambda name: (provider, name))
        told = await notices(asked, [Text(content="Look"), PICTURE], "And now?", then=BLIND)
    assert told == [f"openai:{BLIND} takes no pictures: 1 left out, a line of text in the place of each"]
    first, second = (exchange.asked["messages"][0]["content"] for exchange in server.requests)
    assert first[1]["type"] == "image_url"
    assert "[image left out: plan.png]" in json.dumps(second)
    assert "image_url" not in json.dumps(second)


@pytest.mark.requirement("D-switching")
async def test_a_picture_that_is_sent_just_now_is_refused_by_a_model_that_sees_none() -> None:
    async with serving(answering([HELLO] * 2)) as server:
        async with agent(server, BLIND).session() as session:
            with pytest.raises(UnsupportedError) as caught:
                await session.run([PICTURE])
            assert (await session.run("Then without it.")).text == "Hello"
        lenient = await notices(agent(server, BLIND, lenient=True), [Text(content="Look"), PICTURE])
    assert caught.value.field == "image"
    assert str(caught.value) == (
        f"the model cannot take this image: openai:{BLIND} takes no pictures; send it in another form, or take "
        "another model"
    )
    assert lenient == [f"openai:{BLIND} takes no pictures: 1 left out, a line of text in the place of each"]
    assert len(server.requests) == 2


def toolless() -> tuple[str, Knowledge]:
    """Google's, which makes pictures and calls nothing."""
    model = "gemini-2.5-flash-image"
    return model, Knowledge(name="google", vendor="google", base_url="https://generativelanguage.googleapis.com")


@pytest.mark.requirement("D-switching")
def test_tools_are_refused_by_name_where_a_model_calls_none() -> None:
    model, knowledge = toolless()
    state = Buffer()
    state.add(Role.USER, Text(content="Hi"))
    option = WithTools([weather])
    ask = Ask(turns=state.turns, spec=Spec(name=model), provider="google", options=(option, 7))
    with pytest.raises(UnsupportedError) as caught:
        knowledge.look(ask)
    assert (caught.value.field, str(caught.value)) == (
        "tools",
        f"google:{model} calls no tools, and 1 are offered; take them away, or choose another model",
    )
    kept: dict[Any, Any] = {}
    lenient = Ask(turns=state.turns, spec=ask.spec, provider="google", options=(option, 7), lenient=True, encoded=kept)
    first, told = knowledge.look(lenient)
    again, nothing = knowledge.look(lenient)
    assert (list(first.options), list(again.options), nothing) == ([7], [7], ())
    assert [(notice.content, notice.severity) for notice in told] == [
        (f"google:{model} calls no tools, and 1 are offered; left out", Severity.WARN)
    ]


@pytest.mark.requirement("D-switching")
async def test_a_conversation_that_outgrows_a_window_is_said_before_the_vendor_does() -> None:
    async with serving(answering([HELLO] * 3)) as server:
        told = await notices(agent(server, SMALL), "Hi", "word " * 8_000, "And now?")
    assert [line.partition(",")[0] for line in told] == [f"openai:{SMALL} has a window of 8"]


# ── Looking again ────────────────────────────────────────────────────────────

BLIND_TARGET = Target(provider="openai", model=BLIND, info=shared_catalog().find("openai", BLIND))


def looked(knowledge: Knowledge, turns: Sequence[Turn], kept: dict[Any, Any]) -> Sequence[Turn]:
    ask = Ask(turns=turns, spec=Spec(name=BLIND), provider="openai", lenient=True, encoded=kept)
    return list(knowledge.look(ask)[0].turns)


@pytest.mark.requirement("D-switching")
@settings(max_examples=50)
@given(st.lists(any_turns(), max_size=5), st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5)), max_size=4))
def test_however_a_conversation_grows_a_look_is_the_same_as_the_first_one(
    turns: list[Turn], paths: list[tuple[int, int]]
) -> None:
    """Also where its beginning changes, as by a summary."""
    knowledge = Knowledge(name="openai", vendor="openai", base_url="https://api.openai.com")
    kept: dict[Any, Any] = {}
    for begin, end in paths:
        path = turns[begin:end]
        assert looked(knowledge, path, kept) == list(fitted(path, BLIND_TARGET))


@pytest.mark.requirement("D-switching")
def test_what_was_fitted_before_is_the_same_object_again_so_that_it_is_not_encoded_again() -> None:
    knowledge = Knowledge(name="openai", vendor="openai", base_url="https://api.openai.com")
    kept: dict[Any, Any] = {}
    state = Buffer()
    shot: Sequence[Artifact] = (ToolResult(tool_call_id="c", content="a screenshot", media=(PICTURE,)),)
    for role, artifacts in ((Role.USER, (PICTURE,)), (Role.TOOL, shot), (Role.USER, (Text(content="Hi"),))):
        state.add(role, *artifacts)
    first = looked(knowledge, state.turns, kept)
    begin = Turn(id="s", role=Role.SYSTEM, artifacts=(Text(content="Be brief."),))
    state.add(Role.ASSISTANT, Text(content="Yo"))
    second = looked(knowledge, [begin, *state.turns], kept)
    assert [turn.artifacts for turn in first[:2]] == [
        (Text(content="[image left out: plan.png]"),),
        (ToolResult(tool_call_id="c", content="a screenshot"),),
    ]
    assert all(one is other for one, other in zip(first, second[1:], strict=False))
