"""What a type checker knows of ore: `make check` reads this file, nothing runs it.

An ignore is a promise, too: the checker fails when what it covers is no fault
any more.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, ClassVar, assert_type

from ore import (
    Agent,
    AgentSpec,
    Answer,
    Artifact,
    Audio,
    Delta,
    Entry,
    File,
    Handler,
    Image,
    InterruptEvent,
    Manager,
    MemoryStore,
    Notice,
    OreError,
    Provider,
    Question,
    ReAct,
    Reasoning,
    Result,
    Role,
    Run,
    Session,
    SingleShot,
    Spec,
    Step,
    Store,
    Stream,
    Text,
    TextDelta,
    ThinkingLevel,
    Thread,
    Tool,
    ToolCall,
    ToolContext,
    ToolError,
    ToolResult,
    Turn,
    UsageLimits,
    tool,
)
from ore.artifact import Usage
from ore.event import Emitter, Event
from ore.ledger import State
from ore.provider import Batch, Option


def weather(city: str) -> str:
    """A plain function."""
    return city


@tool
def plain(context: ToolContext, city: str) -> str:
    """A tool of it."""
    raise ToolError(f"no weather in {city}")


@tool(approve=True, timeout_s=3.0)
async def asked(city: str) -> str:
    """One that asks first."""
    return city


assert_type(plain, Tool)
assert_type(asked, Tool)
tool(aprove=True)  # type: ignore[call-overload]


class Voyage(Artifact, frozen=True, kw_only=True, tag="voyage"):
    """A kind of one's own."""

    ports: tuple[str, ...]


class VoyageDelta(Delta, frozen=True, kw_only=True, tag="voyage_delta"):
    """Its fragments."""

    family: ClassVar[str] = "voyage"
    port: str

    @classmethod
    def assemble(cls, parts: Sequence[Delta]) -> Voyage | None:
        return Voyage(ports=tuple(part.port for part in parts if isinstance(part, cls)))


class Echo:
    """A provider is whatever has its shape."""

    @property
    def name(self) -> str:
        return "echo"

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        yield (TextDelta(content=state.turns[-1].artifacts[0].for_model()), VoyageDelta(port="Porto"))


class Silent:
    """This has not."""

    name = "silent"


class Watching:
    """A handler."""

    async def handle(self, artifact: Artifact, emitter: Emitter) -> None:
        emitter.emit(Notice(content=artifact.kind))


provider: Provider = Echo()
not_one: Provider = Silent()  # type: ignore[assignment]
handler: Handler = Watching()
store: Store = MemoryStore()


def decide(question: Question) -> Answer:
    assert_type(question.arguments, str | None)
    return Answer(key=question.key, decision="approve")


def unsure(question: Question) -> Answer:
    return Answer(key=question.key, decision="maybe")  # type: ignore[arg-type]


async def front_door() -> None:
    agent = Agent(
        ["openai:gpt-5-mini", "local"],
        tools=[weather, plain, asked],
        instructions=lambda: "Be brief.",
        spec=Spec(thinking_level=ThinkingLevel.LOW, temperature=0.5),
        limits=UsageLimits(rounds=3),
        pattern=SingleShot,
        handlers=[handler],
        store=store,
    )
    assert_type(agent.run_sync("Hi"), Result)
    result = await agent.run([Text(content="Look:"), Image(media_type="image/png", data=b"")], on_question=decide)
    assert_type(result.text, str)
    assert_type(result.turns, Sequence[Turn])
    assert_type(result.usage, Usage)
    assert_type(agent.as_tool(description="Helps."), Tool)
    assert_type(agent.spec(), AgentSpec)
    Agent(model=3)  # type: ignore[arg-type]
    Agent("local", tool=[weather])  # type: ignore[call-arg]
    async with agent.stream("Hi") as run:
        assert_type(run, Run)
        async for piece in run.text():
            assert_type(piece, str)
        async for entry in run.events("tool_call"):
            assert_type(entry, Entry)
            assert_type(entry.event, Event | Artifact)
    async with agent.session("trip", on_question=decide) as session:
        await talk(session)


async def talk(session: Session) -> None:
    assert_type(session.id, str)
    assert_type(session.turns, Sequence[Turn])
    assert_type(session.metadata.get("ore.title"), str | None)
    assert_type(session.stream("Hi", mode="steer"), Run)
    session.stream("Hi", mode="stear")  # type: ignore[arg-type]
    assert_type(session.handle, Stream)


async def core(spec: AgentSpec) -> None:
    async with Manager(spec, store) as sessions:
        stream = await sessions.create()
        assert_type(stream, Stream)
        ticket = stream.submit("Hi")
        stream.submit(InterruptEvent(clear=False))
        stream.submit(3)  # type: ignore[arg-type]
        outcome = await ticket
        assert_type(outcome.turn, Turn | None)
        async with stream.subscribe("text", after="1-1") as events:
            async for entry in events:
                shown(entry.event)
    thread = Thread(())
    turn = await Step().turn(thread, Spec(name="echo"), provider)
    assert_type(turn.role, Role)
    assert_type(ReAct().name, str)


def shown(event: Event | Artifact) -> str:
    """Kinds are told apart by their class."""
    if isinstance(event, Text | Reasoning):
        return event.content
    if isinstance(event, ToolCall):
        return event.arguments
    if isinstance(event, ToolResult):
        return event.for_human()
    if isinstance(event, Audio | File | Image):
        return event.media_type or ""
    return event.kind


def told(error: OreError) -> Mapping[str, Any]:
    return {"code": error.code, "retryable": error.retryable}
