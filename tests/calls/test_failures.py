"""A tool that fails, in whatever way, gives an error result; the loop goes on."""

import asyncio
import logging
import subprocess
from collections.abc import Mapping
from typing import Any

import pytest

from calls.stage import Stage, ask
from ore.artifact import Cut, ResultStatus, StopReason, ToolResult
from ore.calls import CallHandler, CallLimits
from ore.errors import ToolError
from ore.ledger import Role
from ore.tool import SchemaBody, Tool, ToolContext, Traits, tool


class Halt(BaseException):
    """Not an `Exception`: some libraries have such."""


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("has no text")


def raising(error: BaseException, *, blocking: bool, cut: Cut | None = None) -> Stage:
    """A stage with one tool, `fail`, that raises."""

    def fail() -> None:
        raise error

    async def fail_later() -> None:
        raise error

    return Stage(tool(fail if blocking else fail_later, name="fail", cut=cut))


@pytest.mark.requirement("L21", "N15", "C166")
@pytest.mark.parametrize("blocking", [False, True])
@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ValueError("no such city"), "ValueError: no such city"),
        (KeyError("city"), "KeyError: 'city'"),
        (TimeoutError(), "TimeoutError"),
        (ToolError("say it differently"), "say it differently"),
        (ToolError(""), "ToolError"),
        (Mute(), "Mute"),
        (ValueError("x\ud800y"), "ValueError: x\ufffdy"),
        (ExceptionGroup("two", [ValueError("a"), ExceptionGroup("b", [OSError("c")])]), "ValueError: a; OSError: c"),
        (RecursionError("too deep"), "RecursionError: too deep"),
        (MemoryError(), "MemoryError"),
    ],
)
async def test_whatever_a_tool_raises_is_an_error_result(error: Exception, message: str, blocking: bool) -> None:
    async with asyncio.timeout(5):
        result = await raising(error, blocking=blocking).result("fail")
    content = '{"error":"%s"}\n\n**Error:** %s' % (message, message)  # noqa: UP031  # braces of JSON
    assert result == ToolResult(tool_call_id="c", content=content, is_error=True, status=ResultStatus.ERROR)


@pytest.mark.parametrize("blocking", [False, True])
@pytest.mark.parametrize(
    "error", [SystemExit(2), Halt(), asyncio.CancelledError(), StopIteration(), StopAsyncIteration()]
)
async def test_what_would_end_the_program_elsewhere_ends_only_the_call(error: BaseException, blocking: bool) -> None:
    """Command line parsers exit, and a future that somebody else cancelled raises a cancellation."""

    @tool
    async def fine() -> str:
        return "fine"

    stage = Stage(fine, *raising(error, blocking=blocking).tools)
    async with asyncio.timeout(5):
        first, failed, last = await stage.results(ask("fine"), ask("fail"), ask("fine"))
    assert (first.content, last.content) == ("fine", "fine")
    assert failed.status is ResultStatus.ERROR
    assert any(word in failed.content for word in (type(error).__name__, "cancelled from inside"))


async def test_a_tool_that_cancels_its_own_task_ends_only_the_call() -> None:
    """As libraries do that know no other way to time out."""

    @tool
    async def gives_up() -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)

    @tool
    async def fine() -> str:
        return "fine"

    async with asyncio.timeout(5):
        first, second = await Stage(gives_up, fine).results(ask("gives_up"), ask("fine"))
    assert (first.status, second.content) == (ResultStatus.ERROR, "fine")
    assert "cancelled from inside" in first.content


async def test_a_keyboard_interrupt_in_a_thread_ends_only_the_call() -> None:
    """Python itself raises it in the main thread alone."""
    async with asyncio.timeout(5):
        result = await raising(KeyboardInterrupt(), blocking=True).result("fail")
    assert "KeyboardInterrupt" in result.content


def test_a_keyboard_interrupt_on_the_loop_ends_the_program() -> None:
    """Nothing is recorded then: to the next process it is a crash like any other."""
    stage = raising(KeyboardInterrupt(), blocking=False)
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(stage.turn(ask("fail")))
    assert stage.log == ["turn:assistant+start"]


async def test_a_tool_may_say_what_it_came_to_before_it_failed() -> None:
    error = ToolError("the third host did not answer", result={"hosts": ["a", "b"]})
    result = await raising(error, blocking=False).result("fail")
    assert result.content == '{"hosts":["a","b"]}\n\n**Error:** the third host did not answer'


@pytest.mark.parametrize("partial", [object(), [object()], float])
async def test_a_part_that_cannot_be_shown_does_not_hide_the_error(partial: object) -> None:
    result = await raising(ToolError("failed", result=partial), blocking=False).result("fail")
    assert result.content == '{"error":"failed"}\n\n**Error:** failed'


class Table:
    def for_model(self) -> str:
        return "a,b"

    def for_human(self) -> str:
        return "| a | b |"


async def test_people_see_their_own_text_of_a_part_and_the_error() -> None:
    result = await raising(ToolError("cut off", result=Table()), blocking=False).result("fail")
    assert (result.content, result.display) == ("a,b\n\n**Error:** cut off", "| a | b |\n\n**Error:** cut off")


@pytest.mark.requirement("D-calls-footer")
async def test_the_error_survives_the_cut() -> None:
    error = ToolError("disk full", result="x" * 1000)
    result = await raising(error, blocking=False, cut=Cut(max_bytes=10)).result("fail")
    assert result.content.startswith("xxxxxxxxxx\n\n[output cut: ")
    assert result.content.endswith("\n\n**Error:** disk full")
    assert result.truncation is not None


