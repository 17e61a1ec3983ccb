"""`/undo`, `/redo`, `/fork`, `/new`: other places in a conversation, and other conversations."""

from ore.artifact import Severity
from ore.event import SessionSwitch
from ore.ext.commands.invocation import Invocation
from ore.ext.transforms.compaction import boundary_of, undo_compaction
from ore.ledger import Role, Turn
from ore.models import MODEL_PREFIX
from ore.session import AGENT_KEY, fork_session, new_session

__all__ = ["fork", "new", "redo", "undo"]

_CHARACTERS = 60


async def undo(invocation: Invocation) -> None:
    """Go back before the last thing that was said, or before a compaction that came behind it."""
    stream = invocation.stream
    turns = stream.turns
    if turns and boundary_of(turns[-1]) is not None and await undo_compaction(stream):
        invocation.say("the compaction is undone: all of it is shown again", Severity.SUCCESS)
        return
    last = next((turn for turn in reversed(turns) if turn.role is Role.USER), None)
    await stream.history.undo()
    invocation.say(f"undone: {_short(last)}; /redo brings it back", Severity.SUCCESS)


async def redo(invocation: Invocation) -> None:
    """Go forward again."""
    stream = invocation.stream
    await stream.history.redo()
    last = next((turn for turn in reversed(stream.turns) if turn.role is Role.USER), None)
    invocation.say(f"there again: {_short(last)}", Severity.SUCCESS)


async def fork(invocation: Invocation) -> None:
    """Go on in a new session with the same conversation, up to a turn or all of it."""
    at = invocation.text.strip() or None
    name = await fork_session(invocation.stream, at)
    invocation.say(f"going on in session {name}; this one, {invocation.stream.id}, stays as it is", Severity.SUCCESS)
    invocation.stream.emit(SessionSwitch(session_id=name))


async def new(invocation: Invocation) -> None:
    """Begin a new session, with the same agent and model."""
    stream = invocation.stream
    kept = {key: value for key, value in stream.metadata.all().items() if key.startswith((MODEL_PREFIX, AGENT_KEY))}
    name = await new_session(stream, kept)
    invocation.say(f"a new session: {name}; the old one is {stream.id}", Severity.SUCCESS)
    stream.emit(SessionSwitch(session_id=name))


def _short(turn: Turn | None) -> str:
    text = " ".join(" ".join(artifact.for_human() for artifact in turn.artifacts).split()) if turn else "nothing"
    return text if len(text) <= _CHARACTERS else f"{text[: _CHARACTERS - 1]}…"
