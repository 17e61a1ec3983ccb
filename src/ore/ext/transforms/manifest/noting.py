"""Notes what is sent, at the end of each answer."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Final

from ore.cognitive import Pattern, Runtime
from ore.ext.catalog import Target
from ore.ext.transforms.manifest.composing import Sent, compose, rendered
from ore.ext.transforms.manifest.tracing import passages
from ore.ledger import Draft, State, Turn
from ore.models import Spec
from ore.provider import Batch, Option, Provider, RequestOption, ViewOption, option, tools_of

__all__ = ["Noting"]

_LAST: Final = "ore.manifest.last"
_SIZES: Final = "ore.manifest.sizes"


class Noting:
    """A pattern whose answers end with a manifest of what was sent for them.

    Args:
        inner: The pattern.
    """

    def __init__(self, inner: Pattern) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        """That of the pattern inside."""
        return self._inner.name

    async def run(self, runtime: Runtime) -> Turn:
        """Work as the pattern inside does."""
        return await self._inner.run(replace(runtime, provider=_Noted(runtime.provider)))

    def ends(self, draft: Draft | Turn) -> bool:
        """What the pattern inside says."""
        return self._inner.ends(draft)


class _Noted:
    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    @property
    def name(self) -> str:
        return self._provider.name

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        if option(options, ViewOption) is None:  # none of the conversation's own, such as a summary
            async with aclosing(self._provider.invoke(state, spec, *options)) as batches:
                async for batch in batches:
                    yield batch
            return
        kept, passed = state.base.derived, passages(state.base.derived)
        turns, path, bodies = state.turns, state.base.turns, list[bytes]()
        async with aclosing(self._provider.invoke(state, spec, *options, RequestOption(bodies.append))) as batches:
            async for batch in batches:
                yield batch
        tools = tools_of(options)
        sent = Sent(
            body=bodies[-1] if bodies else rendered(turns, tools, spec),
            shown=bool(bodies),
            turns=turns,
            path=path,
            tools=tools,
            passages=passed,
        )
        before: Sent | None = kept.get(_LAST)
        kept[_LAST] = sent
        target = Target.of(f"{self._provider.name}:{spec.name or ''}")
        yield (compose(sent, before, target, kept.setdefault(_SIZES, {})),)
