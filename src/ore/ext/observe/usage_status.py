"""`UsageStatus`: tells front ends what was used, as properties that a status line can show."""

from collections.abc import Mapping, Sequence

from ore.artifact import Artifact, Usage
from ore.event import Emitter, Properties
from ore.ext.observe.usage import usage_of
from ore.ledger import Operation, State, Thread, Turn

__all__ = ["UsageStatus", "usage_properties"]


class UsageStatus:
    """A handler: after each inference one `properties` event with `sent`, `received`, `thinking` and `total`.

    The first three are tokens of that inference, the last one those of the
    whole session, restored from its turns. What nobody counted is `?`, which
    is not the same as 0. For any number of sessions.
    """

    async def handle(self, artifact: Artifact, emitter: Emitter) -> None:
        """Tell it, when it is a usage."""
        if isinstance(artifact, Usage):
            values = _properties(artifact, usage_of(_all(emitter.state)))
            emitter.emit(Properties(operations=tuple(Operation(op="set", key=k, value=v) for k, v in values.items())))


def usage_properties(turns: Sequence[Turn]) -> Mapping[str, str]:
    """The same properties as they stand, for a front end that comes later; empty where nothing was used."""
    last = next((one for turn in reversed(turns) for one in reversed(turn.artifacts) if isinstance(one, Usage)), None)
    return _properties(last, usage_of(turns)) if last is not None else {}


def _properties(last: Usage, all_of_it: Usage) -> Mapping[str, str]:
    return {
        "sent": _count(last.prompt_tokens),
        "received": _count(last.completion_tokens),
        "thinking": _count(last.reasoning_tokens),
        "total": _count(all_of_it.total_tokens),
    }


def _count(tokens: int | None) -> str:
    return "?" if tokens is None else str(tokens)


def _all(state: State) -> Sequence[Turn]:
    base = state.base
    return base.all_turns if isinstance(base, Thread) else base.turns
