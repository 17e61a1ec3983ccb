"""`/model`, `/thinking`, `/temperature`: who answers from now on, and how."""

from typing import Final

from ore.artifact import Severity
from ore.errors import OreError
from ore.ext.catalog import Target, preflight
from ore.ext.commands.invocation import Invocation
from ore.models import MODEL_PREFIX, ThinkingLevel
from ore.provider import WithTools
from ore.session import Answering, answering

__all__ = ["model", "temperature", "thinking"]

_DEFAULT: Final = "default"
"""What takes a setting back."""

_UNKNOWN: Final = "unknown_model"
"""That nobody knows the model: news when it is chosen, and not at each change of it."""


async def model(invocation: Invocation) -> None:
    """Have another model answer from the next inference on; says what it cannot take of the conversation."""
    name = invocation.text.strip()
    if not name:
        invocation.usage("PROVIDER:NAME, or default")
        invocation.say(f"{_name(answering(invocation.stream))} answers")
        return
    await _set(invocation, "name", None if name == _DEFAULT else name)
    invocation.say(f"{_name(answering(invocation.stream))} answers from now on", Severity.SUCCESS)
    _warn(invocation)


async def thinking(invocation: Invocation) -> None:
    """Let the model think more or less."""
    level = invocation.text.strip()
    if not level:
        invocation.usage(f"{' | '.join(ThinkingLevel)} | {_DEFAULT}")
        invocation.say(f"thinking: {answering(invocation.stream).spec.thinking_level or _DEFAULT}")
        return
    await _set(invocation, "thinking_level", None if level == _DEFAULT else level)
    invocation.say(f"thinking: {level}", Severity.SUCCESS)
    _warn(invocation, but=_UNKNOWN)


async def temperature(invocation: Invocation) -> None:
    """Let the model answer more or less evenly."""
    value = invocation.text.strip()
    if not value:
        known = answering(invocation.stream).spec.temperature
        invocation.usage(f"NUMBER | {_DEFAULT}; 0 is greedy")
        invocation.say(f"temperature: {_DEFAULT if known is None else f'{known:g}'}")
        return
    await _set(invocation, "temperature", None if value == _DEFAULT else value)
    invocation.say(f"temperature: {value}", Severity.SUCCESS)
    _warn(invocation, but=_UNKNOWN)


async def _set(invocation: Invocation, field: str, value: str | None) -> None:
    """Change a fact of the session; one under which nobody could answer is taken back.

    Raises:
        OreError: The value does not fit, or nobody could answer.
    """
    metadata, key = invocation.stream.metadata, MODEL_PREFIX + field
    before = metadata.get(key)
    await metadata.change({key: value})
    try:
        answering(invocation.stream)
    except OreError:
        await metadata.change({key: before})
        raise


def _warn(invocation: Invocation, *, but: str = "") -> None:
    """Say what the model cannot take of the conversation as it stands, `but` for what it heard already."""
    found, state = answering(invocation.stream), invocation.stream.history.state
    tools = found.agent.tools(state) if found.agent.tools is not None else ()
    target = Target.of(_name(found))
    checked = preflight(state.turns, found.spec, (*found.agent.options, WithTools(tuple(tools))), target)
    invocation.notices += [finding.notice() for finding in checked.findings if finding.what != but]


def _name(found: Answering) -> str:
    """Provider and model."""
    return f"{found.provider.name}:{found.spec.name}" if found.spec.name else found.provider.name
