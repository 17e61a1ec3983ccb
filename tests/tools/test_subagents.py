"""An agent that runs three tools at once, beside two siblings: what it does stays inside its call."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence

import pytest

from app.script import answer, call
from ore import Agent, MemoryStore, UsageLimits, tool
from ore.artifact import ToolResult, Usage
from ore.errors import LimitError
from ore.event import Entry
from ore.ledger import INNER
from ore.testing import ScriptedProvider, check_order
from ore.tool import Tool

PROMPT = '{"prompt": "work"}'
USAGE = Usage(prompt_tokens=5, completion_tokens=5, total_tokens=10)


class Team:
    """Three agents whose tools meet: the first one's three, and one of each of the others.

    Attributes:
        began: Names of the tools that run.
        go: Set it to let those go on that met.
    """

    def __init__(self, *, meet: bool = True) -> None:
        self.began: list[str] = []
        self.met = asyncio.Barrier(6 if meet else 1)  # five tools, and the test
        self.go = asyncio.Event()

    def agent(self, **options: object) -> Agent:
        """An agent that calls all three of them."""
        three = [*call("lead", PROMPT, id="a"), *call("left", PROMPT, id="l"), *call("right", PROMPT, id="r")]
        children = [
            self._child("lead", "one", "two", "three"),
            self._child("left", "four"),
            self._child("right", "five"),
        ]
        return Agent(
            ScriptedProvider([*three, USAGE], [*answer("all done"), USAGE]),
            tools=[child.as_tool() for child in children],
            **options,  # type: ignore[arg-type]
        )

    def _child(self, name: str, *works: str) -> Agent:
        calls = [artifact for work in works for artifact in call(work, id=work)]
        provider = ScriptedProvider([*calls, USAGE], [*answer(f"{name} is done"), USAGE])
        return Agent(provider, name=name, description="Works.", tools=[self._tool(work) for work in works])

    def _tool(self, name: str) -> Tool:
        async def work() -> str:
            """Work."""
            self.began.append(name)
            await self.met.wait()
            await self.go.wait()
            return f"{name} worked"

        return tool(work, name=name)


def results(entries: Sequence[Entry]) -> dict[str, ToolResult]:
    """What calls came to, by the ids that the models gave them."""
    found = [entry.event for entry in entries if isinstance(entry.event, ToolResult)]
    return {result.tool_call_id: result for result in found}


@pytest.mark.requirement("D-child-nests")
async def test_three_tools_at_once_beside_two_siblings_nest_by_path() -> None:
    """All five run at once; each event says inside of which calls it is, and comes before their results."""
    team = Team()
    async with asyncio.timeout(10), team.agent().stream("go") as run:
        await team.met.wait()
        assert sorted(team.began) == ["five", "four", "one", "three", "two"]
        team.go.set()
        entries = [entry async for entry in run.events()]
        assert (await run.result()).text == "all done"
    check_order(entries)
    keys = {entry.event.tool_call_id: entry.context.path for entry in entries if isinstance(entry.event, ToolResult)}
    outer = {name: keys[id] for name, id in (("lead", "a"), ("left", "l"), ("right", "r"))}
    assert [len(path or ()) for path in outer.values()] == [1, 1, 1] and len(set(outer.values())) == 3
    inside: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for id, path in keys.items():
        inside[(path or ())[:-1]].add(id)
    assert inside == {
        (): {"a", "l", "r"},
        outer["lead"]: {"one", "two", "three"},
        outer["left"]: {"four"},
        outer["right"]: {"five"},
    }


@pytest.mark.requirement("D-child-cancel")
async def test_cancelling_the_one_in_the_middle_ends_its_three_tools_and_nothing_else() -> None:
    """Its own conversation says what became of them; in its caller's its result ends them."""
    team, store = Team(), MemoryStore()
    async with asyncio.timeout(10), team.agent().session("s", store=store) as session:
        run = session.stream("go")
        await team.met.wait()
        key = f"{session.turns[-1].id}:0"
        async with session.handle.subscribe("tool_result") as told:
            assert session.handle.cancel(key)
            entries = [await anext(told)]
            while "a" not in results(entries):
                entries.append(await anext(told))
            team.go.set()
            while not {"l", "r"} <= results(entries).keys():
                entries.append(await anext(told))
        assert (await run.result()).text == "all done"
        stored = await store.load(f"{INNER}{key.replace(':', '.')}")
    told_now = {id: str(result.status) for id, result in results(entries).items()}
    assert told_now == {"a": "cancelled", "four": "ok", "five": "ok", "l": "ok", "r": "ok"}
    inner = [one for turn in stored.turns for one in turn.artifacts if isinstance(one, ToolResult)]
    assert [(one.tool_call_id, one.status) for one in inner] == [
        (name, "cancelled") for name in ("one", "two", "three")
    ]


@pytest.mark.requirement("D-child-budget")
@pytest.mark.parametrize(("tokens", "fits"), [(80, True), (69, False), (35, False)])
async def test_together_they_use_no_more_than_their_caller_may(tokens: int, fits: bool) -> None:
    """Eight inferences of ten tokens: two of the caller, and of each agent inside."""
    team = Team(meet=False)
    team.go.set()
    async with asyncio.timeout(10), team.agent(limits=UsageLimits(tokens=tokens)).stream("go") as run:
        if fits:
            assert (await run.result()).text == "all done"
        else:
            with pytest.raises(LimitError, match=f"at most {tokens} tokens"):
                await run.result()
