"""How an answer is drawn, in the terms of the protocol."""

from typing import Any, Final

from ore.ext.wires.anthropic.claude import Claude
from ore.ext.wires.omissions import Omissions
from ore.models import Spec

__all__ = ["sampling"]

_FOREIGN: Final = ("seed", "frequency_penalty", "presence_penalty")

LEAST_TOP_P: Final = 0.95
"""The least that goes with thinking: "Extended thinking" of the vendor's documentation (read 2026-11)."""


def sampling(spec: Spec, model: Claude, omissions: Omissions, *, thinks: bool) -> dict[str, Any]:
    """The fields of a request that say how its answer is drawn.

    A temperature or a `top_p` of 1 is what every model does anyway, so it is
    never refused.

    Args:
        thinks: Whether thinking was turned on, with which not everything goes.

    Raises:
        UnsupportedError: The model cannot take a field.
    """
    for name in _FOREIGN:
        if getattr(spec, name) is not None:
            omissions.leave(name, f"Anthropic's protocol has no {name}")
    fields: dict[str, Any] = {}
    for name in ("temperature", "top_p", "top_k"):
        value = getattr(spec, name)
        if value is None:
            continue
        why = _why_not(name, value, model, fields, thinks=thinks)
        if why:
            omissions.leave(name, f"the model cannot take this {name}: {why}")
        elif model.samples:
            fields[name] = value
    return fields | _stop_sequences(spec, omissions)


def _why_not(name: str, value: float, model: Claude, fields: dict[str, Any], *, thinks: bool) -> str | None:
    """Why a value cannot be taken; `None` when it can."""
    if name != "top_k" and value == 1:
        return None
    if not model.samples:
        return "the model draws as it sees fit; say in the instructions how it shall answer"
    if thinks and not (name == "top_p" and value >= LEAST_TOP_P):
        return "it does not go with thinking; leave that out, or thinking_level"
    if name == "top_p" and model.one_sampler and "temperature" in fields:
        return "the model takes only one of temperature and top_p"
    if model.is_claude and name != "top_k" and not 0 <= value <= 1:
        return "expected a number from 0 to 1"
    return None


def _stop_sequences(spec: Spec, omissions: Omissions) -> dict[str, Any]:
    given = spec.stop_sequences or ()
    kept = [text for text in given if text.strip()]
    if len(kept) < len(given):
        omissions.leave("stop_sequences", "the vendor takes no stop_sequences that are blank")
    return {"stop_sequences": kept} if kept else {}
