"""Every provider keeps the promises of `Provider`."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from local_engine import ScriptedEngine, scripted
from ore.artifact import StopReason, TextDelta, ToolCallDelta, Usage
from ore.errors import ContextOverflowError, ProtocolError
from ore.ext.providers.local import LocalProvider
from ore.provider import Provider
from ore.testing.contracts.provider import Answer, ProviderBench, ProviderCheck, provider_checks
from ore.testing.scripted import Item, ScriptedProvider


class ScriptedBench:
    """The script is the world."""

    model: str | None = None

    def __init__(self, folder: Path) -> None:
        self.made = ScriptedProvider()

    async def provider(self, *answers: Answer) -> Provider:
        self.made = ScriptedProvider(*(_items(answer) for answer in answers))
        return self.made

    async def released(self) -> None:
        """It holds nothing."""

    def requests(self) -> Sequence[object]:
        return [(invocation.spec, len(invocation.turns)) for invocation in self.made.invocations]


class LocalBench:
    """The world is an engine that plays chunks in worker threads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.engine = ScriptedEngine()
        self.made = LocalProvider()
        self.model: str | None = None

    async def provider(self, *answers: Answer) -> Provider:
        self.engine = ScriptedEngine(*answers)
        self.made, self.model = scripted(self.folder, self.engine)
        return self.made

    async def released(self) -> None:
        assert self.made.runtime(self.model).slots.busy == 0

    def requests(self) -> Sequence[object]:
        return self.engine.requests


def _items(answer: Answer) -> Sequence[Item]:
    items: list[Item] = [TextDelta(content=piece) for piece in answer.text]
    if answer.call is not None:
        call = answer.call
        items.append(ToolCallDelta(index=0, id=call.id, name=call.name, arguments=call.arguments))
    usage = Usage(prompt_tokens=answer.prompt_tokens, completion_tokens=answer.completion_tokens)
    ends: dict[str, Sequence[Item]] = {
        "whole": (StopReason(reason=answer.reason), usage),
        "hangs": (asyncio.Event(),),
        "breaks": (ProtocolError("the stream ended without an end", provider="scripted"),),
        "overflows": (ContextOverflowError("the prompt is too long", provider="scripted"),),
    }
    return [*items, *ends[answer.end]]


BENCHES: dict[str, Callable[[Path], ProviderBench]] = {"scripted": ScriptedBench, "local": LocalBench}


@pytest.mark.parametrize("bench", BENCHES)
@pytest.mark.parametrize(("name", "check"), provider_checks(), ids=[name for name, _ in provider_checks()])
@pytest.mark.requirement("C080", "C081")
async def test_a_provider_keeps_its_promises(tmp_path: Path, bench: str, name: str, check: ProviderCheck) -> None:
    async with asyncio.timeout(15):
        await check(BENCHES[bench](tmp_path))
