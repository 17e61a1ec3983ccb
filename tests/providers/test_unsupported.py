"""What a model cannot take fails one message with a name and advice, sends nothing, and the session goes on."""

from dataclasses import replace
from typing import Any

import pytest

from ore import Agent, Audio, File, Image, Text
from ore.artifact import Media
from ore.errors import UnsupportedError
from ore.ext.providers.vendor import Access, connect
from ore.models import Spec, ThinkingLevel
from ore.testing.contracts.provider import Answer
from ore.testing.sendable import check_sendable
from providers.loopback import serving
from providers.test_failing_vendors import KINDS
from providers.vendor_answers import answering

HELLO = Answer(text=("Hel", "lo"))

FIELDS: list[tuple[str, str, dict[str, Any]]] = [
    ("openai", "top_k", {"top_k": 5}),
    ("openai", "temperature", {"name": "gpt-5-mini", "temperature": 0.5}),
    ("openai", "thinking_level", {"name": "o3", "thinking_level": ThinkingLevel.OFF}),
    ("anthropic", "seed", {"seed": 1}),
    ("anthropic", "temperature", {"temperature": 0.2, "top_p": 0.5}),
    ("anthropic", "frequency_penalty", {"frequency_penalty": 1.0}),
    ("anthropic", "thinking_level", {"name": "claude-3-5-haiku-latest", "thinking_level": ThinkingLevel.LOW}),
    ("openai-responses", "top_k", {"top_k": 5}),
]
PICTURE = Image(data=b"BM a bitmap", media_type="image/bmp", name="sea.bmp")
MEDIA: list[tuple[str, Media]] = [
    ("openai", PICTURE),
    ("anthropic", PICTURE),
    ("anthropic", Audio(data=b"RIFF", media_type="audio/wav", name="sea.wav")),
    ("openai", File(url="https://host.test/sea.pdf", media_type="application/pdf", name="sea.pdf")),
    ("openai", Image(data=b"", media_type="image/png", name="nothing.png")),
]


@pytest.mark.requirement("D-vendor-failures")
@pytest.mark.parametrize(("vendor", "field", "spec"), FIELDS)
async def test_a_field_that_a_model_does_not_take_is_named_and_nothing_is_sent(
    vendor: str, field: str, spec: dict[str, Any]
) -> None:
    kind = KINDS[vendor]
    async with serving(answering([HELLO] * 2, kind.speech)) as server:
        access = Access(api_key="sk-x", base_url=server.url)
        wanted = Spec(**{"name": kind.model, **spec})
        async with Agent(connect(kind.vendor, access), spec=wanted, store="memory:").session() as session:
            with pytest.raises(UnsupportedError) as caught:
                await session.run("Hi")
            assert (caught.value.field, caught.value.code, caught.value.provider) == (field, "unsupported", vendor)
            assert ";" in str(caught.value)  # behind it stands what to do
            assert server.requests == []
        lenient = Agent(connect(kind.vendor, replace(access, lenient=True)), spec=wanted, store="memory:")
        async with lenient.session() as session:
            run = session.stream("Hi")
            told = [entry.event.content async for entry in run.events("notice")]  # type: ignore[union-attr]
            assert (await run.result()).text == "Hello"
            assert any(field in notice for notice in told)


@pytest.mark.requirement("D-vendor-failures", "B29")
@pytest.mark.parametrize(("vendor", "media"), MEDIA)
async def test_media_that_a_model_does_not_take_are_named_and_the_session_goes_on(vendor: str, media: Media) -> None:
    kind = KINDS[vendor]
    async with serving(answering([HELLO] * 2, kind.speech)) as server:
        access = Access(api_key="sk-x", base_url=server.url)
        agent = Agent(connect(kind.vendor, access), spec=Spec(name="m"), store="memory:")
        async with agent.session() as session:
            with pytest.raises(UnsupportedError) as caught:
                await session.run([Text(content="What is it?"), media])
            assert caught.value.field == media.kind
            assert "; " in str(caught.value)
            assert server.requests == []
            assert (await session.run("Never mind.")).text == "Hello"
            check_sendable(session.turns)
        assert b"left out" in server.requests[0].body