async def test_a_giant_message_is_no_way_around_the_limit() -> None:
    """Errors of subprocesses carry all of their output."""
    result = await raising(ValueError("x" * 10_000_000), blocking=False).result("fail")
    assert len(result.content) < 53_000


@pytest.mark.requirement("C161", "B30")
async def test_an_unknown_tool_is_answered_with_the_known_ones() -> None:
    @tool
    async def noop() -> None: ...

    result = await Stage(noop, tool(noop_too, name="other")).result("frob")
    content = "tool 'frob' not found; the tools are: noop, other"
    assert result == ToolResult(tool_call_id="c", content=content, is_error=True, status=ResultStatus.ERROR)


async def noop_too() -> None: ...


async def test_without_tools_a_call_is_answered_too() -> None:
    assert (await Stage().result("frob")).content == "tool 'frob' not found; the tools are: none"


@pytest.mark.requirement("C161", "B07")
@pytest.mark.parametrize(
    ("arguments", "named"),
    [("", "x: missing"), ("{", "not valid JSON"), ("[1]", "array"), ('{"x": "a"}', "x: "), ('{"x": 1, "y": 2}', "y: ")],
)
async def test_arguments_that_do_not_fit_are_an_error_for_the_model(arguments: str, named: str) -> None:
    ran = False

    @tool
    async def need(x: int) -> int:
        nonlocal ran
        ran = True
        return x

    result = await Stage(need).result("need", arguments)
    assert (result.status, ran) == (ResultStatus.ERROR, False)
    assert named in result.content


@pytest.mark.requirement("B07")
async def test_no_arguments_are_an_empty_object() -> None:
    @tool
    async def ping() -> str:
        return "pong"

    assert (await Stage(ping).result("ping", "")).content == "pong"


class Strange:
    """A body whose reader fails in a way of its own."""

    schema: Mapping[str, Any] = {}
    blocking = False

    def parse(self, arguments: str) -> Mapping[str, Any]:
        raise ZeroDivisionError("odd")

    async def call(self, context: ToolContext, arguments: Mapping[str, Any]) -> None: ...


async def test_a_body_that_cannot_read_its_arguments_is_an_error_too() -> None:
    result = await Stage(Tool(name="odd", description="", body=Strange())).result("odd")
    assert result.content == "the arguments could not be read: ZeroDivisionError: odd"


@pytest.mark.requirement("B13")
@pytest.mark.parametrize("arguments", ['{"path": "a.txt", "content": "abc', '{"path": "a.txt"}'])
async def test_no_call_of_an_answer_that_the_output_limit_cut_runs(arguments: str) -> None:
    """Even one whose arguments can be read; each is told why."""
    ran: list[str] = []

    @tool
    async def write(path: str, content: str = "") -> None:
        ran.append(path)

    stage = Stage(write)
    await stage.turn(ask("write", arguments), ask("write", "{}"), reason=StopReason(reason="length"))
    assert [result.status for result in stage.last_results] == [ResultStatus.ERROR] * 2
    assert all("output limit" in result.content for result in stage.last_results)
    assert ran == []
    assert stage.log == ["turn:assistant", "end:error", "turn:tool"]
    assert stage.seen.count("tool_result") == 2


async def test_a_call_past_its_time_is_an_error_and_the_tool_is_stopped() -> None:
    cleaned = asyncio.Event()

    @tool(timeout_s=0.01)
    async def hang() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.set()

    async with asyncio.timeout(5):
        result = await Stage(hang).result("hang")
    assert cleaned.is_set()
    content = '{"error":"timed out after 0.01 s"}\n\n**Error:** timed out after 0.01 s'
    assert result == ToolResult(tool_call_id="c", content=content, is_error=True, status=ResultStatus.ERROR)


async def test_a_tool_without_a_limit_of_its_own_has_the_handlers() -> None:
    @tool
    async def hang() -> None:
        await asyncio.Event().wait()

    stage = Stage(hang, handler=CallHandler(limits=CallLimits(timeout_s=0.01)))
    async with asyncio.timeout(5):
        assert "timed out after 0.01 s" in (await stage.result("hang")).content


async def test_what_a_tool_raised_is_not_logged_with_its_words(caplog: pytest.LogCaptureFixture) -> None:
    """They may hold what people wrote; whoever debugs gets all of it."""
    with caplog.at_level(logging.INFO):
        await raising(ValueError("secret word"), blocking=False).result("fail")
    assert "ValueError" in caplog.text
    assert "secret word" not in caplog.text
    caplog.clear()
    with caplog.at_level(logging.DEBUG):
        await raising(ValueError("secret word"), blocking=False).result("fail")
    assert "secret word" in caplog.text


async def test_what_fails_is_recorded_like_any_other_result() -> None:
    stage = raising(subprocess.CalledProcessError(1, ["ls"]), blocking=False)
    await stage.result("fail")
    assert [turn.role for turn in stage.state.turns] == [Role.ASSISTANT, Role.TOOL]
    assert stage.log == ["turn:assistant+start", "turn:tool"]


async def test_a_mapping_tool_fails_like_a_function() -> None:
    async def fail(context: ToolContext, arguments: Mapping[str, Any]) -> None:
        raise ValueError(arguments["x"])

    body = SchemaBody({"type": "object", "properties": {"x": {"type": "string"}}}, fail)
    stage = Stage(Tool(name="fail", description="", body=body, traits=Traits(read_only=True)))
    assert (await stage.result("fail", '{"x": "why"}')).content.endswith("**Error:** ValueError: why")
