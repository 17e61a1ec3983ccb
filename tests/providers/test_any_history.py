"""Whatever any vendor has answered, each other one takes the conversation."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ore import Agent
from ore.artifact import Image, Text
from ore.errors import OreError
from ore.ext.providers.backoff import Backoff
from ore.ext.providers.transport import Limits, Reply
from ore.ext.providers.vendor import Access, connect
from ore.models import split_name
from ore.provider import Provider
from ore.testing import ShapeError, check_anthropic, check_gemini, check_openai_responses
from providers.any_answers import SPEAKERS, Issued, Part, answers
from providers.test_switching import PICTURE, PNG, SIDES
from wires.corpus import FOLDER, Transcript, recordings

Answer = tuple[Sequence[Part], float, str]
FINE: Answer = ((Part(kind="text", words="Fine."),), 1.0, "stop")


class Spoken:
    """An answer in two blocks."""

    status = 200

    def __init__(self, body: bytes, headers: Mapping[str, str]) -> None:
        self.headers = headers
        self._blocks = [body[: len(body) // 2], body[len(body) // 2 :]]

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        while self._blocks:
            if block := self._blocks.pop(0):
                return block
        raise StopAsyncIteration

    def close(self) -> None:
        """Nothing is held."""


@dataclass(slots=True)
class World:
    """All vendors: each judges what it is asked, and answers what is drawn.

    Attributes:
        left: Answers of the message that runs, drawn or recorded; behind them there is a plain one.
        faults: What the vendors would have refused.
        knows_all: Whether each knows what it signed; of a recording nobody does.
    """

    issued: dict[str, Issued] = field(default_factory=lambda: {name: Issued(vendor=name) for name in SPEAKERS})
    left: list[Answer | bytes] = field(default_factory=list)
    faults: list[tuple[str, ShapeError]] = field(default_factory=list)
    asked: int = 0
    knows_all: bool = True

    def resolve(self, name: str) -> tuple[Provider, str]:
        vendor, model = split_name(name)
        assert vendor is not None
        access = Access(
            api_key="any",
            base_url="http://127.0.0.1:9",
            transport=Vendor(self, vendor),
            lenient=True,
            backoff=Backoff(attempts=1),
        )
        return connect(SIDES[vendor].vendor, access), model

    def judge(self, name: str, body: bytes) -> None:
        issued = self.issued[name]
        signatures = issued.signatures if self.knows_all else None
        self.asked += 1
        try:
            match name:
                case "anthropic" | "minimax":
                    check_anthropic(body, issued=signatures)
                case "google":
                    check_gemini(body, wants_signatures=True, issued=signatures)
                case "openai-responses" | "azure":
                    check_openai_responses(body, issued=issued.items if self.knows_all else ())
                case _:
                    SIDES[name].check(body)
        except ShapeError as error:
            self.faults.append((name, error))


class Vendor:
    """The transport to one of them."""

    def __init__(self, world: World, name: str) -> None:
        self._world = world
        self._name = name

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], limits: Limits) -> Reply:
        self._world.judge(self._name, body)
        answer = self._world.left.pop(0) if self._world.left else FINE
        if isinstance(answer, bytes):
            return Spoken(answer, SIDES[self._name].speech.headers)
        parts, share, reason = answer
        spoken = b"".join(SPEAKERS[self._name](parts, reason, self._world.issued[self._name]))
        return Spoken(spoken[: round(len(spoken) * share)], SIDES[self._name].speech.headers)


async def look(place: str = "", id: str = "") -> Image:
    """A picture of a place."""
    return Image(data=PNG, media_type="image/png", name=f"{place}.png")


async def converse(messages: Sequence[tuple[str, Sequence[Answer | bytes]]], *, knows_all: bool = True) -> World:
    """Say something to each of the vendors in turn, then to all of them."""
    world = World(knows_all=knows_all)
    names = {name: f"{name}:{SIDES[name].model}" for name in SPEAKERS}
    agent = Agent(names["openai"], tools=[look], store="memory:", resolve=world.resolve)
    async with asyncio.timeout(60), agent.session() as session:
        for name, drawn in (*messages, *((name, ()) for name in SPEAKERS)):
            world.left[:] = drawn
            await session.metadata.set("ore.model.name", names[name])
            with suppress(OreError):
                await session.run((Text(content="And now?"), PICTURE) if drawn else "Go on.")
    return world


@pytest.mark.slow
@pytest.mark.requirement("D-every-pair")
@settings(max_examples=20)
@given(st.lists(st.tuples(st.sampled_from(sorted(SPEAKERS)), st.lists(answers(), min_size=1, max_size=3)), max_size=4))
def test_every_vendor_takes_what_any_of_them_has_answered(messages: list[tuple[str, list[Answer]]]) -> None:
    """Whole answers and cut ones, with the calls, results and failures that come of them."""
    world = asyncio.run(converse(messages))
    assert [f"{name}: {error}" for name, error in world.faults] == []
    assert world.asked >= len(SPEAKERS)


RECORDERS = {
    "openai-chat": "openrouter",
    "openai-responses": "openai-responses",
    "anthropic": "anthropic",
    "gemini": "google",
    "ollama": "ollama",
}
RECORDED = [one for protocol in RECORDERS for one in recordings(protocol)]


@pytest.mark.requirement("D-every-pair")
@pytest.mark.parametrize("transcript", RECORDED)
def test_every_vendor_takes_what_was_recorded_of_another(transcript: Transcript) -> None:
    """Once as it came, and once cut in the middle."""
    vendor = RECORDERS[transcript.protocol]
    answers = [transcript.body, transcript.body[: len(transcript.body) // 2]]
    world = asyncio.run(converse([(vendor, [answer]) for answer in answers], knows_all=False))
    assert [f"{name}: {error}" for name, error in world.faults] == []
    assert not world.left and world.asked >= len(SPEAKERS) + 2


def test_no_recording_is_left_out() -> None:
    """All 43 speak one of the five protocols, each of which has its own tests of whole, bytewise and cut answers."""
    if RECORDED[0].values[0] is not None:
        assert len(RECORDED) == len(list(FOLDER.glob("*/*.expected.json"))) >= 43
