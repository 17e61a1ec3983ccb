"""`Compactor`: compacts one conversation, once."""

from collections.abc import Awaitable, Callable, Container, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import msgspec

from ore.artifact import Artifact, Text
from ore.ext.catalog import Target, estimated_tokens
from ore.ext.transforms.compaction.boundary import Boundary, Strategy, last_boundary
from ore.ext.transforms.compaction.plan import Aim, Plan, plan
from ore.ext.transforms.compaction.prompt import request_text
from ore.ext.transforms.compaction.settings import CompactionSettings
from ore.ext.transforms.compaction.showing import summary_turn, visible, with_outputs
from ore.ext.transforms.compaction.sizes import Size, counted, tokens_of
from ore.ext.transforms.compaction.summary import Summarizer, Summary
from ore.ledger import State, Turn
from ore.loop import counted as paid
from ore.models import Spec
from ore.provider import Option, Provider, tools_of

__all__ = ["Compactor", "Record", "target_of", "window_of"]

Record = Callable[[Sequence[Artifact]], Awaitable[Turn]]
"""Puts a system turn of these artifacts at the end of the conversation, durably."""

_UNKNOWN_WINDOW: Final = 32_768
"""Counted with where a conversation is compacted by hand and nobody knows the window."""

_FRAMES: Final = 32
"""Tokens around what asks for a summary, and around the summary so far."""

