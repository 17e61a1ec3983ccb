"""Traces that go through the server, and its log of requests."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from http_conduit.client import Client
from http_conduit.conftest import Serve
from ore.agent import AgentSpec
from ore.artifact import TextDelta
from ore.event import current_context
from ore.ext.conduits.http import HttpOptions, http_app
from ore.session import Manager, Services
from ore.testing import ScriptedProvider

HELLO = [TextDelta(content="Hello")]
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.mark.requirement("D-http-trace")
async def test_a_trace_goes_on_in_every_event_and_comes_back_in_the_answer(serve: Serve) -> None:
    on = await serve(HELLO)
    session = await on.session()
    path = f"/sessions/{session}/messages"
    answer = await on.client.post(path, {"content": "hi"}, headers={"traceparent": TRACE})
    assert {line["context"]["traceparent"] for line in answer.lines} == {TRACE}
    assert answer.headers["traceparent"] == TRACE
    later = await on.say(session)
    assert not any("traceparent" in line["context"] for line in later.lines)


@pytest.mark.parametrize(
    "given",
    [
        *(
            "",
            "x",
            TRACE[:-1],
            TRACE + "0",
            TRACE + "-more",
            TRACE.replace("0af7651916cd43dd8448eb211c80319c", "0" * 32),
        ),
        *(
            TRACE.replace("b7ad6b7169203331", "0" * 16),
            TRACE.upper(),
            "ff" + TRACE[2:],
            "01" + TRACE[2:] + "-" + "x" * 200,
        ),
    ],
)
async def test_what_is_no_trace_is_passed_over(serve: Serve, given: str) -> None:
    on = await serve(HELLO)
    answer = await on.client.post(
        f"/sessions/{await on.session()}/messages", {"content": "hi"}, headers={"traceparent": given}
    )
    assert not any("traceparent" in line["context"] for line in answer.lines)
    assert "traceparent" not in answer.headers


class Spans:
    """A tracer that notes what is begun, inside which trace."""

    def __init__(self) -> None:
        self.begun: list[tuple[str, Any, str | None]] = []

    @contextmanager
    def span(self, name: str, **facts: Any) -> Iterator[Any]:
        self.begun.append((name, facts, current_context().traceparent))
        yield self

    def set(self, name: str, value: Any) -> None: ...

    def fail(self, error: BaseException) -> None: ...


@pytest.mark.requirement("D-http-trace")
async def test_a_request_is_a_span_of_the_trace_that_it_belongs_to() -> None:
    spans = Spans()
    spec = AgentSpec(name="agent", provider=ScriptedProvider(HELLO, repeat=True))
    async with Manager(spec, services=Services(tracer=spans)) as sessions:
        client = Client(http_app(sessions), headers={"traceparent": TRACE})
        session = (await client.post("/sessions")).json["id"]
        await client.post(f"/sessions/{session}/messages", {"content": "secret"})
    facts = {"http.request.method": "POST", "http.route": "/sessions/{id}/messages"}
    assert spans.begun[1] == ("POST /sessions/{id}/messages", facts, TRACE)
    assert ("agent.run", TRACE) in [(name, trace) for name, _, trace in spans.begun[2:]]
    assert "secret" not in repr(spans.begun)


async def test_requests_are_logged_without_what_they_held(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "ore.http.access")
    on = await serve(HELLO, options=HttpOptions(token="s3cret"))
    on.client.headers["authorization"] = "Bearer s3cret"
    session = await on.session(metadata={"a": "private"})
    await on.say(session, "private")
    await on.client.get("/?token=s3cret")
    await on.client.get("/threads?q=private")
    await on.client.get("/a%0Ab", headers={"host": "evil.example"})
    lines = [record.getMessage().rpartition(" ")[0].rpartition(" ")[0] for record in caplog.records]
    assert lines == [
        "POST '/sessions' 201",
        f"POST '/sessions/{session}/messages' 200",
        "GET '/' 303",
        "GET '/threads' 200",
        "GET '/a\\nb' 403",
    ]
    caplog.clear()
    quiet = await serve(options=replace(HttpOptions(), access_log=False))
    await quiet.session()
    assert not caplog.records
