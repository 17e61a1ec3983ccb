"""Journals that can be looked into and held, and providers that misbehave."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence

from ore.artifact import Artifact, TextDelta
from ore.ledger import Record, State, TurnRecord
from ore.models import Spec
from ore.provider import Batch, Option

SPEC = Spec(name="m")


def text(*pieces: str) -> list[Artifact]:
    """An answer that comes in these pieces."""
    return [TextDelta(content=piece) for piece in pieces]


class Log:
    """A journal.

    Attributes:
        appends: What each append held.
        reached: Set when an append is there and has to wait.
        go: Cleared, appends wait for it.
        refusal: What the next append raises.
    """

    def __init__(self) -> None:
        self.appends: list[Sequence[Record]] = []
        self.reached = asyncio.Event()
        self.go = asyncio.Event()
        self.go.set()
        self.refusal: Exception | None = None

    async def __call__(self, records: Sequence[Record]) -> None:
        self.reached.set()
        await self.go.wait()
        if self.refusal is not None:
            error, self.refusal = self.refusal, None
            raise error
        self.appends.append(records)

    @property
    def turns(self) -> list[str]:
        """Ids of the turns that are durable."""
        return [record.turn.id for append in self.appends for record in append if isinstance(record, TurnRecord)]


class Custom:
    """A provider that runs a function."""

    def __init__(self, invoke: Callable[[], AsyncGenerator[Batch, None]], name: str = "custom") -> None:
        self._invoke = invoke
        self.name = name

    def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        return self._invoke()


async def steps(count: int = 10) -> None:
    """Let everything that is ready run."""
    for _ in range(count):
        await asyncio.sleep(0)
