"""Traces and metrics by OpenTelemetry's conventions: one tree, the right names, nothing that was said."""

import asyncio
import gc
import json
import logging
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import pytest
from opentelemetry import context as contexts
from opentelemetry import trace
from opentelemetry.trace import SpanKind, StatusCode

from observe.spending import calls, usage, words
from observe.tracing import Traced
from ore import Agent, Spec
from ore.agent import AgentSpec
from ore.artifact import Artifact, Image, Reasoning, StopReason, Text, TextDelta, ToolCall, Usage
from ore.errors import RateLimitError
from ore.event import provenance
from ore.ext.observe.otel import SizeMetrics, TraceContent
from ore.ledger import MemoryStore
from ore.session import Manager, Services
from ore.testing import ScriptedProvider

TREE = (
    "invoke_agent boss",
    [
        (
            "chat scripted-1",
            [
                (
                    "execute_tool helper",
                    [("invoke_agent helper", [("chat small", ["execute_tool look"]), "chat small"])],
                ),
                "execute_tool look",
                "execute_tool slow",
            ],
        ),
        "chat scripted-1",
    ],
)


async def look(prompt: str = "", x: str = "") -> str:
    """Look."""
    await asyncio.sleep(0)
    return "secret-result"


def slow() -> str:
    """Look in a thread."""
    with trace.get_tracer("tool").start_as_current_span("never-recorded"):
        return "secret-result"


def family(traced: Traced, **options: Any) -> Agent:
    """An agent that calls another one and two tools at once."""
    helper = Agent(
        ScriptedProvider([ToolCall(id="h", name="look", arguments='{"x": "secret"}'), usage(5)], [*words(1), usage(5)]),
        name="helper",
        description="Helps.",
        tools=[look],
        spec=Spec(name="small"),
        instructions="secret-instructions",
    )
    ask = ToolCall(id="c0", name="helper", arguments='{"prompt": "secret-prompt"}')
    both = [ToolCall(id=f"c{n}", name=name, arguments="{}") for n, name in enumerate(("look", "slow"), 1)]
    script = ScriptedProvider(
        [Reasoning(content="secret-thought"), ask, *both, usage(20)], [TextDelta(content="secret-answer"), usage(30)]
    )
    return Agent(
        script,
        name="boss",
        tools=[helper.as_tool(), look, slow],
        spec=Spec(name="scripted-1", temperature=0.5, max_output_tokens=99, top_k=4),
        tracer=traced.tracer,
        **options,
    )


# ── One tree ─────────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-trace-tree")
async def test_a_session_with_parallel_tools_and_a_sub_agent_is_one_tree_with_the_conventions_names() -> None:
    traced = Traced()
    result = await family(traced).run("secret-question")
    assert result.text == "secret-answer"
    assert traced.tree() == TREE
    assert len({span.context.trace_id for span in traced.spans if span.context}) == 1
    assert {span.name: span.kind for span in traced.spans} == {
        "invoke_agent boss": SpanKind.INTERNAL,
        "invoke_agent helper": SpanKind.INTERNAL,
        "chat scripted-1": SpanKind.INTERNAL,  # it answers in this process
        "chat small": SpanKind.INTERNAL,
        "execute_tool helper": SpanKind.INTERNAL,
        "execute_tool look": SpanKind.INTERNAL,
        "execute_tool slow": SpanKind.INTERNAL,
    }
    assert {span.status.status_code for span in traced.spans} == {StatusCode.UNSET}


