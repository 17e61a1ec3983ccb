"""A span for each call, inside that of the inference, without a word of what was said."""

import asyncio
import contextvars
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from calls.stage import Stage, ask
from ore.artifact import Cut, TruncationStyle
from ore.calls import CallHandler
from ore.event import Attribute, Span
from ore.loop import Step, StepHooks
from ore.models import Spec
from ore.provider import WithTools
from ore.testing.scripted import ScriptedProvider
from ore.tool import tool

OPEN: contextvars.ContextVar[tuple[str, ...]] = contextvars.ContextVar("open", default=())


class Noted:
    """A span that keeps what it is told."""

    def __init__(self, name: str, facts: dict[str, Attribute]) -> None:
        self.name = name
        self.inside = OPEN.get()
        self.facts = facts
        self.errors: list[BaseException] = []
        self.ended = 0

    def set(self, name: str, value: Attribute) -> None:
        self.facts[name] = value

    def fail(self, error: BaseException) -> None:
        self.errors.append(error)


class Notebook:
    """A tracer that keeps its spans."""

    def __init__(self) -> None:
        self.spans: list[Noted] = []

    @contextmanager
    def span(self, name: str, **attributes: Attribute) -> Iterator[Span]:
        noted = Noted(name, attributes)
        self.spans.append(noted)
        token = OPEN.set((*OPEN.get(), name))
        try:
            yield noted
        finally:
            OPEN.reset(token)
            noted.ended += 1


def stage(notebook: Notebook, *functions: Any, cut: Cut | None = None) -> Stage:
    made = Stage(*(tool(function, cut=cut) for function in functions), handler=CallHandler(tracer=notebook))
    made.step = Step(
        made.state,
        hooks=StepHooks(handlers=(made.handler,), tracer=notebook),
        options=(WithTools(made.tools),),
    )
    return made


@pytest.mark.requirement("C177")
async def test_what_was_cut_stands_on_the_span_of_the_call() -> None:
    async def read() -> str:
        return "secret\n" * 10

    notebook = Notebook()
    turn = await stage(notebook, read, cut=Cut(max_lines=2, style=TruncationStyle.HEAD)).turn(ask("read"))
    inference, call = notebook.spans
    assert (call.name, call.inside, call.ended) == ("tool.execute", (inference.name,), 1)
    assert call.facts == {
        "tool.name": "read",
        "tool.key": f"{turn.id}:0",
        "tool.status": "ok",
        "tool.truncated": True,
        "tool.truncation.original_bytes": 70,
        "tool.truncation.original_lines": 10,
        "tool.truncation.shown_bytes": 14,
        "tool.truncation.shown_lines": 2,
        "tool.truncation.style": "head",
    }
    assert call.errors == []


async def test_a_call_that_fails_fails_its_span_without_its_words() -> None:
    async def fail() -> None:
        raise ValueError("secret")

    notebook = Notebook()
    await stage(notebook, fail).turn(ask("fail"))
    call = notebook.spans[-1]
    assert (call.facts["tool.status"], call.facts["tool.truncated"], len(call.errors)) == ("error", False, 1)
    assert "secret" not in str(call.errors[0])


@pytest.mark.requirement("B60")
async def test_a_blocking_tool_runs_inside_the_span_of_its_call() -> None:
    def look() -> str:
        return " > ".join(OPEN.get())

    made = stage(Notebook(), look)
    await made.turn(ask("look"))
    assert made.last_results[0].content == "loop.turn > tool.execute"


async def test_every_span_ends_when_calls_are_cut() -> None:
    ready = asyncio.Barrier(3)

    async def hang() -> None:
        await ready.wait()
        await asyncio.Event().wait()

    notebook = Notebook()
    made = stage(notebook, hang)
    async with asyncio.timeout(5):
        task = asyncio.create_task(made.step.turn(made.state, Spec(), ScriptedProvider([ask("hang"), ask("hang")])))
        await ready.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert [span.ended for span in notebook.spans] == [1, 1, 1]