_NOTES: Final = {
    Strategy.MOVE_OUTPUTS: "[{outputs:,} long outputs of tools are shown to the model in part from here on.]",
    Strategy.LEAVE_OUT: "[{turns:,} turns before this are not shown to the model any more, and no summary either.]",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Compactor:
    """Finds out what has to go from a conversation, has it summed up, and records the boundary.

    Attributes:
        settings: How far it goes.
        state: The conversation, as the model is shown it.
        provider: Who answers.
        spec: How.
        options: Those of its inferences, tools resolved.
        record: The way into the ledger.
        window: In tokens; `None` when nobody knows.
        strain: Real tokens for each estimated one, at least: learnt from a
            prompt that did not fit though it should have.
        by_hand: Whether a person asked for it: then it is done however short
            the conversation is, and nothing of it has to stay.
        keep_turns: The latest turns that stay, instead of a share of the window.
        focus: What the user asks to keep in mind.
        session: Id of the session; that of the running message when it is `None`.
    """

    settings: CompactionSettings
    state: State
    provider: Provider
    spec: Spec
    options: Sequence[Option]
    record: Record
    window: int | None = None
    strain: float = 0.0
    by_hand: bool = False
    keep_turns: int | None = None
    focus: str = ""
    session: str | None = None

    def plan(self) -> Plan | None:
        """What has to go; `None` when there is nothing that could."""
        window, ratio = self.window or _UNKNOWN_WINDOW, self._size().ratio
        known = self._own()
        added = [turn for turn in self.state.turns if turn.id not in known]
        around = estimated_tokens(added, tools_of(self.options), self._target)
        aim = Aim(
            limit=round(self.settings.limit(window, self.spec) / ratio),
            keep=0 if self.by_hand else round(window * self.settings.keep / ratio),
            around=around + round(self.settings.longest_summary(window) / ratio),
            output_bytes=self.settings.output_bytes,
            keep_turns=self.keep_turns,
            least=0 if self.by_hand else round(self.settings.longest_summary(window) / ratio),
            outputs_first=not self.by_hand,
        )
        return plan(self._path, aim, self._target)

    async def summarize(self, found: Plan) -> Turn:
        """Put a summary in the place of the turns that a plan hides.

        Raises:
            ProviderError: There is no summary, or a cut or an empty one; nothing was changed.
            StoreError: The boundary could not be made durable.
        """
        size = self._size()
        summary = await self._summarizer(size).sum_up(self._gone(found))
        boundary = self._boundary(found, size, Strategy.SUMMARIZE)
        boundary = msgspec.structs.replace(boundary, model=summary.model, summary_in=None, left_out_count=0)
        return await self.record((Text(content=summary.text), boundary, *_usage(summary)))

    async def leave_out(self, found: Plan) -> Turn:
        """Hide turns without a summary; the model is told so."""
        return await self._note(self._boundary(found, self._size(), Strategy.LEAVE_OUT))

    async def move(self, found: Plan) -> Turn:
        """Show long outputs in part, as a plan that hides nothing says."""
        return await self._note(self._boundary(found, self._size(), Strategy.MOVE_OUTPUTS))

    async def _note(self, boundary: Boundary) -> Turn:
        note = _NOTES[boundary.strategy].format(outputs=len(boundary.outputs), turns=boundary.dropped_turn_count)
        return await self.record((Text(content=note), boundary))

    @property
    def _path(self) -> Sequence[Turn]:
        return self.state.base.turns

    @property
    def _target(self) -> Target:
        return target_of(self.provider, self.spec)

    def _size(self) -> Size:
        size = counted(self.state, tools_of(self.options), self._target)
        return msgspec.structs.replace(size, ratio=max(size.ratio, self.strain))

    def _own(self) -> Container[str]:
        """Ids of the turns that the ledger has in what the model is shown, and of what stands for those it hides."""
        last = last_boundary(self._path)
        return {turn.id for turn in visible(self._path)} | ({last[0].id} if last else set())

    def _before(self) -> Sequence[Turn]:
        """What the conversation begins with that is not in the ledger, such as instructions."""
        known = self._own()
        place = next((place for place, turn in enumerate(self.state.turns) if turn.id in known), 0)
        return self.state.turns[:place]

    def _gone(self, found: Plan) -> Sequence[Turn]:
        """What is hidden from now on, as the model was shown it, and what stood for what was hidden before."""
        last = last_boundary(self._path)
        earlier = [summary_turn(self._path, *last)] if last and last[1].compacted_through else []
        return [*earlier, *with_outputs(visible(self._path)[: found.cut], found.moved)]

    def _summarizer(self, size: Size) -> Summarizer:
        provider, spec = self.provider, self.spec
        if self.settings.summarizer is not None:
            provider, spec = paid(self.settings.summarizer[0]), self.settings.summarizer[1]
        window = self.window if self.settings.summarizer is None else window_of(provider, spec, None)
        tokens = self.settings.longest_summary(window or _UNKNOWN_WINDOW)
        room = None
        if window is not None:
            around = estimated_tokens(self._before(), tools_of(self.options), self._target)
            asking = len(request_text(self.settings.prompt, tokens, self.focus)) // 4
            room = max(round((window - tokens) / size.ratio) - around - asking - _FRAMES, 1)
        return Summarizer(
            provider=provider,
            spec=spec,
            target=target_of(provider, spec),
            options=self.options,
            before=self._before(),
            room=room,
            tokens=tokens,
            prompt=self.settings.prompt,
            focus=self.focus,
            session=self.session,
        )

    def _boundary(self, found: Plan, size: Size, strategy: Strategy) -> Boundary:
        """The boundary that a plan comes to; what an earlier one says holds on where nothing is hidden anew."""
        last = last_boundary(self._path)
        before = last[1] if last else Boundary(strategy=strategy)
        boundary = msgspec.structs.replace(
            before,
            strategy=strategy,
            summary_in=last[0].id if last and before.strategy is Strategy.SUMMARIZE else before.summary_in,
            outputs=found.outputs,
            model=None,
            created_at=datetime.now(UTC),
            tokens_per_estimate=round(size.ratio, 3),
            window=self.window,
        )
        if not found.cut:
            return boundary
        gone = visible(self._path)[: found.cut]
        count = sum(turn.id != found.pinned for turn in gone)
        return msgspec.structs.replace(
            boundary,
            compacted_through=gone[-1].id if gone[-1].id != before.pinned else before.compacted_through,
            pinned=found.pinned,
            dropped_turn_count=before.dropped_turn_count + count,
            dropped_token_estimate=before.dropped_token_estimate + tokens_of(gone, self._target),
            left_out_count=before.left_out_count + count,
        )


def target_of(provider: Provider, spec: Spec) -> Target:
    """Who is asked, with what is known of it."""
    return Target.of(f"{provider.name}:{spec.name or ''}")


def window_of(provider: Provider, spec: Spec, given: int | None) -> int | None:
    """The window of a model: as its spec says, else as the catalog does, else as given."""
    info = target_of(provider, spec).info
    return spec.window or (info.window if info is not None else None) or given


def _usage(summary: Summary) -> Sequence[Artifact]:
    return () if summary.usage is None else (summary.usage,)
