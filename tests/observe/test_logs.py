"""Structured logs: ids, figures and outcomes; nothing that was said, no key, no words of an error."""

import asyncio
import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from observe.spending import calls, usage, words
from observe.tracing import Traced
from ore import Agent, Spec, tool
from ore.artifact import Text, TextDelta, ToolCall
from ore.errors import AuthenticationError
from ore.ext.observe.logs import ContextFilter, JsonFormatter, LogTracer, log_json
from ore.ext.observe.tracers import Tracers
from ore.ledger import MemoryStore
from ore.testing import ScriptedProvider


class Lines:
    """What was logged, as JSON."""

    def __init__(self) -> None:
        self.stream = io.StringIO()

    @property
    def all(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]

    def of(self, event: str) -> list[dict[str, Any]]:
        return [line for line in self.all if line.get("event") == event]


@pytest.fixture
def lines() -> Iterator[Lines]:
    found, logger = Lines(), logging.getLogger("ore")
    level = logger.level
    handler = log_json(found.stream)
    yield found
    logger.removeHandler(handler)
    logger.setLevel(level)


@pytest.mark.requirement("D-logs")
async def test_each_message_inference_and_call_is_a_line_with_its_ids(lines: Lines) -> None:
    @tool
    async def look() -> str:
        """Look."""
        return "found"

    script = ScriptedProvider([ToolCall(id="c", name="look", arguments="{}"), usage(20)], [*words(1), usage(5)])
    agent = Agent(script, name="boss", tools=[look], spec=Spec(name="m"), tracer=LogTracer(), store=MemoryStore())
    async with agent.session("s1") as session:
        await session.stream("hi", id="m1").result()
        turns = session.turns
    assert [line["event"] for line in lines.all] == ["call", "inference", "inference", "message"]
    assert {(line["session"], line["message"], line["level"], line["outcome"]) for line in lines.all} == {
        ("s1", "m1", "info", "ok")
    }
    (call,) = lines.of("call")
    assert (call["tool"], call["call"], call["status"]) == ("look", f"{turns[1].id}:0", "ok")
    first, last = lines.of("inference")
    assert (first["turn"], last["turn"]) == (turns[1].id, turns[3].id)
    assert (last["provider"], last["model"], last["stop_reason"], last["prompt_tokens"]) == ("scripted", "m", "stop", 4)
    assert all(line["seconds"] >= 0 and line["time"].endswith("+00:00") for line in lines.all)
    assert lines.of("message")[0]["agent"] == "boss"


@pytest.mark.requirement("D-logs")
async def test_whatever_fails_no_line_holds_what_was_said_or_a_key(lines: Lines) -> None:
    @tool
    async def fail(x: str) -> str:
        """Fail."""
        raise ValueError(f"secret {x}")

    class Handler:
        async def handle(self, artifact: object, emitter: object) -> None:
            if artifact == Text(content="secret answer"):
                raise KeyError("secret")

    script = ScriptedProvider(
        [ToolCall(id="c", name="fail", arguments='{"x": "secret"}')],
        [TextDelta(content="secret answer")],
        [AuthenticationError("the key secret is wrong", provider="p")],
    )
    agent = Agent(script, tools=[fail], handlers=[Handler()], tracer=LogTracer(), store=MemoryStore())
    async with agent.session("s") as session:
        await session.run("secret")
        with pytest.raises(AuthenticationError):
            await session.run("secret")
    assert "secret" not in lines.stream.getvalue()
    assert [(line["level"], line.get("error")) for line in lines.of("message")] == [
        ("warning", "KeyError"),
        ("warning", "authentication"),
    ]
    assert lines.of("call")[0]["status"] == "error"
    (told,) = [line for line in lines.all if line["logger"] == "ore.calls.runner"]
    assert (told["text"], told["session"]) == ("tool 'fail' failed: ValueError", "s")
    (told,) = [line for line in lines.all if line["logger"] == "ore.session.message_run"]
    assert (told["level"], told["error"]["type"]) == ("error", "KeyError")


@pytest.mark.requirement("D-logs")
async def test_a_message_that_was_cancelled_did_not_fail(lines: Lines) -> None:
    began = asyncio.Event()

    @tool
    async def hang(prompt: str) -> str:
        """Hang."""
        began.set()
        await asyncio.Event().wait()
        return ""

    agent = Agent(ScriptedProvider(calls("hang")), tools=[hang], tracer=LogTracer())
    async with asyncio.timeout(5), agent.stream("go") as run:
        await began.wait()
        await run.cancel()
        await run.result()
    assert {(line["event"], line["outcome"], line["level"]) for line in lines.all} == {
        ("call", "cancelled", "info"),
        ("inference", "cancelled", "info"),
        ("message", "cancelled", "info"),
    }


def test_an_exception_says_its_class_its_code_and_where_it_was() -> None:
    stream = io.StringIO()
    logger = logging.getLogger("tests.observe.logs")
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    handler.addFilter(ContextFilter())
    logger.addHandler(handler)
    logger.propagate = False
    try:
        raise AuthenticationError("secret", provider="p")
    except AuthenticationError as error:
        logger.exception("it failed: %s, %d times", error, 2)
        logger.warning("no arguments: 100 %")
        logger.warning("by name: %(count)d", {"count": 1})
    logger.removeHandler(handler)
    first, *others = map(json.loads, stream.getvalue().splitlines())
    assert (first["text"], first["error"]["type"], first["error"]["code"]) == (
        "it failed: AuthenticationError, 2 times",
        "AuthenticationError",
        "authentication",
    )
    assert first["error"]["at"][-1].startswith("test_logs.py:")
    assert [other["text"] for other in others] == ["no arguments: 100 %", "by name: 1"]
    assert "secret" not in stream.getvalue()


async def test_several_tracers_are_one(lines: Lines) -> None:
    traced = Traced()
    agent = Agent(ScriptedProvider([*words(1), usage(5)]), tracer=Tracers(traced.tracer, LogTracer()))
    await agent.run("hi")
    assert traced.tree() == ("invoke_agent agent", ["chat"])
    assert [line["event"] for line in lines.all] == ["inference", "message"]
    assert traced.spans[1].attributes and traced.spans[1].attributes["gen_ai.usage.input_tokens"] == 4