@pytest.mark.requirement("D-trace-tree")
async def test_spans_have_the_conventions_attributes() -> None:
    traced = Traced()
    async with family(traced).session("conversation", store=MemoryStore()) as session:
        run = session.stream("hi", id="m1")
        await run.result()
    (root,) = traced.roots
    chat, last = traced.below(root)
    common = {"gen_ai.conversation.id": "conversation", "ore.message.id": "m1"}
    assert dict(root.attributes or {}) == common | {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "boss",
        "gen_ai.provider.name": "scripted",
        "gen_ai.request.model": "scripted-1",
        "gen_ai.usage.input_tokens": 19 + 29,
        "gen_ai.usage.output_tokens": 2,
        "ore.agent.pattern": "react",
    }
    told = dict(last.attributes or {})
    assert 0 <= told.pop("gen_ai.response.time_to_first_chunk") < 10  # type: ignore[operator]
    assert told == common | {
        "ore.turn.id": session.turns[-1].id,
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "scripted",
        "gen_ai.request.model": "scripted-1",
        "gen_ai.request.max_tokens": 99,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.top_k": 4.0,
        "gen_ai.request.stream": True,
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 29,
        "gen_ai.usage.output_tokens": 1,
    }
    assert (chat.attributes or {})["gen_ai.response.finish_reasons"] == ("tool_call",)
    (looked,) = [span for span in traced.below(chat) if span.name == "execute_tool look"]
    found = dict(looked.attributes or {})
    assert found.pop("gen_ai.tool.call.id") == f"{session.turns[1].id}:1"
    assert found == common | {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "look",
        "gen_ai.tool.type": "function",
        "gen_ai.agent.name": "boss",
        "ore.tool.status": "ok",
        "ore.tool.truncated": False,
    }


async def test_an_inference_ends_when_its_answer_does_and_its_calls_are_below_it_all_the_same() -> None:
    traced = Traced()
    await family(traced).run("hi")
    chat, _ = traced.below(traced.roots[0])
    assert chat.end_time is not None
    assert all((span.start_time or 0) >= chat.end_time for span in traced.below(chat))


@pytest.mark.requirement("B102")
async def test_the_chain_goes_from_a_request_to_the_tool_in_this_process_and_from_another_one() -> None:
    """http, then the message, then its inference, then its tool."""
    traced = Traced()
    tracer = traced.provider.get_tracer("http")
    with tracer.start_as_current_span("POST /messages"):
        agent = Agent(
            ScriptedProvider([*calls("look"), usage(2)], words(1), repeat=True),
            tools=[look],
            tracer=traced.tracer,
            store=MemoryStore(),
        )
        async with agent.session("s") as session:
            await session.run("hi")
    assert traced.tree() == (
        "POST /messages",
        [("invoke_agent agent", [("chat", ["execute_tool look"]), "chat"])],
    )
    other = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    with provenance("http", traceparent=other):
        await agent.run("hi")
    (last,) = (span for span in traced.roots if span.name == "invoke_agent agent")
    assert last.parent is not None
    assert f"{last.parent.trace_id:032x}-{last.parent.span_id:016x}" in other


# ── However it ends ──────────────────────────────────────────────────────────


