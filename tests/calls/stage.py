"""A Step whose calls run, on a ledger and a journal that tests can look into."""

import asyncio
import json
from collections.abc import Callable, Sequence

from ore.artifact import StopReason, ToolCall, ToolResult
from ore.calls import CallHandler
from ore.event import Answer, Entry, Question
from ore.ledger import Buffer, EffectRecord, Record, Role, Turn, TurnRecord
from ore.loop import EventBus, Step, StepHooks
from ore.models import Spec
from ore.provider import WithTools
from ore.testing.scripted import ScriptedProvider
from ore.tool import Tool


def ask(name: str, arguments: str = "{}", *, id: str = "c") -> ToolCall:
    """The model asks for a call."""
    return ToolCall(id=id, name=name, arguments=arguments)


def arguments(**values: object) -> str:
    """Arguments as a model writes them."""
    return json.dumps(values)


class Stage:
    """One ledger, one Step, and everything that was emitted and recorded.

    Attributes:
        entries: Every event, in order.
        appends: What each append of the journal held.
    """

    def __init__(self, *tools: Tool, handler: CallHandler | None = None) -> None:
        self.tools = tools
        self.handler = handler or CallHandler()
        self.entries: list[Entry] = []
        self.appends: list[Sequence[Record]] = []
        self.refused: list[tuple[type[Record], Exception]] = []
        self._acts: list[tuple[str, Callable[[], object]]] = []
        self._holds: list[Hold] = []
        self.state = Buffer()
        self.step = Step(
            self.state,
            bus=EventBus(on_emit=(self.entries.append, self._act)),
            journal=self._journal,
            hooks=StepHooks(handlers=(self.handler,)),
            options=(WithTools(tools),),
        )

    async def turn(self, *calls: ToolCall, reason: StopReason | None = None) -> Turn:
        """One inference that makes these calls."""
        items = [*calls, reason] if reason else calls
        return await self.step.turn(self.state, Spec(name="m"), ScriptedProvider(items))

    async def results(self, *calls: ToolCall) -> list[ToolResult]:
        """What the calls of one inference come to."""
        await self.turn(*calls)
        return self.last_results

    async def result(self, name: str, arguments: str = "{}") -> ToolResult:
        """What one call comes to."""
        return (await self.results(ask(name, arguments)))[0]

    @property
    def last_results(self) -> list[ToolResult]:
        """The results of the last turn, which is a tool turn."""
        turn = self.state.turns[-1]
        assert turn.role is Role.TOOL
        return [artifact for artifact in turn.artifacts if isinstance(artifact, ToolResult)]

    @property
    def effects(self) -> list[EffectRecord]:
        """What was noted of calls, in order."""
        return [record for append in self.appends for record in append if isinstance(record, EffectRecord)]

    @property
    def log(self) -> list[str]:
        """Each append, in words: `turn:assistant+start`, `start`, `end`, `turn:tool`."""
        return ["+".join(map(_word, append)) for append in self.appends]

    @property
    def seen(self) -> list[str]:
        """The kinds of the events, in order, but for fragments and phases."""
        return [entry.kind for entry in self.entries if entry.kind not in ("lifecycle", "stop_reason")]

    def refuse(self, kind: type[Record], error: Exception) -> None:
        """Let the next append that holds such a record fail."""
        self.refused.append((kind, error))

    def when(self, kind: str, act: Callable[[], object]) -> None:
        """Call `act` with the next event of that kind, before anything else happens."""
        self._acts.append((kind, act))

    def _act(self, entry: Entry) -> None:
        for kind, act in tuple(self._acts):
            if kind == entry.kind:
                self._acts.remove((kind, act))
                act()

    def hold(self, kind: type[Record], *, skip: int = 0) -> "Hold":
        """Let the next append that holds such a record wait, after as many as are skipped."""
        hold = Hold(kind, skip)
        self._holds.append(hold)
        return hold

    async def _journal(self, records: Sequence[Record]) -> None:
        await asyncio.sleep(0)
        for hold in self._holds:
            await hold.pass_through(records)
        for kind, error in self.refused:
            if any(isinstance(record, kind) for record in records):
                self.refused.remove((kind, error))
                raise error
        self.appends.append(records)


class Hold:
    """An append that waits.

    Attributes:
        reached: Set when it is there.
        go: Set it to let it go on.
    """

    def __init__(self, kind: type[Record], skip: int) -> None:
        self._kind = kind
        self._skip = skip
        self.reached = asyncio.Event()
        self.go = asyncio.Event()

    async def pass_through(self, records: Sequence[Record]) -> None:
        if not any(isinstance(record, self._kind) for record in records):
            return
        self._skip -= 1
        if self._skip == -1:
            self.reached.set()
            await self.go.wait()


class Person:
    """An `Asker` that gives prepared answers, in order.

    Attributes:
        questions: What was asked.
    """

    def __init__(self, *answers: Answer | Exception) -> None:
        self._answers = list(answers)
        self.questions: list[Question] = []

    async def ask(self, question: Question) -> Answer:
        self.questions.append(question)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def yes(*, arguments: str | None = None) -> Answer:
    """Go on; maybe with other arguments."""
    return Answer(key="", decision="approve", arguments=arguments)


def no(reason: str | None = None) -> Answer:
    """Do not."""
    return Answer(key="", decision="deny", reason=reason)


def _word(record: Record) -> str:
    if isinstance(record, TurnRecord):
        return f"turn:{record.turn.role}"
    if isinstance(record, EffectRecord):
        return "start" if record.result is None else f"end:{record.result.status}"
    return type(record).__name__
