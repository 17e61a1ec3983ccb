"""What was used, restored from turns: by turn, by run, by session, by model, with what worked inside calls."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from ore.artifact import Usage
from ore.errors import NotFoundError
from ore.ledger import Role, Store, Turn, call_key
from ore.session.children import child_id

__all__ = ["RunUsage", "SessionUsage", "TurnUsage", "session_usage", "usage_of", "usage_report"]


class TurnUsage(msgspec.Struct, frozen=True, kw_only=True):
    """What one inference used.

    Attributes:
        turn: Id of the turn.
        model: Who answered.
    """

    turn: str
    model: str | None
    usage: Usage


class RunUsage(msgspec.Struct, frozen=True, kw_only=True):
    """What the work for one message used.

    Attributes:
        begins: Id of the turn with which it begins.
        usage: All of it.
        turns: Its inferences, in order.
    """

    begins: str
    usage: Usage
    turns: tuple[TurnUsage, ...]


class SessionUsage(msgspec.Struct, frozen=True, kw_only=True):
    """What a session used.

    Attributes:
        total: All of it, of every branch, without what is `inside`.
        runs: Message by message, in order.
        models: By who answered; those that nobody named stand under `""`.
        inside: What agents used inside its calls.
    """

    total: Usage = Usage()
    runs: tuple[RunUsage, ...] = ()
    models: Mapping[str, Usage] = {}
    inside: Usage = Usage()


def usage_of(turns: Iterable[Turn]) -> Usage:
    """What these turns used together; unknown only where nobody counted anything."""
    total = Usage()
    for turn in turns:
        for artifact in turn.artifacts:
            if isinstance(artifact, Usage):
                total = total + artifact
    return total


def usage_report(turns: Sequence[Turn]) -> SessionUsage:
    """What these turns used, as a session tells it again after a restart.

    A run begins with what a user says, unless calls still wait for their
    results or have just got them: then it was said into a run. Turns that no
    model is sent any more, such as those of other branches, were paid for all
    the same; pass all of them.
    """
    runs = tuple(_run(run) for run in _runs(turns))
    models: dict[str, Usage] = {}
    for run in runs:
        for turn in run.turns:
            models[turn.model or ""] = models.get(turn.model or "", Usage()) + turn.usage
    return SessionUsage(total=usage_of(turns), runs=runs, models=models)


async def session_usage(store: Store, session_id: str) -> SessionUsage:
    """What a stored session used, with the agents inside its calls, and those inside theirs.

    Raises:
        NotFoundError: There is no such session.
        StoreError: One of them could not be read.
    """
    stored = await store.load(session_id)
    report = usage_report(stored.turns)
    return msgspec.structs.replace(report, inside=await _inside(store, stored.turns))


async def _inside(store: Store, turns: Sequence[Turn]) -> Usage:
    total = Usage()
    for turn in turns:
        for index in range(len(turn.calls)):
            total = total + await _of_call(store, call_key(turn.id, index))
    return total


async def _of_call(store: Store, key: str) -> Usage:
    """What the agents used that a call asked one after the other."""
    total, count = Usage(), 1
    while True:
        try:
            child = await store.load(child_id(key if count == 1 else f"{key}/{count}"))
        except NotFoundError:
            return total
        total = total + usage_of(child.turns) + await _inside(store, child.turns)
        count += 1


def _runs(turns: Sequence[Turn]) -> Iterator[Sequence[Turn]]:
    run: list[Turn] = []
    for turn in turns:
        if turn.role is Role.USER and run and not _works(run[-1]):
            yield run
            run = []
        run.append(turn)
    if run:
        yield run


def _works(last: Turn) -> bool:
    """Whether the work was in the middle of something."""
    return last.role is Role.TOOL or bool(last.calls)


def _run(turns: Sequence[Turn]) -> RunUsage:
    told = tuple(
        TurnUsage(turn=turn.id, model=turn.model, usage=usage_of((turn,)))
        for turn in turns
        if any(isinstance(artifact, Usage) for artifact in turn.artifacts)
    )
    return RunUsage(begins=turns[0].id, usage=usage_of(turns), turns=told)
