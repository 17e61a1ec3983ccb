"""What a vendor says of a refusal is shown, but for what it repeats of the request and of keys."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ore import Agent
from ore.errors import (
    AuthenticationError,
    BadRequestError,
    ModelNotFoundError,
    OverloadedError,
    PermissionDeniedError,
    ProviderError,
    ProviderTimeoutError,
    RateLimitError,
)
from ore.ext.providers import anthropic, google, ollama, openai, openai_responses
from ore.ext.providers.backoff import Backoff
from ore.ext.providers.vendor import Access, Vendor, connect
from ore.ext.providers.vendor_words import LIMIT_CHARACTERS, vendor_words
from ore.models import Spec
from ore.provider import Provider
from providers.loopback import EVENTS, Exchange, serving
from strategies import json_values

KEY = "sk-canary-0123"
PROMPT = "My canary is PURPLE-7731, near Lisbon"
SENT = json.dumps(
    {
        "model": "gpt-foo-9",
        "messages": [{"role": "user", "content": PROMPT}, {"role": "user", "content": "QUJD" * 100 + "8192"}],
        "max_tokens": 100_000,
        "tools": [{"function": {"name": "harbour_lights"}}],
    }
).encode()


def told(message: str) -> str:
    return vendor_words(json.dumps({"error": {"message": message}}).encode(), SENT, KEY)


@pytest.mark.parametrize(
    "message",
    [
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        "The model `gpt-foo-9` does not exist or you do not have access to it.",
        "max_tokens is too large: 100000. This model supports at most 16384 completion tokens",
        "messages.0.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size",
        "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ],
)
def test_what_has_to_change_is_shown_as_the_vendor_says_it(message: str) -> None:
    assert told(message) == message


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (f"Invalid 'messages[0].content': got '{PROMPT}'", ""),
        ("'messages[0].content' is too long, it begins with 'PURPLE-7731'", "with …"),
        ("the word purple7731 is not allowed here", "the word … is not allowed here"),
        ("Invalid schema for function 'harbour_lights': required is missing", "for function … required"),
        ("Incorrect API key provided: sk-can****0123. You can find it", "provided: … You can find it"),
        ("Incorrect API key provided: canary-0123. You can find it", "provided: … You can find it"),
        ("Please verify at https://vendor.example/settings/general first", "Please verify at … first"),
        ("limit of org-Ab12Cd34Ef56Gh78Ij90 reached for this model", "limit of … reached"),
    ],
)
def test_what_was_sent_and_what_looks_like_a_key_is_left_out(message: str, shown: str) -> None:
    found = told(message).lower()
    assert shown.lower() in found
    assert not any(
        word in found for word in ("purple", "7731", "canary", "lisbon", "harbour", "lights", "ab12", "0123")
    )


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ({"error": {"message": "no such field"}}, "no such field"),
        ({"error": "no such field"}, "no such field"),
        ({"message": "no such field", "object": "error"}, "no such field"),
        ([{"error": {"message": "no such field"}}], "no such field"),
        ({"detail": "no such field"}, "no such field"),
        ({"detail": [{"loc": ["body", "messages", 0], "msg": "no such field"}]}, "body.messages.0: no such field"),
        ({"error": {"code": 7}}, ""),
        ({}, ""),
    ],
)
def test_the_sentence_is_found_in_the_shapes_that_errors_have(body: Any, shown: str) -> None:
    assert vendor_words(json.dumps(body).encode(), SENT) == shown


def test_plain_text_is_a_sentence_and_a_page_or_half_an_object_is_none() -> None:
    assert vendor_words(b"no such\n field\n", SENT) == "no such field"
    assert [vendor_words(body, SENT) for body in (b"<html>no such field", b'{"error": "no', b"", b"\xff\xfe")] == [
        ""
    ] * 4


def test_of_a_long_sentence_the_beginning_is_shown() -> None:
    assert len(told("no such field " * 100)) == LIMIT_CHARACTERS


@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=7, max_size=30), st.text(max_size=40), st.text(max_size=40))
def test_a_word_that_was_sent_is_shown_nowhere(word: str, before: str, behind: str) -> None:
    word = f"q{word}x"  # no word of the protocols
    sent = json.dumps({"messages": [{"content": f"{before} {word}"}]}, ensure_ascii=False).encode()
    message = f"this is not a valid request: {before}{word}{behind} is wrong in it"
    body = json.dumps({"error": {"message": message}}).encode("utf-8", "replace")
    assert word not in vendor_words(body, sent)


@settings(max_examples=40)
@given(st.binary(max_size=100) | json_values().map(json.dumps).map(str.encode), st.binary(max_size=100))
def test_whatever_stands_in_them_it_is_a_short_line(body: bytes, sent: bytes) -> None:
    shown = vendor_words(body, sent)
    assert len(shown) <= LIMIT_CHARACTERS
    assert shown.isprintable()


PROVIDERS: dict[str, Vendor] = {
    "openai": openai.VENDOR,
    "openai-responses": openai_responses.VENDOR,
    "anthropic": anthropic.VENDOR,
    "google": google.VENDOR,
    "ollama": ollama.VENDOR,
}


def asked(vendor: str, url: str) -> Provider:
    return connect(PROVIDERS[vendor], Access(api_key=KEY, base_url=url, backoff=Backoff(attempts=1)))


async def _failure(provider: Provider, prompt: str) -> ProviderError:
    with pytest.raises(ProviderError) as raised:
        await Agent(provider, spec=Spec(name="m")).run(prompt)
    return raised.value


@pytest.mark.requirement("D-vendor-failures", "D-http-secrets")
@pytest.mark.parametrize("vendor", PROVIDERS)
@pytest.mark.parametrize(
    ("status", "kind", "shown"),
    [
        (400, BadRequestError, True),
        (404, ModelNotFoundError, True),
        (401, AuthenticationError, False),
        (402, PermissionDeniedError, True),
        (429, RateLimitError, True),
        (500, OverloadedError, True),
        (503, OverloadedError, True),
        (504, ProviderTimeoutError, True),
    ],
)
async def test_a_refused_request_says_what_the_vendor_says_and_what_to_do(
    vendor: str, status: int, kind: type[ProviderError], shown: bool
) -> None:
    async def answer(exchange: Exchange) -> None:
        body = {"error": {"message": SAID}}
        exchange.whole(json.dumps(body).encode(), status=status, headers={"content-type": "application/json"})

    async with serving(answer) as server:
        error = await _failure(asked(vendor, server.url), PROMPT)
    assert type(error) is kind
    assert (SHOWN in str(error)) is shown
    assert ("--capture" in str(error)) is (status == 400 and vendor not in ("google", "ollama"))
    assert not any(word in str(error) for word in SENT_WORDS)


SHOWN = "the vendor says: 'the lever must be pulled first, not …"
SENT_WORDS = ("canary", "PURPLE", "Lisbon")
SAID = f"the lever must be pulled first, not {PROMPT!r} by {KEY}"
CHAT = {"error": {"message": SAID, "type": "server_error"}}
INSIDE = {
    "openai-event": ("openai", [CHAT]),
    "openai-silent": ("openai", [{"choices": [{"delta": {"role": "assistant"}}]}, CHAT]),
    "openai-whole": ("openai", CHAT),
    "openai-responses-event": ("openai-responses", [{"type": "error", "code": "server_error", "message": SAID}]),
    "openai-responses-failed": (
        "openai-responses",
        [{"type": "response.failed", "response": {"status": "failed", "error": {"code": "x", "message": SAID}}}],
    ),
    "openai-responses-whole": ("openai-responses", CHAT),
    "anthropic-event": ("anthropic", [{"type": "error", "error": {"type": "api_error", "message": SAID}}]),
    "anthropic-whole": ("anthropic", {"type": "error", "error": {"type": "api_error", "message": SAID}}),
    "google-event": ("google", [{"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": SAID}}]),
    "google-whole": ("google", {"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": SAID}}),
    "google-list": ("google", [[{"error": {"code": 503, "message": SAID}}]]),
    "ollama-line": ("ollama", {"error": SAID}),
}


@pytest.mark.parametrize(("vendor", "told"), INSIDE.values(), ids=INSIDE)
async def test_so_does_an_error_inside_of_an_answer(vendor: str, told: Any) -> None:
    """With status 200, as an event or as the whole body."""

    async def answer(exchange: Exchange) -> None:
        if isinstance(told, list) and not isinstance(told[0], list):
            exchange.whole(b"".join(b"data: %b\n\n" % json.dumps(one).encode() for one in told), headers=EVENTS)
        else:
            body = told[0] if isinstance(told, list) else told
            exchange.whole(json.dumps(body).encode() + b"\n", headers={"content-type": "application/json"})

    async with serving(answer) as server:
        error = await _failure(asked(vendor, server.url), PROMPT)
    assert SHOWN in str(error)
    assert not any(word in str(error) for word in SENT_WORDS)


@pytest.mark.parametrize("begun", [{"content": "the lever"}, {"reasoning": "Pull what?"}])
async def test_once_the_model_has_begun_a_sentence_may_be_its_own_and_is_not_shown(begun: dict[str, str]) -> None:
    async def answer(exchange: Exchange) -> None:
        told = [{"choices": [{"delta": begun}]}, {"error": {"message": "cannot parse 'the lever'", "code": 500}}]
        exchange.whole(b"".join(b"data: %b\n\n" % json.dumps(one).encode() for one in told), headers=EVENTS)

    async with serving(answer) as server:
        error = await _failure(asked("openai", server.url), PROMPT)
    assert type(error) is OverloadedError
    assert "lever" not in str(error)
