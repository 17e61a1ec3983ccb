"""Guards of what models answer."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Final

import msgspec

from ore.artifact import Artifact, Block, Blocks, Notice, Restart, Severity, StopReason, Text, Usage
from ore.cognitive import Pattern, Runtime
from ore.ext.transforms.guardrails.asking import allowed
from ore.ext.transforms.guardrails.judging import Judged, judge
from ore.ext.transforms.guardrails.verdict import Guard, Looked
from ore.ledger import Draft, State, Turn, new_turn_id
from ore.models import Spec
from ore.provider import BATCH_LIMIT, Batch, Option, Provider

__all__ = ["REFUSAL", "GuardedOutput"]

REFUSAL: Final = "I cannot give that answer."
"""What stands in the place of an answer that is blocked."""


class GuardedOutput:
    """A pattern whose answers are looked at before they count.

    Args:
        inner: The pattern.
        guards: Asked in order, about the text of each answer as a whole.
        hold: Whether nothing of an answer is seen before it was looked at. Else
            it streams, and one that does not pass is taken back.
        refusal: What stands in the place of an answer that is blocked.
    """

    def __init__(self, inner: Pattern, guards: Sequence[Guard], *, hold: bool = True, refusal: str = REFUSAL) -> None:
        self._inner = inner
        self._guards = tuple(guards)
        self._hold = hold
        self._refusal = refusal

    @property
    def name(self) -> str:
        """That of the pattern inside."""
        return self._inner.name

    async def run(self, runtime: Runtime) -> Turn:
        """Work as the pattern inside does."""
        guarded = _Guarded(runtime.provider, self._guards, self._hold, self._refusal)
        return await self._inner.run(replace(runtime, provider=guarded))

    def ends(self, draft: Draft | Turn) -> bool:
        """What the pattern inside says."""
        return self._inner.ends(draft)


class _Guarded:
    def __init__(self, provider: Provider, guards: Sequence[Guard], hold: bool, refusal: str) -> None:
        self._provider = provider
        self._guards = guards
        self._hold = hold
        self._refusal = refusal

    @property
    def name(self) -> str:
        return self._provider.name

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        answer = _Answer()
        held: list[Batch] = []
        async with aclosing(self._provider.invoke(state, spec, *options)) as batches:
            async for batch in batches:
                answer.add(batch)
                if not self._hold or all(type(artifact) is Notice for artifact in batch):
                    yield batch
                else:
                    held.append(batch)
        artifacts = answer.close()
        verdict = await self._verdict(artifacts)
        if verdict is None:
            for batch in held:
                yield batch
            return
        notice, instead = verdict
        yield (notice,)
        if not self._hold:
            yield (Restart(attempt=answer.attempt + 1),)
        for start in range(0, len(instead), BATCH_LIMIT):
            yield instead[start : start + BATCH_LIMIT]

    async def _verdict(self, artifacts: Sequence[Artifact]) -> tuple[Notice, Sequence[Artifact]] | None:
        """What is given instead of an answer; `None` when it passes as it is."""
        text = "".join(artifact.content for artifact in artifacts if isinstance(artifact, Text))
        if not text:
            return None
        judged = await judge(self._guards, Looked(where="output", text=text))
        refused = judged.blocked or await _refused(judged)
        if refused is not None:
            notice = Notice(content=f"an answer was kept back: {refused}", severity=Severity.WARN)
            return notice, list(_refusal(artifacts, self._refusal))
        if judged.rewritten is None:
            return None
        notice = Notice(content=f"an answer was changed: {judged.rewritten}".rstrip(": "))
        return notice, list(_rewritten(artifacts, judged.looked.text))


class _Answer:
    """An answer as it comes together, seen by nobody."""

    def __init__(self) -> None:
        self._blocks = Blocks("held", _nobody)
        self.attempt = 1

    def add(self, batch: Batch) -> None:
        for artifact in batch:
            if isinstance(artifact, Restart):
                self._blocks.restart()
                self.attempt = max(self.attempt, artifact.attempt)
            else:
                self._blocks.add(artifact)

    def close(self) -> Sequence[Artifact]:
        return self._blocks.close()


def _nobody(artifact: Artifact, block: Block | None) -> None:
    """Nothing of it is published."""


async def _refused(judged: Judged) -> str | None:
    if judged.asks is None or await allowed(f"{new_turn_id()}:output", judged.asks, judged.looked.text):
        return None
    return "nobody allowed it"


def _refusal(artifacts: Sequence[Artifact], refusal: str) -> Iterator[Artifact]:
    """Without its thoughts and its calls; what it used was used."""
    yield Text(content=refusal)
    yield StopReason(reason="refusal")
    yield from (artifact for artifact in artifacts if isinstance(artifact, Usage))


def _rewritten(artifacts: Sequence[Artifact], text: str) -> Iterator[Artifact]:
    """With another text where the first one stood; all else as it came, in its order."""
    texts = [artifact for artifact in artifacts if isinstance(artifact, Text)]
    for artifact in artifacts:
        if not isinstance(artifact, Text):
            yield artifact
        elif artifact is texts[0] and text:
            yield msgspec.structs.replace(artifact, content=text, provider_data=None)