@pytest.mark.requirement("B102")
async def test_every_span_ends_once_whoever_leaves_and_nothing_is_detached_wrongly(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Consumers break, are cancelled, close from another task, or just drop what they read."""
    traced = Traced()
    hold = asyncio.Event()
    with caplog.at_level(logging.DEBUG):
        for number in range(100):
            agent = Agent(
                ScriptedProvider([TextDelta(content="a"), hold, TextDelta(content="b")]), tracer=traced.tracer
            )
            async with asyncio.timeout(5):
                await (_broken, _cancelled, _closed_elsewhere, _dropped)[number % 4](agent)
        gc.collect()
        await asyncio.sleep(0)
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []
    assert (traced.begun.count, len(traced.spans)) == (200, 200)
    assert all(span.end_time for span in traced.spans)
    assert {(span.status.status_code, (span.attributes or {})["ore.cancelled"]) for span in traced.spans} == {
        (StatusCode.UNSET, True)
    }
    assert not trace.get_current_span().get_span_context().is_valid
    assert contexts.get_current() == {}


async def _broken(agent: Agent) -> None:
    async with agent.stream("go") as run:
        async for _ in run.text():
            break


async def _cancelled(agent: Agent) -> None:
    reached = asyncio.Event()

    async def read() -> None:
        async with agent.stream("go") as run, aclosing(run.text()) as pieces:
            async for _ in pieces:
                reached.set()

    task = asyncio.create_task(read())
    await reached.wait()
    task.cancel()
    await asyncio.wait((task,))


async def _closed_elsewhere(agent: Agent) -> None:
    async with agent.stream("go") as run:
        pieces = run.text()
        await anext(pieces)
        await asyncio.create_task(_close(pieces))


async def _close(pieces: AsyncGenerator[str, None]) -> None:
    await pieces.aclose()


async def _dropped(agent: Agent) -> None:
    async with agent.stream("go") as run:
        pieces = run.text()
        await anext(pieces)
        del pieces


@pytest.mark.requirement("D-trace-errors")
async def test_a_failure_says_its_code_and_not_its_words() -> None:
    traced = Traced()
    agent = Agent(ScriptedProvider([RateLimitError("secret", provider="p")]), tracer=traced.tracer)
    with pytest.raises(RateLimitError):
        await agent.run("hi")
    root, chat = traced.spans
    for span in (root, chat):
        assert (span.status.status_code, span.status.description, span.events) == (StatusCode.ERROR, None, ())
        assert (span.attributes or {})["error.type"] == "rate_limit"


@pytest.mark.requirement("D-trace-errors")
async def test_a_call_that_fails_fails_its_own_span_alone() -> None:
    traced = Traced()

    async def fail() -> str:
        """Fail."""
        raise ValueError("secret")

    await Agent(ScriptedProvider(calls("fail"), words(1)), tools=[fail], tracer=traced.tracer).run("hi")
    failed = {span.name: (span.attributes or {}).get("error.type") for span in traced.spans}
    assert failed == {"invoke_agent agent": None, "chat": None, "execute_tool fail": "error"}


@pytest.mark.requirement("D-trace-errors")
async def test_what_fails_behind_a_whole_answer_is_not_the_models_failure() -> None:
    traced = Traced()

    class Handler:
        async def handle(self, artifact: Artifact, emitter: object) -> None:
            if isinstance(artifact, ToolCall):
                raise RuntimeError("secret")

    agent = Agent(ScriptedProvider(calls("none")), handlers=[Handler()], tracer=traced.tracer)
    with pytest.raises(RuntimeError):
        await agent.run("hi")
    root, chat = traced.spans
    assert ((root.attributes or {})["error.type"], "error.type" in (chat.attributes or {})) == ("RuntimeError", False)


# ── Content ──────────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-trace-content")
async def test_no_span_and_no_metric_holds_what_was_said() -> None:
    traced = Traced()
    await family(traced).run("secret-question")
    assert "secret" not in " ".join(span.to_json() for span in traced.spans)
    assert "secret" not in str(traced.metrics())


@pytest.mark.requirement("D-trace-content")
async def test_whoever_asks_for_content_gets_it_as_the_conventions_have_it() -> None:
    traced = Traced()
    content = TraceContent()
    agent = family(traced, transforms=[content], handlers=[content], instructions="Be brief.")
    await agent.run([Text(content="What?"), Image(data=b"bytes", media_type="image/png")])
    chat, last = traced.below(traced.roots[0])

    def read(span: Any, name: str) -> Any:
        return json.loads((span.attributes or {})[name])

    assert read(chat, "gen_ai.system_instructions") == [{"type": "text", "content": "Be brief."}]
    assert read(chat, "gen_ai.input.messages") == [
        {
            "role": "user",
            "parts": [
                {"type": "text", "content": "What?"},
                {"type": "uri", "modality": "image", "mime_type": "image/png", "uri": None},
            ],
        }
    ]
    (answer,) = read(chat, "gen_ai.output.messages")
    assert (answer["role"], answer["finish_reason"], len(answer["parts"])) == ("assistant", "tool_call", 4)
    assert answer["parts"][0] == {"type": "reasoning", "content": "secret-thought"}
    assert answer["parts"][1] == {
        "type": "tool_call",
        "id": "c0",
        "name": "helper",
        "arguments": {"prompt": "secret-prompt"},
    }
    results = read(last, "gen_ai.input.messages")[-1]
    assert results["parts"][1] == {"type": "tool_call_response", "id": "c1", "result": "secret-result"}


# ── Metrics ──────────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-trace-metrics")
async def test_metrics_have_the_conventions_names_and_attributes() -> None:
    traced = Traced()
    await family(traced).run("hi")
    told = traced.metrics()
    assert sorted(told) == [
        "gen_ai.client.operation.duration",
        "gen_ai.client.operation.time_to_first_chunk",
        "gen_ai.client.token.usage",
        "gen_ai.execute_tool.duration",
        "gen_ai.invoke_agent.duration",
    ]
    boss = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "scripted",
        "gen_ai.request.model": "scripted-1",
    }
    assert (boss, 2) in [(known, point.count) for known, point in told["gen_ai.client.operation.duration"]]
    assert (boss | {"gen_ai.token.type": "input"}, 48) in [
        (known, point.sum) for known, point in told["gen_ai.client.token.usage"]
    ]
    assert {known["gen_ai.agent.name"] for known, _ in told["gen_ai.invoke_agent.duration"]} == {"boss", "helper"}
    assert sorted(
        (known["gen_ai.agent.name"], known["gen_ai.tool.name"], point.count)
        for known, point in told["gen_ai.execute_tool.duration"]
    ) == [("boss", "helper", 1), ("boss", "look", 1), ("boss", "slow", 1), ("helper", "look", 1)]
    tokens = told["gen_ai.client.token.usage"][0][1]
    assert tuple(tokens.explicit_bounds)[:4] == (1, 4, 16, 64)


@pytest.mark.requirement("D-trace-metrics")
async def test_an_inference_that_fails_is_counted_with_its_error_and_without_tokens() -> None:
    traced = Traced()
    agent = Agent(ScriptedProvider([RateLimitError("no", provider="p")]), tracer=traced.tracer)
    with pytest.raises(RateLimitError):
        await agent.run("hi")
    told = traced.metrics()
    assert "gen_ai.client.token.usage" not in told
    assert [known["error.type"] for known, _ in told["gen_ai.client.operation.duration"]] == ["rate_limit"]


@pytest.mark.requirement("D-trace-metrics")
async def test_bytes_are_counted_by_kind_as_sent_and_received() -> None:
    """What has no size leaves no point; other events are passed over."""
    traced = Traced()
    provider = ScriptedProvider([*calls("look"), Usage()], [Text(content="four"), StopReason(reason="stop")])
    spec = Agent(provider, tools=[look]).spec()
    manager = Manager(spec, services=Services(tracer=traced.tracer))
    manager.register_sink(SizeMetrics(traced.meters))
    stream = await manager.create()
    await stream.process("hello")
    await manager.close_all()
    told = traced.metrics()
    assert {(known["artifact.kind"], known["role"]): point.value for known, point in told["llm.bytes.sent"]} == {
        ("text", "user"): 5,
        ("tool_result", "tool"): len("secret-result"),
    }
    received = {(known["artifact.kind"], known["role"]): point.value for known, point in told["llm.bytes.received"]}
    assert (received["text", "assistant"], received["tool_call", "assistant"]) == (4, len('{"prompt": "go"}'))
    assert ("usage", "assistant") not in received


@pytest.mark.requirement("D-trace-off")
def test_nothing_of_opentelemetry_is_imported_while_it_is_off_and_only_its_api_when_it_is_on() -> None:
    off = (
        "import sys, ore, ore.app, ore.ext.observe.budget, ore.ext.observe.usage, ore.ext.observe.analytics_table, "
        "ore.ext.observe.logs, ore.ext.observe.tracers, ore.cli.main\n"
        "from ore import Agent\nfrom ore.testing import ScriptedProvider\nfrom ore.artifact import TextDelta\n"
        "assert Agent(ScriptedProvider([TextDelta(content='x')])).run_sync('hi').text == 'x'\n"
        "assert not [name for name in sys.modules if name.startswith('opentelemetry')]\n"
    )
    on = (
        "import sys, ore.ext.observe.otel as otel\notel.OpenTelemetry()\n"
        "beyond = ('opentelemetry.sdk', 'opentelemetry.exporter')\n"
        "assert not [name for name in sys.modules if name.startswith(beyond)]\n"
    )
    for program in (off, on):
        subprocess.run([sys.executable, "-c", program], check=True)


async def test_without_an_sdk_nothing_happens_and_nothing_fails() -> None:
    from ore.ext.observe.otel import OpenTelemetry

    SizeMetrics()
    agent = AgentSpec(name="a", provider=ScriptedProvider(words(1)))
    manager = Manager(agent, services=Services(tracer=OpenTelemetry()))
    stream = await manager.create()
    assert (await stream.process("hi")).status == "done"
    await manager.close_all()
