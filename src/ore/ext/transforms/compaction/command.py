"""`compact` and `undo_compaction`: what a person, or a program, asks of a session."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from ore.artifact import Artifact
from ore.errors import InputError, SessionClosedError
from ore.event import Activity
from ore.ext.transforms.compaction.boundary import Boundary, boundary_of, last_boundary
from ore.ext.transforms.compaction.compactor import Compactor, window_of
from ore.ext.transforms.compaction.extension import Compaction, compaction_of
from ore.ledger import Control, Role, State, Turn
from ore.loop import ASIDES, counted
from ore.provider import Option, ToolsOption, WithTools
from ore.session import Answering, Stream, answering

__all__ = ["compact", "undo_compaction"]

_ACTIVITY: Final = "compaction"


async def compact(stream: Stream, *, focus: str = "", keep_turns: int | None = None) -> Boundary | None:
    """Sum up a conversation now; from the next inference on the model is shown the summary.

    Nothing of the ledger goes, and no message that waits is touched. It may be
    called while a message runs, and by an interceptor. Front ends are told by
    an activity and by the turn that holds the summary.

    Args:
        stream: The session.
        focus: What the summary shall keep in mind above all.
        keep_turns: The latest turns that stay as they are; by default only
            what is being worked on. Calls are never parted from their results.

    Returns:
        The new boundary; `None` when there is nothing to sum up.

    Raises:
        InputError: The session's agent has no `Compaction`, or `keep_turns` is below zero.
        OutputLimitError: The summary was cut by its limit; nothing was changed.
        ProtocolError: It was empty; nothing was changed.
        ProviderError: The model could not answer; nothing was changed.
        SessionClosedError: The session is closed.
    """
    if keep_turns is not None and keep_turns < 0:
        raise InputError(f"keep_turns: expected 0 or more, got {keep_turns!r}")
    found = answering(stream)
    compaction = compaction_of(found.agent)
    if compaction is None:
        raise InputError(
            f"agent {found.agent.name!r} has no Compaction among its extensions, so nothing can be compacted"
        )
    token = ASIDES.set(found.asides)
    try:
        return await _summed_up(stream, _compactor(stream, found, compaction, focus, keep_turns))
    finally:
        ASIDES.reset(token)


async def _summed_up(stream: Stream, compactor: Compactor) -> Boundary | None:
    plan = compactor.plan()
    if plan is None or not plan.cut:
        return None
    stream.emit(Activity(id=_ACTIVITY, active=True, description="summing up the conversation"))
    try:
        return boundary_of(await compactor.summarize(plan))
    finally:
        with suppress(SessionClosedError):
            stream.emit(Activity(id=_ACTIVITY, active=False))


async def undo_compaction(stream: Stream) -> bool:
    """Take the last compaction back: the model is shown again what it was shown before it.

    Returns:
        Whether there was one.

    Raises:
        ConflictError: A message runs.
        SessionClosedError: The session is closed.
    """
    found = last_boundary(stream.turns)
    if found is None:
        return False
    await stream.history.set_control(found[0].id, Control.SKIP)
    return True


def _compactor(
    stream: Stream, found: Answering, compaction: Compaction, focus: str, keep_turns: int | None
) -> Compactor:
    async def record(artifacts: Sequence[Artifact]) -> Turn:
        return await stream.history.append(Role.SYSTEM, *artifacts)

    agent, state = found.agent, _shown(found, stream.history.state)
    options: list[Option] = [*agent.options]
    if agent.tools is not None:
        options.append(WithTools(tuple(agent.tools(state))))
    return Compactor(
        settings=compaction.settings,
        state=state,
        provider=counted(found.provider),
        spec=found.spec,
        options=[item for item in options if not isinstance(item, ToolsOption)],
        record=record,
        window=window_of(found.provider, found.spec, compaction.settings.window),
        by_hand=True,
        keep_turns=keep_turns,
        focus=focus,
        session=stream.id,
    )


def _shown(found: Answering, state: State) -> State:
    """The conversation as the next inference would show it."""
    for transform in found.agent.transforms:
        state = transform(state)
    return state
