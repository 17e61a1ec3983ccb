"""Compaction by itself: before a prompt that gets too long, and when a model says that it is."""

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Final

from ore.artifact import Artifact, Notice, Severity
from ore.cognitive import Pattern, Runtime
from ore.errors import ContextOverflowError, ProviderError
from ore.ext.catalog import Target
from ore.ext.transforms.compaction.boundary import last_boundary
from ore.ext.transforms.compaction.compactor import Compactor, target_of, window_of
from ore.ext.transforms.compaction.plan import Plan
from ore.ext.transforms.compaction.settings import CompactionSettings
from ore.ext.transforms.compaction.showing import show
from ore.ext.transforms.compaction.sizes import counted, prompt_tokens
from ore.ledger import Draft, Role, State, Turn
from ore.models import Spec
from ore.provider import Batch, Option, Provider, ViewOption, option, tools_of

__all__ = ["Compacting"]

log = logging.getLogger(__name__)

_TRIES: Final = 3
"""Prompts of one inference that may be refused as too long before the message fails with that."""

_BEYOND: Final = 1.1
"""What is counted, in windows, of a prompt that was refused: nobody says how much more than one it is."""

_FAILED: Final = "ore.compaction.failed"


class Compacting:
    """A pattern whose inferences fit: another pattern, with a conversation that is compacted when it gets too long.

    Args:
        inner: The pattern.
        settings: When, and how far.
    """

    def __init__(self, inner: Pattern, settings: CompactionSettings) -> None:
        self._inner = inner
        self._settings = settings

    @property
    def name(self) -> str:
        """That of the pattern inside."""
        return self._inner.name

    async def run(self, runtime: Runtime) -> Turn:
        """Work as the pattern inside does.

        Raises:
            ContextOverflowError: What was said last does not fit, even alone.
            Exception: What the pattern inside raises.
        """
        return await self._inner.run(replace(runtime, provider=_Fitting(runtime, self._settings)))

    def ends(self, draft: Draft | Turn) -> bool:
        """What the pattern inside says."""
        return self._inner.ends(draft)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prompt:
    """What is about to be sent, and what is known of its length.

    Attributes:
        window: In tokens; `None` while nobody knows.
        learnt: Whether only refusals have told it: it may be smaller still.
        strain: Real tokens for each estimated one, at least.
    """

    state: State
    spec: Spec
    options: Sequence[Option]
    target: Target
    window: int | None
    learnt: bool = False
    strain: float = 0.0

    @property
    def tokens(self) -> int:
        return prompt_tokens(self.state, tools_of(self.options), self.target)

    def refused(self) -> "_Prompt":
        """The same, known to be too long."""
        size = counted(self.state, tools_of(self.options), self.target)
        if self.window is None or self.learnt:  # whatever the window is, it is no larger than this
            longest = round(size.estimated * size.ratio)
            return replace(self, window=min(longest, self.window or longest), learnt=True)
        strain = max(self.strain, _BEYOND * self.window / max(size.estimated, 1))
        return replace(self, strain=strain)

    def again(self) -> "_Prompt":
        """The same, as it is by now."""
        found = option(self.options, ViewOption)
        return replace(self, state=found.look() if found else show(self.state))


class _Fitting:
    """The provider of a running message, asked with conversations that fit."""

    def __init__(self, runtime: Runtime, settings: CompactionSettings) -> None:
        self._runtime = runtime
        self._provider: Provider = runtime.provider
        self._settings = settings

    @property
    def name(self) -> str:
        return self._provider.name

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        prompt = self._prompt(state, spec, options)
        refusal: ContextOverflowError | None = None
        for refusals in range(_TRIES):
            if refusal is not None or self._is_long(prompt):
                tip = prompt.state.base.tip
                async with aclosing(self._making_room(prompt, refusals)) as notices:
                    async for notice in notices:
                        yield (notice,)
                if refusal is not None and prompt.state.base.tip == tip:  # there is nothing that could go
                    raise refusal
                prompt = prompt.again()
            begun = False
            try:
                async with aclosing(self._provider.invoke(prompt.state, spec, *options)) as batches:
                    async for batch in batches:
                        begun = begun or type(batch[0]) is not Notice
                        yield batch
                return
            except ContextOverflowError as error:
                if begun:
                    raise
                refusal, prompt = error, prompt.refused()
        assert refusal is not None
        raise refusal

    def _prompt(self, state: State, spec: Spec, options: Sequence[Option]) -> _Prompt:
        window = window_of(self._provider, spec, self._settings.window)
        learnt = window is None
        if learnt:
            found = last_boundary(state.base.turns)
            window = found[1].window if found else None
        target = target_of(self._provider, spec)
        return _Prompt(state=state, spec=spec, options=options, target=target, window=window, learnt=learnt)

    def _is_long(self, prompt: _Prompt) -> bool:
        """Whether there is less room than there should be; where a summary failed before, whether too little."""
        if prompt.window is None:
            return False
        if _FAILED in prompt.state.base.derived:
            return self._is_too_long(prompt)
        return prompt.tokens > self._settings.limit(prompt.window, prompt.spec)

    def _is_too_long(self, prompt: _Prompt) -> bool:
        return prompt.window is not None and prompt.tokens > self._settings.last_limit(prompt.window, prompt.spec)

    async def _making_room(self, prompt: _Prompt, refusals: int) -> AsyncGenerator[Notice, None]:
        compactor = self._compactor(prompt)
        found = compactor.plan()
        if found is None:
            return
        if not found.cut:
            await compactor.move(found)
            yield Notice(content=f"to save room {len(found.outputs)} long outputs of tools are sent in part")
            return
        if refusals < 2 and _FAILED not in prompt.state.base.derived:
            yield Notice(content="the conversation gets long: its earlier part is being summed up")
            problem = await _problem(compactor, found)
            if problem is None:
                yield Notice(content="the earlier part of the conversation was summed up", severity=Severity.SUCCESS)
                return
            prompt.state.base.derived[_FAILED] = True
            yield Notice(content=f"there is no summary of it: {problem}", severity=Severity.WARN)
        if refusals or self._is_too_long(prompt):
            await compactor.leave_out(found)
            prompt.state.base.derived.pop(_FAILED, None)  # the next time a summary may be had
            said = f"to save room {found.cut} earlier turns are left out, without a summary"
            yield Notice(content=said, severity=Severity.WARN)

    def _compactor(self, prompt: _Prompt) -> Compactor:
        async def record(artifacts: Sequence[Artifact]) -> Turn:
            return await self._runtime.step.submit(self._runtime.state, Role.SYSTEM, *artifacts)

        return Compactor(
            settings=self._settings,
            state=prompt.state,
            provider=self._provider,
            spec=prompt.spec,
            options=prompt.options,
            record=record,
            window=prompt.window,
            strain=prompt.strain,
        )


async def _problem(compactor: Compactor, found: Plan) -> str | None:
    """Have it summed up; why there is no summary, if there is none."""
    try:
        await compactor.summarize(found)
    except ProviderError as error:
        log.info("no summary of the conversation: %s", type(error).__name__)
        return str(error)
    return None
