"""A server that cannot take the request says so with any status, and asking again does not help."""

import json

import pytest

from ore import Agent, Image, Text
from ore.errors import BadRequestError, OverloadedError, ProviderError, UnsupportedError
from ore.ext.providers.anthropic import Anthropic
from ore.ext.providers.openai import OpenAI
from ore.ext.wires.anthropic import AnthropicMessages
from ore.ext.wires.blame import refused_media
from ore.ext.wires.openai_chat import OpenAIChat
from ore.ext.wires.openai_responses import OpenAIResponses
from ore.ext.wires.wire import Wire
from ore.models import Spec
from ore.provider import Provider
from ore.testing.contracts.provider import Answer
from providers.loopback import Exchange, serving
from providers.vendor_answers import CHAT, CLAUDE

MMPROJ = "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"
WIRES: dict[str, type[Wire]] = {"chat": OpenAIChat, "responses": OpenAIResponses, "anthropic": AnthropicMessages}
PICTURE = Image(data=b"\x89PNG\r\n\x1a\n" + b"0" * 20, media_type="image/png", name="sea.png")


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("image", MMPROJ),
        ("audio", MMPROJ.replace("image", "audio")),
        ("image", "/models/x is not a multimodal model"),
        ("image", "No endpoints found that support image input"),
        ("image", "Model does not support images. Please use a model that does."),
        ("image", "this model is missing data required for image input"),
        ("image", "Images are not supported by this model"),
        ("image", "Unsupported content type: image_url"),
        ("image", "Invalid content type. image_url is only supported by certain models."),
        ("image", "x doesn't support vision"),
        ("file", "PDF input is not supported"),
        ("audio", "input_audio is not supported"),
        (None, "Image too large"),
        (None, "messages.0.content.1: the image is too wide"),
        (None, "images: at most 20 are allowed"),
        (None, "Could not process image"),
        (None, "Unsupported image format"),
        (None, "image/tiff is not supported"),
        (None, "tools are not supported"),
        (None, "the file was not found"),
        (None, "The server is overloaded"),
        (None, ""),
    ],
)
def test_a_model_without_eyes_is_told_from_a_picture_that_is_wrong(kind: str | None, message: str) -> None:
    assert refused_media(message) == kind


@pytest.mark.parametrize("protocol", WIRES)
@pytest.mark.parametrize(
    ("status", "message", "error"),
    [
        (500, MMPROJ, UnsupportedError),
        (400, MMPROJ, UnsupportedError),
        (404, "No endpoints found that support image input", UnsupportedError),
        (500, "tools param requires --jinja flag", BadRequestError),
        (500, "this grammar is not supported", BadRequestError),
        (501, "This server does not do that", BadRequestError),
        (500, "Compute error.", OverloadedError),
        (503, "Loading model", OverloadedError),
        (503, "this region is not supported right now", OverloadedError),
    ],
)
def test_a_status_of_the_server_s_own_failing_is_not_gone_by_where_the_request_is_blamed(
    protocol: str, status: int, message: str, error: type[ProviderError]
) -> None:
    body = {"error": {"code": status, "message": message, "type": "server_error"}}
    found = WIRES[protocol]().failure("vendor", status, {}, json.dumps(body).encode())
    assert (type(found), found.status, found.retryable) == (error, status, error is OverloadedError)
    if isinstance(found, UnsupportedError):
        assert found.field == "image"
        assert "leave it out, or use another model" in str(found)


@pytest.mark.requirement("B29")
@pytest.mark.parametrize("vendor", ["openai", "anthropic"])
async def test_a_picture_for_a_server_without_eyes_fails_at_once_and_the_conversation_goes_on(vendor: str) -> None:
    speech = CHAT if vendor == "openai" else CLAUDE

    async def answer(exchange: Exchange) -> None:
        if b"image" in exchange.body and b"left out" not in exchange.body:
            body = {"error": {"code": 500, "message": MMPROJ, "type": "server_error"}}
            exchange.whole(json.dumps(body).encode(), status=500, headers={"content-type": "application/json"})
        else:
            exchange.whole(*speech.stream(Answer(text=("No eyes.",))), headers=speech.headers)

    async with serving(answer) as server:
        provider: Provider = OpenAI(api_key="sk-x", base_url=server.url)
        if vendor == "anthropic":
            provider = Anthropic(api_key="sk-x", base_url=server.url)
        async with Agent(provider, spec=Spec(name="m"), store="memory:").session() as session:
            with pytest.raises(UnsupportedError, match="takes no image"):
                await session.run([Text(content="What is it?"), PICTURE])
            assert len(server.requests) == 1
            assert (await session.run("And without?")).text == "No eyes."
