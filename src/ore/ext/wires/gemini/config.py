"""`generation_config`: how a model shall answer, in the vendor's terms.

By "GenerationConfig" of the Gemini API reference (read 2026-11).
"""

from collections.abc import Mapping
from typing import Any, Final

from ore.ext.wires.gemini.family import Family
from ore.ext.wires.omissions import Omissions
from ore.models import Spec, ThinkingLevel
from ore.provider import OutputOption

__all__ = ["generation_config", "thinking_config"]

_FIELDS: Final[Mapping[str, str]] = {
    "temperature": "temperature",
    "top_p": "topP",
    "top_k": "topK",
    "seed": "seed",
    "frequency_penalty": "frequencyPenalty",
    "presence_penalty": "presencePenalty",
}

_STOPS: Final = 5
"""Five stop sequences at most."""

_BUDGETS: Final[Mapping[ThinkingLevel, int]] = {
    ThinkingLevel.MINIMAL: 512,
    ThinkingLevel.LOW: 1_024,
    ThinkingLevel.MEDIUM: 8_192,
    ThinkingLevel.HIGH: 24_576,
    ThinkingLevel.MAX: 32_768,
}
"""Tokens: what the vendor's "OpenAI compatibility" takes for the words that it
has there (read 2026-11); 512 and 32,768 are the least and the most of its models."""


def generation_config(
    spec: Spec, family: Family, max_tokens: int | None, output: OutputOption | None, omissions: Omissions
) -> dict[str, Any]:
    """The `generationConfig` of a request; empty when nobody has an opinion.

    Args:
        spec: What was asked for; `window` is none of this vendor's business.
        family: What the model takes.
        max_tokens: Of the answer, thoughts included.
        output: The schema of an answer that is JSON.
        omissions: Gets what cannot be had.

    Raises:
        UnsupportedError: Something cannot be had, and nothing may be left out.
    """
    config: dict[str, Any] = {}
    for name, field in _FIELDS.items():
        value = getattr(spec, name)
        if value is None:
            continue
        if name.endswith("penalty") and not family.takes_penalties:
            omissions.leave(name, f"{spec.name} cannot take {name}: penalties are not enabled for it")
            continue
        config[field] = value
    if max_tokens is not None:
        config["maxOutputTokens"] = max_tokens
    stops = [text for text in spec.stop_sequences or () if text]
    if len(stops) > _STOPS:
        omissions.leave(
            "stop_sequences",
            f"Gemini takes {_STOPS} stop_sequences, got {len(stops)}",
            "leave some out",
            instead="the first ones were kept",
        )
    if stops:
        config["stopSequences"] = stops[:_STOPS]
    thinking = thinking_config(spec.thinking_level, family, max_tokens, omissions)
    if thinking is not None:
        config["thinkingConfig"] = thinking
    if output is not None:
        config |= {"responseMimeType": "application/json", "responseJsonSchema": output.schema}
    elif family.makes_images:
        config["responseModalities"] = ["TEXT", "IMAGE"]
    return config


def thinking_config(
    level: ThinkingLevel | None, family: Family, max_tokens: int | None, omissions: Omissions
) -> dict[str, Any] | None:
    """What a level means to a model; `None` leaves it to the model.

    Raises:
        UnsupportedError: It cannot think, or cannot help it, and nothing may be left out.
    """
    if level is None:
        return None
    if family.thinking == "none":
        if level is not ThinkingLevel.OFF:
            omissions.leave("thinking_level", f"the model does not think: thinking_level {level.value} cannot be had")
        return None
    if family.thinking == "level":
        return _level(level, family, omissions)
    return _budget(level, family, max_tokens, omissions)


def _always(omissions: Omissions) -> None:
    """Say that thinking cannot be turned off."""
    fault = "the model always thinks: thinking_level off cannot be had"
    omissions.leave("thinking_level", fault, "take minimal", instead="the least was taken")


def _level(level: ThinkingLevel, family: Family, omissions: Omissions) -> dict[str, Any]:
    if level is ThinkingLevel.OFF:
        if family.version is None:  # nothing is known of it, so its vendor says whether it can
            return {"thinkingBudget": 0}
        _always(omissions)
        return {"thinkingLevel": family.least_level}
    word = {
        ThinkingLevel.MINIMAL: family.least_level,
        ThinkingLevel.LOW: "LOW",
        ThinkingLevel.MEDIUM: "MEDIUM" if family.knows_medium else "HIGH",
    }.get(level, "HIGH")
    return {"thinkingLevel": word, "includeThoughts": True}


def _budget(level: ThinkingLevel, family: Family, max_tokens: int | None, omissions: Omissions) -> dict[str, Any]:
    """Tokens to think with: half of the answer's at most, which they are part of, so that there is one."""
    least, most = {"pro": (128, 32_768), "flash-lite": (512, 24_576)}.get(family.size, (1, 24_576))
    if level is ThinkingLevel.OFF:
        if family.size != "pro":
            return {"thinkingBudget": 0}
        _always(omissions)
        return {"thinkingBudget": least}
    room = most if max_tokens is None else max_tokens // 2
    return {"thinkingBudget": max(least, min(_BUDGETS[level], most, room)), "includeThoughts": True}
