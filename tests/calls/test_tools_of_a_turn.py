"""Which tools a round may call: those that the inference was asked with."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from calls.stage import Stage, arguments, ask
from ore.artifact import Image, Reasoning, Text, ToolCall
from ore.calls import CallHandler
from ore.ledger import Buffer, Role, State
from ore.loop import Step, StepHooks
from ore.models import Spec
from ore.provider import ToolsOption, WithTools, option
from ore.testing.scripted import ScriptedProvider
from ore.tool import Registry, SchemaBody, Tool, ToolContext, tool


@pytest.mark.requirement("C160")
async def test_what_is_no_call_is_none_of_its_business() -> None:
    """No turn, no event, no record."""
    stage = Stage()
    await stage.step.submit(
        stage.state, Role.ASSISTANT, Text(content="a"), Reasoning(content="b"), Image(url="https://example.org/a.png")
    )
    assert ([turn.role for turn in stage.state.turns], stage.seen) == ([Role.ASSISTANT], ["turn_complete"])


class Server:
    """A source of tools under its own names."""

    name = "files"

    def __init__(self) -> None:
        self.called: list[str] = []

    def tools(self) -> Sequence[Tool]:
        async def read(context: ToolContext, values: Mapping[str, Any]) -> str:
            self.called.append(values["path"])
            return "remote"

        return [Tool(name="read/file", description="", body=SchemaBody(None, read))]


@pytest.mark.requirement("C164")
async def test_a_servers_tool_is_called_by_its_name_on_the_wire() -> None:
    """And one's own of a like name is another."""

    @tool
    async def read() -> str:
        return "local"

    server, registry = Server(), Registry(read)
    registry.register_source(server)
    own, remote = registry.tools()
    stage = Stage(own, remote)
    results = await stage.results(ask(remote.name, arguments(path="a")), ask("read"))
    assert ([result.content for result in results], server.called) == (["remote", "local"], ["a"])


async def test_tools_are_looked_up_once_for_an_inference_with_what_the_model_sees() -> None:
    """The provider, the hints and the calls have the same ones, whatever changes meanwhile."""
    asked: list[int] = []

    async def count(n: int) -> int:
        return n

    def tools(state: State) -> Sequence[Tool]:
        asked.append(len(state.turns))
        return (tool(count, name=f"count_{len(asked)}", display_hint=lambda values: f"counts {values['n']}"),)

    state = Buffer()
    state.add(Role.USER, Text(content="hi"))
    step = Step(state, hooks=StepHooks(handlers=(CallHandler(),)), options=(ToolsOption(tools),))
    provider = ScriptedProvider([ask("count_1", arguments(n=1))], [ask("count_1", arguments(n=1))])
    for _ in range(2):
        await step.turn(state, Spec(), provider)

    assert asked == [1, 3]
    given = [option(invocation.options, WithTools) for invocation in provider.invocations]
    assert [[one.name for one in found.tools] for found in given if found] == [["count_1"], ["count_2"]]
    first, second = (turn.artifacts[0] for turn in state.turns if turn.role is Role.ASSISTANT)
    assert isinstance(first, ToolCall) and isinstance(second, ToolCall)
    assert (first.display, second.display) == ("counts 1", None)
    answers = [turn.artifacts[0].for_model() for turn in state.turns if turn.role is Role.TOOL]
    assert answers == ["1", "tool 'count_1' not found; the tools are: count_2"]
