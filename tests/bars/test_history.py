"""What a further turn costs at a long history: nothing that grows with it."""

import asyncio
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any, ClassVar

import pytest

from counted import CountedTurns
from ore.agent import AgentSpec, instructions
from ore.artifact import Artifact, Delta, Text, TextDelta, ToolCall
from ore.ledger import Buffer, MemoryStore, Role, Turn, TurnRecord, encode_turn, new_turn_id
from ore.loop import Step, StepHooks
from ore.models import Spec
from ore.session import Manager, Stream
from ore.testing import Recorder, ScriptedProvider
from ore.tool import StaticTools

FIELDS = frozenset(Turn.__struct_fields__)


class Untouched(Artifact, frozen=True, kw_only=True, tag="untouched"):
    """Content that nobody may look at: it can be neither encoded nor rendered."""

    value: Any

    def for_model(self) -> str:
        raise AssertionError("somebody rendered an old turn for the model")

    def for_human(self) -> str:
        raise AssertionError("somebody rendered an old turn for people")


class Watched(Turn, frozen=True, kw_only=True):
    """A turn that notes which of its fields are read."""

    reads: ClassVar[list[str]] = []

    def __getattribute__(self, name: str) -> Any:
        if name in FIELDS:
            Watched.reads.append(name)
        return super().__getattribute__(name)


def history(length: int) -> list[Turn]:
    """A conversation of that many turns, all watched and none to be looked at."""
    turns: list[Turn] = []
    parent = None
    for number in range(length):
        role = Role.ASSISTANT if number % 2 else Role.USER
        id = new_turn_id()
        turns.append(Watched(id=id, parent_id=parent, role=role, artifacts=(Untouched(value=object()),)))
        parent = id
    return turns


async def look() -> str:
    return "seen"


def script() -> ScriptedProvider:
    """Each message is a round with a tool and then an answer."""
    call = ToolCall(id="c", name="look", arguments="{}")
    return ScriptedProvider([TextDelta(content="Let me"), call], [TextDelta(content="Fine.")], repeat=True)


async def attached(length: int) -> Stream:
    """A session with a stored conversation of that many turns, behind its first message here."""
    store = MemoryStore()
    await store.create("x", {})
    writer = await store.take("x")
    await store.append(writer, [TurnRecord(turn=turn) for turn in history(length)])
    await store.close(writer)
    transforms = (instructions("Be brief."),)
    agent = AgentSpec(name="agent", provider=script(), tools=StaticTools(look).tools, transforms=transforms)
    stream = await Manager(agent, store).attach("x")
    await stream.process("first")
    await stream.idle()
    return stream


async def reads_of_a_message(length: int) -> list[str]:
    async with await attached(length) as stream, Recorder(stream) as seen:
        Watched.reads.clear()
        await stream.process("second")
        reads = list(Watched.reads)
        assert seen.words[-1] == "done done"
        return reads


async def calls_of_a_message(length: int) -> int:
    """How many functions one message calls, on the loop's own thread."""
    count = 0

    def called(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    async with await attached(length) as stream, Recorder(stream):
        await asyncio.sleep(0)
        sys.setprofile(called)
        try:
            await stream.process("second")
        finally:
            sys.setprofile(None)
    return count


def test_the_doubles_notice_whoever_looks() -> None:
    Watched.reads.clear()
    [turn] = history(1)
    with pytest.raises((TypeError, AssertionError)):
        encode_turn(turn)
    assert "artifacts" in Watched.reads


@pytest.mark.requirement("D-turn-independent-of-history")
async def test_a_message_reads_no_more_of_a_long_history_than_of_a_short_one() -> None:
    """Two inferences, a tool, instructions, a reader; nothing old is encoded or rendered."""
    assert await reads_of_a_message(1_000) == await reads_of_a_message(10)


@pytest.mark.requirement("D-turn-independent-of-history")
async def test_a_message_calls_hardly_more_functions_at_a_long_history() -> None:
    """A few depend on how often others got to run; one call for each old turn would be 990 more."""
    assert await calls_of_a_message(1_000) - await calls_of_a_message(10) < 300


class CountedState(Buffer):
    """A ledger whose turns count."""

    def __init__(self, length: int) -> None:
        super().__init__(history(length))
        self.counted: list[CountedTurns] = []

    @property
    def turns(self) -> Sequence[Turn]:
        self.counted.append(CountedTurns(super().turns))
        return self.counted[-1]

    @property
    def given(self) -> int:
        return sum(turns.given for turns in self.counted)


@pytest.mark.requirement("D-turn-independent-of-history")
async def test_an_inference_takes_no_more_turns_of_a_long_history_than_of_a_short_one() -> None:
    async def given(length: int) -> int:
        state = CountedState(length)
        step = Step(state, hooks=StepHooks(transforms=(instructions("Be brief."),)))
        await step.submit(state, Role.USER, Text(content="hi"))
        await step.turn(state, Spec(), ScriptedProvider([TextDelta(content="hello")]))
        return state.given

    assert await given(1_000) == await given(10)


class CountedDelta(Delta, frozen=True, kw_only=True, tag="counted_delta"):
    """A fragment of a text that counts how often fragments are joined, and how many."""

    joins: ClassVar[list[int]] = []
    family: ClassVar[str] = "counted"

    content: str

    @classmethod
    def assemble(cls, parts: Sequence[Delta]) -> Text:
        cls.joins.append(len(parts))
        return Text(content="".join(part.content for part in parts if isinstance(part, CountedDelta)))

    @classmethod
    def coalesce(cls, parts: Sequence[Delta]) -> "CountedDelta":
        return cls(content=cls.assemble(parts).content)


@pytest.mark.requirement("D-delta-touches-no-text")
@pytest.mark.parametrize("burst", [1, 64])
async def test_a_fragment_touches_nothing_of_the_text_so_far(burst: int) -> None:
    """All are joined once, when the block closes, however many readers follow."""
    CountedDelta.joins.clear()
    pieces: list[Artifact] = [CountedDelta(content=f"{number} ") for number in range(1_024)]
    bursts = [pieces[start : start + burst] for start in range(0, len(pieces), burst)]
    agent = AgentSpec(name="agent", provider=ScriptedProvider(bursts))
    stream = await Manager(agent).create()
    got: list[int] = []

    async def read() -> None:
        async with stream.subscribe("counted_delta") as reader:
            got.append(sum([1 async for _ in reader]))

    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(read())
        await asyncio.sleep(0)
        outcome = await stream.process("hi")
        await stream.close()
    assert (CountedDelta.joins, got) == ([1_024], [1_024] * 3)
    assert outcome.turn is not None
    assert outcome.turn.artifacts[0] == Text(content="".join(f"{number} " for number in range(1_024)))
