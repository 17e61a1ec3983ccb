"""A key, a prompt, and what tools and files hold are in no error, log or trace, however a server repeats them."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from observe.tracing import Traced
from ore import Agent, File, Text
from ore.artifact import Notice, ResultStatus, ToolCall, ToolResult
from ore.errors import ProviderError
from ore.event import ErrorEvent
from ore.ledger import Buffer, Role
from ore.models import Spec
from providers.loopback import Exchange, serving
from providers.test_failing_vendors import KINDS, Kind, provider
from providers.vendor_answers import JSON

PROMPT = "My canary is PURPLE-7731, kept near Lisbon"
RESULT = "the vault opens with QUARTZ-4410"
ANSWER = "I remember OCELOT-9083"
FILE = "notes: HERON-5526"
SECRETS = ("sk-can", "canary", "purple", "lisbon", "vault", "quartz", "ocelot", "heron")

Shape = Callable[[str], Any]
SHAPES: dict[str, Shape] = {
    "openai": lambda said: {"error": {"message": said, "type": "invalid_request_error", "param": said, "code": said}},
    "anthropic": lambda said: {"type": "error", "error": {"type": "invalid_request_error", "message": said}},
    "google": lambda said: [{"error": {"code": 400, "message": said, "status": "INVALID_ARGUMENT"}}],
    "bare": lambda said: {"error": said},
    "fastapi": lambda said: {"detail": [{"loc": ["body", said], "msg": said, "input": said}]},
    "top": lambda said: {"object": "error", "message": said, "code": 400},
    "text": lambda said: said,
}
STATUSES = (400, 404, 403, 422, 401, 500, 429)


def history() -> Buffer:
    state = Buffer()
    state.add(Role.USER, Text(content=PROMPT), File(data=FILE.encode(), media_type="text/plain", name="n.txt"))
    call = ToolCall(id="call_1", name="open_vault", arguments='{"word": "QUARTZ-4410"}')
    state.add(Role.ASSISTANT, Text(content=ANSWER), call)
    state.add(Role.TOOL, ToolResult(tool_call_id="call_1", content=RESULT, status=ResultStatus.OK))
    return state


def said_of(exchange: Exchange, cut: int) -> str:
    """What a server that repeats everything says, in whole, in small letters, or in pieces."""
    keys = " ".join(value for name, value in exchange.headers.items() if name in ("authorization", "x-api-key"))
    whole = f"not valid: {exchange.body.decode()} for {keys or exchange.target} {PROMPT} {RESULT} {ANSWER} {FILE}"
    return (whole, whole.lower(), f"unexpected value PURPLE-77 in it, sk-can, vaul and {PROMPT[:20]!r}", PROMPT)[cut]


async def failed(kind: Kind, answer: Callable[[Exchange], None], caplog: pytest.LogCaptureFixture) -> str:
    """Everything that a failure leaves behind it, in one text."""
    caplog.set_level(0)
    traced = Traced()
    left: list[str] = []

    async def answering(exchange: Exchange) -> None:
        answer(exchange)

    async with serving(answering) as server, asyncio.timeout(10):
        agent = Agent(provider(kind, server.url), spec=Spec(name=kind.model), tracer=traced.tracer, store="memory:")
        async with agent.session() as session:
            await session.handle.history.load(history().turns)
            run = session.stream("Go on.")
            async for entry in run.events("error", "notice", "lifecycle"):
                left += [entry.json.decode()] if isinstance(entry.event, ErrorEvent | Notice) else []
            with pytest.raises(ProviderError) as caught:
                await run.result()
    error = caught.value
    left += [str(error), repr(error), repr(error.args), repr(vars(error)), repr(error.__cause__), caplog.text]
    left += [span.to_json() for span in traced.spans]
    return "\n".join(left).lower()


@pytest.mark.requirement("D-http-secrets", "D-vendor-failures")
@pytest.mark.parametrize("vendor", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
async def test_what_a_server_repeats_of_a_request_that_it_refuses_is_shown_nowhere(
    vendor: str, shape: str, caplog: pytest.LogCaptureFixture
) -> None:
    for number, status in enumerate(STATUSES, start=len(shape) + len(vendor)):

        def answer(exchange: Exchange, number: int = number, status: int = status) -> None:
            body = SHAPES[shape](said_of(exchange, number % 4))
            raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            exchange.whole(raw, status=status, headers={**JSON, "retry-after": "0"})

        left = await failed(KINDS[vendor], answer, caplog)
        assert [secret for secret in SECRETS if secret in left] == [], (status, number % 4)
        caplog.clear()


@pytest.mark.requirement("D-http-secrets", "D-vendor-failures")
@pytest.mark.parametrize("vendor", KINDS)
async def test_what_a_server_repeats_inside_an_answer_is_shown_nowhere(
    vendor: str, caplog: pytest.LogCaptureFixture
) -> None:
    kind = KINDS[vendor]
    for cut, shape in enumerate(("openai", "anthropic", "google", "bare")):

        def answer(exchange: Exchange, cut: int = cut, shape: str = shape) -> None:
            exchange.head(headers=kind.speech.headers)
            fault = json.dumps(SHAPES[shape](said_of(exchange, cut)))
            exchange.send(f"{fault}\n".encode() if vendor == "ollama" else f"event: error\ndata: {fault}\n\n".encode())
            exchange.end()

        left = await failed(kind, answer, caplog)
        assert [secret for secret in SECRETS if secret in left] == [], (shape, cut)
        caplog.clear()
